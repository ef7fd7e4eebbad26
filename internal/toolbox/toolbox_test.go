package toolbox

import (
	"testing"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// TestAListOfToolsSaysWhatTheDefaultsDo, for each category and whoever brings the tool.
func TestAListOfToolsSaysWhatTheDefaultsDo(t *testing.T) {
	rules, err := permissions.NewRules(permissions.Settings{Root: "/project", Dir: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	decide := func(spec tools.Spec, path string) permissions.Decision {
		access := tools.Access{Path: path, Real: path, Dir: "/project", Command: "ls", URL: "https://example.org/"}
		return rules.Default(permissions.Call{Tool: spec, Access: access}).Decision
	}
	for _, category := range append(tools.Categories(), "") {
		for _, remote := range []*tools.Remote{nil, {Server: "s"}, {Server: "s", ReadOnly: true}} {
			if remote != nil && category == "" {
				continue
			}
			spec := tools.Spec{Name: "x", Category: category, Remote: remote}
			want := "always"
			switch inside, outside := decide(spec, "/project/a"), decide(spec, "/a"); {
			case outside == permissions.Allow:
				want = "never"
			case inside == permissions.Allow:
				want = "outside the project"
			}
			if got := asked(spec); got != want {
				t.Errorf("category %q, %+v: %q, but the defaults mean %q", category, remote, got, want)
			}
		}
	}
}
