package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
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
		`(_)(_)[a-z]+\1\2(?=b)`:        "mcp__a__b mcp__chibi__b",
	} {
		for _, agent := range []string{"claude", "copilot", "cursor", "gemini", "qwen"} {
			d, _ := agents.ByName(agent)
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

// Agents that are not written in JavaScript cannot do it either. An error reports a pattern that nobody can run.
func TestMatchersThatCannotBeRunAreSaid(t *testing.T) {
	for matcher, names := range map[string][]string{
		`^(?!Bash)`: {"codex", "crush"}, `(?!Bash`: agents.Names(), `(?!Bash))`: agents.Names(),
		`(?<n>a)\k<n>(?!b)`: {"codex", "crush"}, `(a)\1(?!b)`: {"codex", "crush"}, `(?!*)`: agents.Names(),
		`(?!a)[`: agents.Names(), `(?!a)\`: agents.Names(),
	} {
		for _, agent := range names {
			d, _ := agents.ByName(agent)
			if _, err := d.Matches(engine.Event{Name: "x", Matches: engine.Source}, matcher); err == nil {
				t.Errorf("%s: %s is not an error", agent, matcher)
			}
		}
	}
}

// A comparison that would take for ever asks the hook.
func TestAMatcherThatTakesForEverMatches(t *testing.T) {
	cursor, _ := agents.ByName("cursor")
	event, _ := cursor.Event("beforeShellExecution")
	for _, matcher := range []string{`^(?=(a+)+$)a`, `(?<!x(a|a)*!)b`, `^(?!(a*)*c)a.*b$c`,
		`(?!x)((((a?){99}){99}){99}){99}c?!!`, `(?!x)` + strings.Repeat("(|)", 99) + "!!",
		`(?!x)` + strings.Repeat("a*", 999) + "!!", `(?!x)` + strings.Repeat("(?=a*)", 999) + "[a!]!!"} {
		matches, err := cursor.Matches(event, matcher)
		if err != nil || !matches(strings.Repeat("a", 100_000)+"!b") {
			t.Errorf("%s: %v", matcher, err)
		}
	}
}
