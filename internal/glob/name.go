package glob

import (
	"strings"
	"unicode/utf8"
)

// name is a pattern for one name in a path: "*", "?", "[a-z]" and "\" as in the shell.
type name struct {
	kind kind
	text string // without the star, for the kinds that have one
}

// kind is what a pattern needs to be compared: nearly all are simple.
type kind uint8

const (
	general     kind = iota
	exact            // no special character
	suffix           // a star and a suffix
	prefix           // a prefix and a star
	anything         // a star
	directories      // "**": any number of names
)

// newName reads a pattern. Two or more stars alone are any number of names; elsewhere they
// are one.
func newName(pattern string) name {
	if len(pattern) > 1 && strings.Trim(pattern, "*") == "" {
		return name{kind: directories}
	}
	const special = `*?[\`
	switch {
	case pattern == "*":
		return name{kind: anything}
	case !strings.ContainsAny(pattern, special):
		return name{exact, pattern}
	case pattern[0] == '*' && !strings.ContainsAny(pattern[1:], special):
		return name{suffix, pattern[1:]}
	case strings.HasSuffix(pattern, "*") && !strings.ContainsAny(pattern[:len(pattern)-1], special):
		return name{prefix, pattern[:len(pattern)-1]}
	}
	return name{general, pattern}
}

// match reports whether a name matches. A pattern that is damaged matches nothing.
func (n name) match(s string) bool {
	switch n.kind {
	case anything, directories:
		return true
	case exact:
		return s == n.text
	case suffix:
		return strings.HasSuffix(s, n.text)
	case prefix:
		return strings.HasPrefix(s, n.text)
	}
	return wildcards(n.text, s)
}

// isWhole reports whether no bracket is left open, and no backslash is the end.
func (n name) isWhole() bool {
	if n.kind != general {
		return true
	}
	for rest := n.text; rest != ""; {
		next, _, ok := one(rest, 'x')
		if !ok {
			return false
		}
		rest = next
	}
	return true
}

// wildcards compares a name with a pattern. After a star that was wrong, only the last one
// takes a character more, so the steps are at most the product of the lengths.
func wildcards(pattern, s string) bool {
	star, from := "", "" // behind the last star, and what it has not taken yet
	isStarred := false
	for {
		switch {
		case pattern != "" && pattern[0] == '*':
			pattern = pattern[1:]
			star, from, isStarred = pattern, s, true
			continue
		case pattern == "" && s == "":
			return true
		case pattern != "" && s != "":
			char, size := utf8.DecodeRuneInString(s)
			next, fits, isWhole := one(pattern, char)
			if !isWhole {
				return false
			}
			if fits {
				pattern, s = next, s[size:]
				continue
			}
		}
		if !isStarred || from == "" {
			return false
		}
		_, size := utf8.DecodeRuneInString(from)
		from = from[size:]
		pattern, s = star, from
	}
}

// one compares a character with the first element of a pattern. next is the rest of the
// pattern; isWhole is false if the element is not complete.
func one(pattern string, char rune) (next string, fits, isWhole bool) {
	switch pattern[0] {
	case '*', '?':
		return pattern[1:], true, true
	case '[':
		return bracket(pattern[1:], char)
	}
	want, next, ok := character(pattern)
	return next, want == char, ok
}

// character takes a character from a pattern, which may be behind a backslash.
func character(pattern string) (char rune, rest string, ok bool) {
	pattern = strings.TrimPrefix(pattern, `\`)
	if pattern == "" {
		return 0, "", false
	}
	char, size := utf8.DecodeRuneInString(pattern)
	return char, pattern[size:], true
}

// bracket compares a character with the characters, ranges and classes in a bracket.
func bracket(pattern string, char rune) (next string, fits, isWhole bool) {
	isNegated := strings.HasPrefix(pattern, "!") || strings.HasPrefix(pattern, "^")
	if isNegated {
		pattern = pattern[1:]
	}
	for isFirst := true; pattern != ""; isFirst = false {
		if pattern[0] == ']' && !isFirst {
			return pattern[1:], fits != isNegated, true
		}
		if class, rest, ok := strings.Cut(pattern, ":]"); ok && strings.HasPrefix(class, "[:") {
			fits = fits || isIn(class[2:], char)
			pattern = rest
			continue
		}
		low, rest, ok := character(pattern)
		if !ok {
			break
		}
		high := low
		if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			if high, rest, ok = character(rest[1:]); !ok {
				break
			}
		}
		fits = fits || low <= char && char <= high || char == low
		pattern = rest
	}
	return "", false, false
}

// isIn reports whether a character is in a class of the shell; others than ASCII are in
// none.
func isIn(class string, char rune) bool {
	isLower, isUpper, isDigit := 'a' <= char && char <= 'z', 'A' <= char && char <= 'Z', '0' <= char && char <= '9'
	isGraph := '!' <= char && char <= '~'
	switch class {
	case "alpha":
		return isLower || isUpper
	case "alnum":
		return isLower || isUpper || isDigit
	case "digit":
		return isDigit
	case "lower":
		return isLower
	case "upper":
		return isUpper
	case "xdigit":
		return isDigit || 'a' <= char && char <= 'f' || 'A' <= char && char <= 'F'
	case "space":
		return char == ' ' || '\t' <= char && char <= '\r'
	case "blank":
		return char == ' ' || char == '\t'
	case "punct":
		return isGraph && !isLower && !isUpper && !isDigit
	case "graph":
		return isGraph
	case "print":
		return isGraph || char == ' '
	case "cntrl":
		return char < ' ' || char == 0x7f
	}
	return false
}
