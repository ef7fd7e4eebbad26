package urls

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Pattern says which URLs an entry of a list means.
type Pattern struct {
	text   string
	preset Class // of preset:CLASS
	// The parts of a URL, each with * for any text, ? for one character and a backslash
	// before a * or ? that means itself. A pattern without "://" has only whole.
	whole, scheme, host, port, rest string
}

// ParsePattern reads an entry: preset:CLASS, or a pattern of canonical URLs. In the latter * means any text, ?
// any character, and a backslash before them takes that meaning away. In a pattern with "://", the host's part
// matches nothing of the path, so that https://*.example.com/* means hosts below example.com only; without a
// path it means all paths. A host without * and ? is made canonical.
func ParsePattern(text string) (Pattern, error) {
	if class, ok := strings.CutPrefix(text, "preset:"); ok {
		if !slices.Contains(Presets(), Class(class)) {
			return Pattern{}, fmt.Errorf("there is no preset %q; there are %s", class, presetNames())
		}
		return Pattern{text: text, preset: Class(class)}, nil
	}
	if text == "" || len(text) > MaxLength {
		return Pattern{}, fmt.Errorf("a pattern has 1 to %d bytes, this one %d", MaxLength, len(text))
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return Pattern{text: text, whole: text}, nil
	}
	p := Pattern{text: text, scheme: strings.ToLower(scheme), rest: "/*"}
	end := strings.IndexByte(rest, '/')
	if end < 0 {
		end = len(rest)
	} else {
		p.rest = rest[end:]
	}
	return p, p.setAuthority(rest[:end])
}

func presetNames() string {
	var names []string
	for _, class := range Presets() {
		names = append(names, string(class))
	}
	return strings.Join(names, ", ")
}

func (p *Pattern) setAuthority(text string) error {
	if strings.Contains(text, "@") {
		return errors.New("a URL with a user name is never fetched; leave it out")
	}
	host, port := text, ""
	if i := strings.LastIndexByte(text, ':'); i > strings.LastIndexByte(text, ']') {
		host, port = text[:i], text[i+1:]
	}
	p.port = port
	if p.scheme == "http" && port == "80" || p.scheme == "https" && port == "443" {
		p.port = ""
	}
	if isWild(host) {
		p.host = strings.ToLower(strings.Trim(host, "[]"))
		return nil
	}
	inBrackets := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")
	name, _, err := canonicalHost(strings.Trim(host, "[]"), inBrackets)
	p.host = name
	return err
}

func isWild(text string) bool { return strings.ContainsAny(text, "*?") }

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

// IsPreset reports whether the pattern is about a class of addresses.
func (p Pattern) IsPreset() bool { return p.preset != "" }

// IsWhole reports whether the pattern does not say where the host ends, so that its *
// stands for parts of paths as well.
func (p Pattern) IsWhole() bool { return p.whole != "" }

// Matches reports whether the pattern, in a list of allowed URLs, means u, which leads
// to an address of that class. Without a port the pattern means the scheme's port.
func (p Pattern) Matches(u URL, class Class) bool {
	return p.matches(u, class) && (p.scheme == "" || glob(p.port, u.port) || glob(p.port, u.Port()))
}

// MatchesDenied is Matches in a list of denied URLs: without a port the pattern means
// all ports.
func (p Pattern) MatchesDenied(u URL, class Class) bool {
	if p.scheme != "" && p.port == "" {
		return p.matches(u, class)
	}
	return p.Matches(u, class)
}

// matches compares everything but the port.
func (p Pattern) matches(u URL, class Class) bool {
	switch {
	case p.preset != "":
		return p.preset == class
	case u.IsZero():
		return false
	case p.whole != "":
		return glob(p.whole, u.String())
	}
	return glob(p.scheme, u.scheme) && glob(p.host, u.host) && glob(p.rest, u.rest)
}

// Opens reports whether the pattern, which matches u, is meant for an address of that
// class: all are for public addresses; for others a preset, or a pattern that writes the
// host out. The owner of a name chooses its addresses, so a written name opens
// addresses of hosts and networks, not those that no name should have.
func (p Pattern) Opens(u URL, class Class) bool {
	if class == Public || p.preset != "" {
		return true
	}
	if p.whole != "" || isWild(p.host) {
		return false
	}
	return NameOpens(u, class)
}

// NameOpens reports whether a permission for the host of u, by name, is one for an
// address of that class.
func NameOpens(u URL, class Class) bool {
	if u.address.IsValid() || ClassOfName(u.host) == class {
		return true
	}
	return slices.Contains([]Class{Public, Loopback, PrivateNetwork, UniqueLocal, CGNAT, Unresolved}, class)
}

// glob reports whether a pattern matches a whole text. Its cost is at most the product
// of their lengths.
func glob(pattern, text string) bool {
	p, t := 0, 0
	star, from := -1, 0 // the last * that was met, and where the text behind it begins
	for t < len(text) {
		c, width, kind := next(pattern[p:])
		switch {
		case kind == anyText:
			star, from = p, t
			p += width
		case kind == anyOne || kind == literal && c == text[t]:
			p += width
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

type kind int

const (
	nothing kind = iota
	literal
	anyOne
	anyText
)

// next returns the first element of a pattern: the byte that it means, and its width.
func next(pattern string) (byte, int, kind) {
	switch {
	case pattern == "":
		return 0, 0, nothing
	case pattern[0] == '*':
		return 0, 1, anyText
	case pattern[0] == '?':
		return 0, 1, anyOne
	case pattern[0] == '\\' && len(pattern) > 1:
		return pattern[1], 2, literal
	}
	return pattern[0], 1, literal
}
