package doctor

import (
	"testing"

	"github.com/chibi-host/chibi/tools"
)

// TestRulesAboutToolsOfServersThatCannotHold are said: after a server renamed its tool, and
// where a rule is about something that nobody knows.
func TestRulesAboutToolsOfServersThatCannotHold(t *testing.T) {
	remote := func(name, tool string, category tools.Category) tools.Spec {
		return tools.Spec{Name: name, Category: category, Remote: &tools.Remote{Server: "box", Tool: tool}}
	}
	specs := []tools.Spec{{Name: "mcp__far__look"}, remote("mcp__box__run", "run", tools.CategoryShell),
		remote("mcp__box__look", "look", tools.CategoryMCP), remote("mcp__box__long_1234", "long one", tools.CategoryMCP)}
	for _, test := range []struct{ name, specifier, want string }{
		{"mcp__box__run", "", ""}, {"mcp__box__run", "git *)", ""}, {"mcp__box__look", "", ""}, {"mcp__box", "", ""},
		{"mcp__box__*", "", ""}, {"mcp__b*", "", ""}, {"mcp__other__x", "", ""}, {"mcp__box", "git *)", ""},
		{"mcp__box__long_1234", "", ""}, {"mcp__box__long one", "", ""},
		{"mcp__box__loook", "", `about a tool that does not exist; did you mean "mcp__box__look"?`},
		{"mcp__box__delete_all", "x)", "about a tool that does not exist"},
		{"mcp__box__look", "/src)", "about the category of the tool, which chibi knows only from a category in " +
			"[mcp.box.tool.look]"},
	} {
		if got := problemOfServerRule(test.name, test.specifier, specs); got != test.want {
			t.Errorf("%s(%s: %q, want %q", test.name, test.specifier, got, test.want)
		}
	}
}
