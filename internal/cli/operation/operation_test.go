package operation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
)

// row is a row whose operation notes its flag's name in done.
func row(name string, phase Phase, done *[]string) Row {
	return Row{&cmdline.Flag{Name: name}, Operation{Role: Joins, Phase: phase,
		Run: func(context.Context, Run, cmdline.Given) error {
			*done = append(*done, name)
			if name == "fails" {
				return errors.New("it failed")
			}
			return nil
		}}}
}

// TestOperationsRunInTheOrderOfTheirPhases: the order of the table decides within a
// phase, and an error ends them.
func TestOperationsRunInTheOrderOfTheirPhases(t *testing.T) {
	var done []string
	asked := Asked{
		row("mail", PhaseMail, &done), row("show", PhaseShow, &done), row("archive", PhaseArchive, &done),
		row("log", PhaseShow, &done), {Flag: &cmdline.Flag{Name: "switch"}, Operation: Operation{Role: Settles}},
	}
	if err := asked.Run(t.Context(), Run{}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"archive", "show", "log", "mail"}; !slices.Equal(done, want) {
		t.Errorf("ran %q, want %q", done, want)
	}
	done = nil
	err := append(asked, row("fails", PhaseSettings, &done)).Run(t.Context(), Run{})
	if err == nil || !slices.Equal(done, []string{"fails"}) {
		t.Errorf("ran %q after an error, %v", done, err)
	}
}

// TestWhatIsAskedFor: an operation whose flag was given, unless its row says more.
func TestWhatIsAskedFor(t *testing.T) {
	var done []string
	given, not, says := row("given", PhaseShow, &done), row("not", PhaseShow, &done), row("says", PhaseShow, &done)
	given.Give(nil, nil)
	says.Give(nil, nil)
	says.Role = Says
	itself := row("itself", PhaseShow, &done)
	itself.Asked = func() bool { return true }
	var names []string
	for _, r := range AskedOf([]Row{given, not, says, itself}) {
		names = append(names, r.Name)
	}
	if want := []string{"given", "itself"}; !slices.Equal(names, want) {
		t.Errorf("asked for are %q, want %q", names, want)
	}
}

func TestEntriesAsText(t *testing.T) {
	long := strings.Repeat("x", 2048)
	by := &contexts.Metadata{By: &contexts.Writer{Host: "far\n", User: "ann", Version: "1.2"}}
	for _, test := range []struct {
		name    string
		entry   contexts.Entry
		verbose bool
		want    string
	}{
		{"prompt", contexts.Entry{Type: contexts.TypeMessage, From: "user", Content: "hi"}, false, "[USER]: hi\n\n"},
		{"interrupted", contexts.Entry{Type: contexts.TypeMessage, From: "model", Content: "so",
			Metadata: &contexts.Metadata{Interrupted: true}}, false, "[MODEL]: so (interrupted)\n\n"},
		{"call", contexts.Entry{Type: contexts.TypeToolCall, To: "dice", Content: "{\n}"}, false, "[TOOL: dice] { }\n"},
		{"call with -v", contexts.Entry{Type: contexts.TypeToolCall, To: "dice", Content: "{}"}, true,
			"[TOOL CALL: dice]\n{}\n\n"},
		{"result", contexts.Entry{Type: contexts.TypeToolResult, From: "dice", Content: "6"}, false, "  \u2192 1b\n"},
		{"large result", contexts.Entry{Type: contexts.TypeToolResult, Content: long}, false, "  \u2192 2.0kb\n"},
		{"result with -v", contexts.Entry{Type: contexts.TypeToolResult, From: "dice", Content: "6"}, true,
			"[TOOL RESULT: dice]\n6\n\n"},
		{"of a machine", contexts.Entry{Type: contexts.TypeMessage, From: "user", Content: "hi", Metadata: by}, false,
			"[USER]: hi\n\n"},
		{"of a machine with -v", contexts.Entry{Type: contexts.TypeMessage, From: "user", Content: "hi", Metadata: by}, true,
			"[USER, ann on far with chibi 1.2]: hi\n\n"},
	} {
		if got := entryText(test.entry, look{verbose: test.verbose, full: test.verbose}); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestKeysOfDebug(t *testing.T) {
	for _, test := range []struct {
		name    string
		debug   Debug
		want    DebugKeys
		setRule bool
		wrong   string
	}{
		{"none", Debug{}, DebugKeys{}, false, ""},
		{"all", Debug{keys: []string{"all"}}, DebugKeys{Requests: true, Responses: true}, false, ""},
		{"two, with dashes", Debug{keys: []string{"request-log, force-markdown"}},
			DebugKeys{Requests: true, ForceMarkdown: true}, false, ""},
		{"a flag of its own", Debug{destroyAt: []string{"0"}}, DebugKeys{}, true, ""},
		{"unknown", Debug{keys: []string{"nonsense"}}, DebugKeys{}, false, "unknown key"},
		{"a value of a key that has none", Debug{keys: []string{"force-markdown,request_log=5"}}, DebugKeys{}, false,
			"--debug request_log=5: request-log takes no value; write --debug request-log"},
		{"an empty one", Debug{keys: []string{"all="}}, DebugKeys{}, false, "--debug all=: all takes no value"},
		{"no number", Debug{destroyAfter: []string{"soon"}}, DebugKeys{}, false, "want a number of seconds"},
	} {
		got, err := test.debug.Keys()
		got.destroyAt, got.destroyAfter = nil, nil
		if test.wrong == "" && (err != nil || got != test.want) {
			t.Errorf("%s: %+v, %v; want %+v", test.name, got, err, test.want)
		} else if test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%s: %v; want %q", test.name, err, test.wrong)
		}
		if sets := test.debug.setsDestroyRule(); sets != test.setRule {
			t.Errorf("%s: a key that is kept: %t", test.name, sets)
		}
	}
}
