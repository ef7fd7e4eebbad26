package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/summarize"
)

// serverPrefix is what the names of all tools of MCP servers begin with.
const serverPrefix = "mcp__"

// unknownTools returns a sentence about each rule of the configuration that names neither a
// category nor a tool that there is, the coding tools included. Plugins come and go, so that is not
// an error, but it may be a mistake.
func unknownTools(s *app.Session) (about []string) {
	known, specs := slices.Sorted(maps.Keys(app.KnownTools(s))), s.Agent.Tools.Specs()
	p := s.Config.Permissions
	for _, rule := range slices.Concat(p.Deny, p.Ask, p.Allow) {
		name, specifier, _ := strings.Cut(rule.Text, "(")
		problem := ""
		switch {
		case strings.HasPrefix(name, serverPrefix):
			problem = problemOfServerRule(name, specifier, specs)
		case !slices.Contains(known, name) && !strings.Contains(name, "*"):
			problem = aboutNothing(strictjson.Nearest(name, known))
		}
		if problem != "" {
			about = append(about, fmt.Sprintf("the rule %q of %s is %s", rule.Text, rule.Where, problem))
		}
	}
	return about
}

// narrowedRules returns a sentence about each rule that allows "*" or "**" of files: since that
// means the project, it allows less than it did.
func narrowedRules(s *app.Session) (about []string) {
	known := app.KnownTools(s)
	known[summarize.Name] = tools.CategoryRead // the calls of it that name a file
	for _, rule := range s.Config.Permissions.Allow {
		name, _, _ := strings.Cut(strings.TrimSpace(rule.Text), "(")
		if permissions.MeansProject(rule.Text, known[name]) {
			about = append(about, fmt.Sprintf("the rule %q of %s allows files of the project only; an older chibi allowed "+
				"files of the whole disk by it", rule.Text, rule.Where))
		}
	}
	return about
}

// aboutNothing says that no tool has a name, and which one was perhaps meant, if any.
func aboutNothing(near string) string {
	text := "about a tool that does not exist"
	if near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text
}

// problemOfServerRule says what is wrong with a rule about tools of an MCP server: it has
// parentheses and nobody knows what the tool does, or the server has no such tool, as after it
// was renamed; "" if nothing is, or if it is not known which tools the server has.
func problemOfServerRule(name, specifier string, specs []tools.Spec) string {
	server, tool, _ := strings.Cut(strings.TrimPrefix(name, serverPrefix), "__")
	known := []string{}
	prefix := serverPrefix + server + "__"
	for _, spec := range specs {
		if spec.Remote == nil || spec.Remote.Server != server {
			continue
		}
		known = append(known, spec.Remote.Tool)
		if spec.Name != name && prefix+spec.Remote.Tool != name {
			continue
		}
		if specifier != "" && spec.Category == tools.CategoryMCP {
			return fmt.Sprintf("about the category of the tool, which chibi knows only from a category in [mcp.%s.tool.%s]",
				server, spec.Remote.Tool)
		}
		return ""
	}
	if len(known) == 0 || tool == "" || strings.Contains(name, "*") {
		return ""
	}
	near := strictjson.Nearest(tool, known)
	if near != "" {
		near = prefix + near
	}
	return aboutNothing(near)
}
