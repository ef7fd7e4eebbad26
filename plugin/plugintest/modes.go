package plugintest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// run asks several plugins at the point, and holds what its mode promises.
func (p *Point) run(t *testing.T) {
	one, two, large := say(p.Answer("one")), say(p.Answer("two")), say(p.Answer(strings.Repeat("x", 2<<20)))
	tests := map[hookpoints.Mode][]combination{
		hookpoints.Gather: {
			{"nobody has an opinion", []string{"", "echo '{}'"}, "^$", "no opinion, no opinion"},
			{"answers in plugin order", []string{one, "", two}, `one.*two`, "changed, no opinion, changed"},
			{"a plugin that fails", []string{"kill -KILL $$", two}, `two`, "failed, changed"},
			{"2 MB", []string{large, two}, `xxx.*two`, "changed, changed"},
		},
		hookpoints.Observe: {
			{"answers that nobody uses", []string{one, "", two}, "^$", "ANY, no opinion, ANY"},
			{"a plugin that fails", []string{"kill -KILL $$", "", large}, "^$", "ANY, no opinion, ANY"},
		},
		hookpoints.Claim: {
			{"nobody claims it", []string{"", "echo '{}'"}, "^$", "no opinion, no opinion"},
			{"the first claim ends it", []string{"", one, two}, "one", "no opinion, claimed, skipped"},
			{"a plugin that fails", []string{"kill -KILL $$", one}, "one", "failed, claimed"},
		},
	}[p.Info.Mode]
	if tests == nil {
		t.Fatalf("%s is a %s point", p.Info.Name, p.Info.Mode)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { p.combine(t, test) })
	}
}

// combination is what plugins with these bodies come to.
type combination struct {
	name    string
	bodies  []string
	answer  string // a pattern
	results string // ANY stands for one that is not said
}

func (p *Point) combine(t *testing.T, want combination) {
	t.Helper()
	var results []string
	h := &plugin.Host{Trace: func(r plugin.Record) { results = append(results, string(r.Result)) }}
	for i, body := range want.bodies {
		h.Plugins = append(h.Plugins, p.New(t, string(rune('a'+i)), body))
	}
	answer, err := plugin.FireJSON(t.Context(), h, p.Info, []byte(p.Payload))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(want.answer).Match(answer) {
		t.Errorf("the combined answer is %.300s, want %s", answer, want.answer)
	}
	wanted := strings.Split(want.results, ", ")
	same := slices.EqualFunc(results, wanted, func(got, want string) bool { return got == want || want == "ANY" })
	if !same {
		t.Errorf("results %s, want %s", fmt.Sprintf("%q", results), fmt.Sprintf("%q", wanted))
	}
}
