package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// Patterns as JavaScript reads them, with the names that they match.
func TestMatchersThatLookAround(t *testing.T) {
	names := []string{"Bash", "BashOutput", "Read", "NotebookRead", "Edit", "mcp__a__b", "mcp__chibi__b"}
	for matcher, want := range map[string]string{
		`^(?!Bash$).*`:                 "BashOutput Read NotebookRead Edit mcp__a__b mcp__chibi__b",
		`^(?!.*Read)`:                  "Bash BashOutput Edit mcp__a__b mcp__chibi__b",
		`Bash(?!Output)`:               "Bash",
		`^(?:Edit|Bash(?!Output))$`:    "Bash Edit",
		`^(?:(?!Read).)*$`:             "Bash BashOutput Edit mcp__a__b mcp__chibi__b",
		`(?<!Notebook)Read`:            "Read",
		`(?<=Notebook)Read$`:           "NotebookRead",
		`^mcp__(?!chibi__)[a-z]+__\w+`: "mcp__a__b",
		`^(?=.*Out)(?=.*Bash)`:         "BashOutput",
		`^(?!\b(Bash|Read)\b)[^_]{4,}`: "BashOutput NotebookRead Edit",
		`^(?!x)(mcp)_{2}(a|chibi)__?`:  "mcp__a__b mcp__chibi__b",
		`(?!Bash)^Read$|^(?=E)Edit?`:   "Read Edit",
	} {
		for _, agent := range []string{"claude", "copilot", "cursor", "gemini", "qwen"} {
			d, _ := engine.ByName(agent)
			d.Tools, d.Matcher.Whole = nil, false
			i := slices.IndexFunc(d.Events, func(e engine.Event) bool { return e.Kind == engine.BeforeTool })
			matches, err := d.Matches(d.Events[i], matcher)
			got := strings.Join(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !matches(n) }), " ")
			if err != nil || got != want {
				t.Errorf("%s: %s matches %q, %v, want %q", agent, matcher, got, err, want)
			}
		}
	}
}

// Agents that are not written in JavaScript cannot do it either; what nobody can do is said.
func TestMatchersThatCannotBeRunAreSaid(t *testing.T) {
	for matcher, agents := range map[string][]string{
		`^(?!Bash)`: {"codex", "crush"}, `(?!Bash`: engine.Names(), `(?!Bash))`: engine.Names(),
		`(?<n>a)\k<n>(?!b)`: engine.Names(), `(a)\1(?!b)`: engine.Names(), `(?!*)`: engine.Names(),
		`(?!a)[`: engine.Names(), `(?!a)\`: engine.Names(),
	} {
		for _, agent := range agents {
			d, _ := engine.ByName(agent)
			if _, err := d.Matches(engine.Event{Name: "x", Matches: engine.Source}, matcher); err == nil {
				t.Errorf("%s: %s is no error", agent, matcher)
			}
		}
	}
}

// A comparison that would take for ever asks the hook.
func TestAMatcherThatTakesForEverMatches(t *testing.T) {
	cursor, _ := engine.ByName("cursor")
	event, _ := cursor.Event("beforeShellExecution")
	for _, matcher := range []string{`^(?=(a+)+$)b`, `(?<!(a|a)*)b`, `^(?!(a*)*b)c`,
		`(?!x)((((a?){99}){99}){99}){99}b`, `(?!x)` + strings.Repeat("(|)", 99) + "b",
		`(?!x)` + strings.Repeat("a*", 999) + "b", `(?!x)` + strings.Repeat("(?=a*)", 999) + "b"} {
		matches, err := cursor.Matches(event, matcher)
		if err != nil || !matches(strings.Repeat("a", 100_000)+"!") {
			t.Errorf("%s: %v", matcher, err)
		}
	}
}
