package permissions

import (
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/permissions/internal/commandline"
	"github.com/chibi-host/chibi/permissions/urls"
)

// RuleFor returns the rule that would allow exactly such calls, "" if there is none: for a
// command line of several commands, for a call that is only known when it runs, for a command
// with an input, because a rule cannot be about inputs, and where another rule denies or asks.
func (r *Rules) RuleFor(c Call) string {
	specifier, ok := r.specifierFor(c)
	if !ok {
		return ""
	}
	text := c.Tool.Name + specifier
	parsed, err := parseRule(text)
	if err != nil {
		return ""
	}
	with := *r
	with.allow = append(slices.Clone(r.allow), parsed)
	if with.Judge(c).Decision != Allow {
		return ""
	}
	return text
}

// specifierFor returns what stands behind the name of the tool in the rule for a call.
func (r *Rules) specifierFor(c Call) (specifier string, ok bool) {
	switch kindOf(c.Tool.Category) {
	case aboutCommands:
		specifier, ok = commandSpecifier(c.Access.Command)
		ok = ok && c.Access.Stdin == ""
	case aboutFiles:
		specifier, ok = r.pathSpecifier(file{c.Access.Path, c.Access.Real})
	case aboutDomains:
		u, err := urls.Parse(c.Access.URL)
		specifier, ok = "domain:"+u.Host(), err == nil
	case aboutNothing:
		return "", true
	}
	return "(" + specifier + ")", ok
}

// commandSpecifier returns the specifier of one simple command.
func commandSpecifier(text string) (string, bool) {
	line, err := commandline.Parse(text)
	if err != nil || len(line.Commands) != 1 || line.Hidden != "" || line.Input || len(line.Reads) > 0 {
		return "", false
	}
	for c := range all(line.Commands) {
		if c.Opaque != "" {
			return "", false
		}
	}
	c := line.Commands[0]
	var words []string
	for _, w := range withAssigns(&c) {
		quoted, ok := quoteForRule(w)
		if !ok {
			return "", false
		}
		words = append(words, quoted)
	}
	return strings.Join(words, " "), len(c.Words) > 0
}

// quoteForRule writes a word so that only itself matches it.
func quoteForRule(w commandline.Word) (string, bool) {
	var b strings.Builder
	for _, r := range w.Text {
		literal, ok := commandline.Literal(r)
		switch {
		case !ok || isControl(r) && !isHole(r) || r == '\n':
			return "", false
		case strings.ContainsRune(` \*'"`+"\t;|&<>", literal):
			b.WriteRune('\\')
		}
		b.WriteRune(literal)
	}
	if b.Len() == 0 {
		return `""`, true
	}
	return b.String(), true
}

// pathSpecifier returns the pattern of one path, which begins at the root of the project
// if it is there.
func (p *places) pathSpecifier(f file) (string, bool) {
	if f.named == "" || f.named != f.real && !isIn(p.base, f) || strings.ContainsFunc(f.named, isControl) {
		return "", false
	}
	for _, base := range p.base {
		if parts, ok := partsBelow(base, f.named); ok && len(parts) > 0 && disk.IsBelow(base, f.real) {
			return "/" + quotePath(strings.Join(parts, "/")), true
		}
	}
	return "/" + quotePath(f.named), true
}

func quotePath(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`\*?[`, r) {
			b.WriteRune('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
