package permissions

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/tools"
)

// maxRule is the longest rule, in bytes.
const maxRule = 8 << 10

// rule is a rule as it was written, with what it means for tools of each category.
type rule struct {
	text   string
	source string // where it stands, for people
	// tool is the name of a tool or a category, possibly with *.
	tool string
	// specifier is what is in parentheses; "" for a rule about all calls.
	specifier string
	// inProject says of a rule about all calls that it was written with (*) or (**), which for a rule
	// about files allows only files of the project.
	inProject bool

	shell  shellPattern
	path   pathPattern
	domain domainPattern
	// Why the specifier says nothing about commands, paths or domains; nil if it does.
	notShell, notPath, notDomain error
}

// by names the rule in a sentence.
func (r *rule) by() string { return fmt.Sprintf("the rule %q of %s", r.text, r.source) }

func (r *rule) isBare() bool { return r.specifier == "" }

// allowsAllFiles reports whether a rule that allows is about files wherever they are.
func (r *rule) allowsAllFiles() bool { return r.isBare() && !r.inProject }

// MeansProject reports whether a rule that allows calls of a tool of this category is about the
// files of the project because it ends with (*) or (**). Earlier versions of chibi read such a
// rule as one about all files.
func MeansProject(text string, c tools.Category) bool {
	r, err := parseRule(text)
	return err == nil && r.inProject && kindOf(c) == aboutFiles
}

// parseRule reads TOOL or TOOL(SPECIFIER).
func parseRule(text string) (*rule, error) {
	r := &rule{text: text}
	text = strings.TrimSpace(text)
	if len(text) > maxRule {
		return nil, fmt.Errorf("it has more than %d bytes", maxRule)
	}
	name, rest, hasSpecifier := strings.Cut(text, "(")
	r.tool = name
	if err := checkToolName(name); err != nil {
		return nil, err
	}
	if !hasSpecifier {
		return r, nil
	}
	specifier, ok := strings.CutSuffix(rest, ")")
	switch {
	case !ok && strings.Contains(rest, ")"):
		return nil, errors.New("there is text behind the closing parenthesis")
	case !ok:
		return nil, errors.New("a parenthesis is not closed")
	case strings.TrimSpace(specifier) == "":
		return nil, fmt.Errorf("there is nothing in the parentheses; write %s for all calls", name)
	case strings.ContainsFunc(specifier, isControl):
		return nil, errors.New("it contains a control character")
	}
	if specifier = strings.TrimSpace(specifier); specifier == "*" || specifier == "**" {
		r.inProject, r.path.parts = !namesServers(r.tool), []string{"**"}
		return r, nil
	}
	r.specifier = specifier
	return r, r.compile()
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

func checkToolName(name string) error {
	switch {
	case name == "":
		return errors.New("it does not begin with the name of a tool or a category")
	case strings.Contains(name, ")"):
		return errors.New("a parenthesis is closed that was not opened")
	}
	for _, r := range name {
		if r != '*' && !tools.ValidName(string(r)) {
			return fmt.Errorf("%q cannot be in the name of a tool", r)
		}
	}
	return nil
}

// compile finds what the specifier means. A specifier without a meaning is an error only if the
// rule is about tools of that category.
func (r *rule) compile() error {
	r.shell, r.notShell = parseShellPattern(r.specifier)
	r.path, r.notPath = parsePathPattern(r.specifier)
	r.domain, r.notDomain = parseDomainPattern(r.specifier)
	switch kindOf(knownCategory(r.tool)) {
	case aboutCommands:
		return r.notShell
	case aboutFiles:
		return r.notPath
	case aboutDomains:
		return r.notDomain
	case aboutNothing:
		if knownCategory(r.tool) != "" {
			return fmt.Errorf("rules about such tools have no parentheses; write %s", r.tool)
		}
	}
	return nil
}

// names reports whether the rule names a tool, or one of its categories. The name of a tool of
// an MCP server can have been shortened for the model; its whole name is as good.
func (r *rule) names(spec tools.Spec) bool {
	if isCategory(r.tool) && (spec.Category != "" || r.tool != spec.Name) {
		return spec.Is(tools.Category(r.tool))
	}
	if matchName(r.tool, spec.Name) {
		return true
	}
	whole := spec.Remote
	return whole != nil && matchName(r.tool, "mcp__"+whole.Server+"__"+whole.Tool)
}

// matchName reports whether a name matches one with *. The name of an MCP server stands
// for all its tools.
func matchName(pattern, name string) bool {
	if strings.Contains(pattern, "*") {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	}
	return pattern == name || strings.HasPrefix(pattern, "mcp__") && strings.HasPrefix(name, pattern+"__")
}

func namesServers(name string) bool {
	return name == string(tools.CategoryMCP) || strings.HasPrefix(name, "mcp__")
}

func isCategory(name string) bool {
	return slices.Contains(tools.Categories(), tools.Category(name))
}
