package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/trace"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// everyCall is a prompt with a call of every kind.
const everyCall = `please
@tool run_command {"command":"ls"}
@tool run_command {"command":"rm x"}
@tool run_command {"command":"mv x"}
@tool leak
@tool secret
@tool hidden
@tool long
@tool send_message {"to":"bob","content":"hi"}
@tool nowhere`

// TestExplainAnswersFromTheRecords holds conversations with plugins that change, block
// and leave out things, and asks about each of them. Beside the plugins of an archive
// stand the questions, each a line "? ABOUT", and below it the sentences that must
// answer it; "all" asks about the turn.
func TestExplainAnswersFromTheRecords(t *testing.T) {
	type run struct {
		name          string
		before        [][]string // other runs
		args          []string
		context, want string
	}
	for _, test := range []struct {
		archive, config string
		runs            []run
	}{
		{"changed.txtar", "[api]\ntop_p = 0.5\nmax_tokens = 100\n[tools]\nexclude = [\"file_head\"]\n" +
			"[plugins.gone]\nenabled = false\n", []run{
			{"everything is changed, blocked or left out", nil, []string{"-c", "work", everyCall}, "work", "changed.want"},
			{"the prompt is refused", nil, []string{"-C", "calm", "forbidden"}, "calm", "refused.want"},
		}},
		{"untouched.txtar", "[api]\ntop_p = 0.5\n", []run{
			{"nothing is touched", nil, []string{"please\n@tool run_command {}"}, "default", "untouched.want"},
		}},
		{"turns.txtar", "max_follow_ups = 1\n", []run{
			{"the turn goes on", nil, []string{"@say go on"}, "default", "followups.want"},
			{"a compaction, and values that are not kept", [][]string{{"one"}}, []string{"-z", "BIG"}, "default",
				"compacted.want"},
			{"the conversation is cleared and replaced", [][]string{{"-C", "other", "one"}},
				[]string{"-c", "other", "-a", "@say replace it"}, "other", "replaced.want"},
		}},
	} {
		h := explainedHome(t, test.archive, test.config)
		for _, run := range test.runs {
			t.Run(run.name, func(t *testing.T) {
				for _, args := range append(run.before, run.args) {
					out, err := h.command(args...).CombinedOutput()
					t.Logf("chibi %q: %v\n%s", args, err, out)
				}
				checkExplained(t, h.newest(run.context), filepath.Join("testdata", "explain", run.want))
			})
		}
	}
}

// checkExplained asks a file's questions about a turn.
func checkExplained(t *testing.T, turn trace.Turn, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, question := range strings.Split("\n"+string(data), "\n? ")[1:] {
		about, want, _ := strings.Cut(question, "\n")
		got := strings.Join(sentencesAbout(turn, strings.TrimSpace(about)), "\n")
		if diff := cmp.Diff(strings.Split(strings.TrimSpace(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s: about %q (-want +got):\n%s", file, about, diff)
		}
	}
}

// sentencesAbout are all answers to a question, "all" is the whole turn.
func sentencesAbout(turn trace.Turn, about string) (sentences []string) {
	if about == "all" {
		return turn.Explain()
	}
	answers, near := turn.ExplainAbout(about)
	for _, a := range answers {
		sentences = append(sentences, a.Sentences...)
	}
	if len(answers) == 0 {
		sentences = append(sentences, strings.TrimSpace("unknown, near: "+strings.Join(near, ", ")))
	}
	return sentences
}

// explainedHome is a home with the plugins of an archive.
func explainedHome(t *testing.T, archive, config string) home {
	t.Helper()
	h := newHome(t)
	a, err := txtar.ParseFile(filepath.Join("testdata", "explain", archive))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		h.write(filepath.Join(".chibi/plugins", f.Name), string(f.Data), 0o755)
	}
	h.write(".chibi/config.toml", config, 0o600)
	return h
}

// newest is the newest turn of a context.
func (h home) newest(context string) trace.Turn {
	h.t.Helper()
	turns, bad, err := trace.ReadFile(filepath.Join(h.folder, ".chibi/contexts", context, "trace.jsonl"))
	if err != nil || bad > 0 || len(turns) == 0 {
		h.t.Fatalf("%d turns, %d bad lines, %v", len(turns), bad, err)
	}
	return turns[len(turns)-1]
}
