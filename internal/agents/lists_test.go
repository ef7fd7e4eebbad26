package agents_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// TestNobodyWritesWhereAgentsAreSet holds that no rule lets a tool write where an agent takes its hooks
// or its servers from: the person is asked.
func TestNobodyWritesWhereAgentsAreSet(t *testing.T) {
	rules, err := permissions.NewRules(permissions.Settings{Allow: []permissions.Written{{Text: "write(//)"}},
		Root: "/project", Dir: "/project", ChibiHome: "/home/me/.chibi", UserHome: "/home/me"})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range agents.Bridges() {
		places := slices.Clone(d.Places)
		for _, server := range d.Servers {
			places = append(places, server.Place)
		}
		for _, place := range places {
			dir := map[string]string{engine.ScopeUser: "/home/me/", engine.ScopeProject: "/project/",
				engine.ScopeLocal: "/project/"}[place.Scope]
			if dir == "" || place.Path == "" {
				continue // what is for the whole machine is the system's
			}
			path := dir + strings.ReplaceAll(place.Path, "*", "any")
			call := permissions.Call{Tool: tools.Spec{Name: "write_file", Category: tools.CategoryWrite},
				Access: tools.Access{Path: path, Real: path}}
			if got := rules.Judge(call); !got.Protected || got.Decision != permissions.Ask {
				t.Errorf("%s takes settings from %s: %+v", d.Title, path, got)
			}
		}
	}
}

// TestListsOfAgentsHaveAllOfThem holds that where a page lists agents by their names, it lists all, in
// the order in which their hooks are asked: all whose hooks run in chibi, or all in which chibi's plugins work.
func TestListsOfAgentsHaveAllOfThem(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("there are no pages", err)
	}
	name := "`?(?:" + strings.Join(agents.BridgeNames(), "|") + ")`?"
	lists := regexp.MustCompile(name + `(?:(?:,\s+(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+)` + name + `){3,}`)
	names, found := regexp.MustCompile(`\w+`), 0
	for _, page := range append(pages, "../../README.md", "../cli/bridge/add.go") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range lists.FindAllString(string(text), -1) {
			listed := slices.DeleteFunc(names.FindAllString(list, -1), func(word string) bool {
				return word == "and" || word == "or"
			})
			found++
			if !slices.Equal(listed, agents.Names()) && !slices.Equal(listed, agents.BridgeNames()) {
				t.Errorf("%s lists %q, neither %q nor %q", page, listed, agents.Names(), agents.BridgeNames())
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d lists were found", found)
	}
}
