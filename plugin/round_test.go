package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// round puts plugins into one round.
func round(name string, plugins ...plugin.Plugin) []plugin.Plugin {
	for i := range plugins {
		plugins[i].Round = name
	}
	return plugins
}

// TestWhatARoundMeans: what plugins of a round answer, to a call with the arguments
// {"command":"ls","dir":"/"}.
func TestWhatARoundMeans(t *testing.T) {
	args := func(name, arguments string) plugin.Plugin {
		return says(name, `{"arguments":`+arguments+`}`, preTool)
	}
	lost := func(path string) []merge.Conflict { return []merge.Conflict{{Path: path, Winner: "b", Loser: "a"}} }
	for _, test := range []struct {
		name    string
		plugins []plugin.Plugin
		want    string
		results []string
		lost    []merge.Conflict
		why     string
	}{
		{
			name:    "different keys both take effect",
			plugins: []plugin.Plugin{args("a", `{"command":"ls -l","dir":"/"}`), args("b", `{"command":"ls","dir":"/tmp"}`)},
			want:    `{"arguments":{"command":"ls -l","dir":"/tmp"}}`,
			results: []string{"a: changed", "b: changed"},
		},
		{
			name:    "of the same key the later one stands",
			plugins: []plugin.Plugin{args("a", `{"command":"ls -l","dir":"/"}`), args("b", `{"command":"ls -a","dir":"/"}`)},
			want:    `{"arguments":{"command":"ls -a","dir":"/"}}`,
			results: []string{"a: changed", "b: changed"},
			lost:    lost("/arguments/command"),
		},
		{
			name:    "the same value of the same key",
			plugins: []plugin.Plugin{args("a", `{"command":"ls -l","dir":"/"}`), args("b", `{"command":"ls -l","dir":"/"}`)},
			want:    `{"arguments":{"command":"ls -l","dir":"/"}}`,
			results: []string{"a: changed", "b: no opinion"},
		},
		{
			name:    "an answer equal to what came undoes nothing",
			plugins: []plugin.Plugin{args("a", `{"command":"ls -l","dir":"/"}`), args("b", `{ "dir":"/", "command":"ls"}`)},
			want:    `{"arguments":{"command":"ls -l","dir":"/"}}`,
			results: []string{"a: changed", "b: no opinion"},
		},
		{
			name:    "a deletion, and a key that is added",
			plugins: []plugin.Plugin{args("a", `{"command":"ls"}`), args("b", `{"command":"ls","dir":"/","all":true}`)},
			want:    `{"arguments":{"command":"ls","all":true}}`,
			results: []string{"a: changed", "b: changed"},
		},
		{
			name:    "a deletion of what another one sets",
			plugins: []plugin.Plugin{args("a", `{"command":"ls","dir":"/tmp"}`), args("b", `{"command":"ls"}`)},
			want:    `{"arguments":{"command":"ls"}}`,
			results: []string{"a: changed", "b: changed"},
			lost:    lost("/arguments/dir"),
		},
		{
			name: "the first block in order wins and the changes do not matter",
			plugins: []plugin.Plugin{args("a", `{"command":"ls -l"}`), says("b", `{"block":true,"message":"no"}`, preTool),
				args("c", `{}`), says("d", `{"block":true,"message":"never"}`, preTool)},
			want:    `{"block":true,"message":"no"}`,
			results: []string{"a: changed", "b: blocked", "c: ignored", "d: blocked"},
			why:     `plugin "b" blocked`,
		},
		{
			name:    "a failure is no opinion",
			plugins: []plugin.Plugin{fails("a", "", preTool), args("b", `{"command":"ls","dir":"/tmp"}`)},
			want:    `{"arguments":{"command":"ls","dir":"/tmp"}}`,
			results: []string{"a: failed", "b: changed"},
		},
		{
			name:    "a failure that blocks",
			plugins: []plugin.Plugin{says("a", ``, preTool), fails("b", plugin.Block, preTool), says("c", ``, preTool)},
			want:    `{"block":true,"message":"plugin \"b\" failed, and its failure blocks: exit status 3"}`,
			results: []string{"a: no opinion", "b: failed", "c: no opinion"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			got := fire(t, l.host(round("r", test.plugins...)...), hookpoints.PreTool, call)
			if diff := cmp.Diff(test.want, asJSON(t, got)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.results, l.results()); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			var lost []merge.Conflict
			for _, r := range l.records {
				lost = append(lost, r.Lost...)
				if r.Result == plugin.Ignored && r.Why != test.why {
					t.Errorf("why = %q, want %q", r.Why, test.why)
				}
				if arguments := string(merge.At(r.Payload, "/arguments")); arguments != string(call.Arguments) ||
					r.Round != "r" {
					t.Errorf("%s was asked in round %q with %s", r.Plugin, r.Round, arguments)
				}
			}
			if diff := cmp.Diff(test.lost, lost); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestARoundOfTextsAndPatches: texts are changed as a whole, patches key by key.
func TestARoundOfTextsAndPatches(t *testing.T) {
	var l log
	points := []hookpoints.Name{preMessage, hookpoints.PreAPIRequest.Name}
	answers := func(name, prompt, patch string) plugin.Plugin {
		return plugin.Plugin{Name: name, Hooks: points, Handler: plugin.HandlerFunc(
			func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
				if ev.Point == preMessage {
					return plugin.Answer{Body: json.RawMessage(prompt)}, nil
				}
				return plugin.Answer{Body: json.RawMessage(patch)}, nil
			})}
	}
	h := l.host(round("r",
		answers("a", `{"prompt":"one"}`, `{"request_body":{"temperature":0,"stop":null,"reasoning":null}}`),
		answers("b", `{"prompt":"two"}`, `{"request_body":{"stop":["x"],"n":2,"reasoning":{"effort":"low"}}}`),
		answers("c", `{"prompt":"hello"}`, `{"request_body":{"temperature":1,"top_p":null}}`),
	)...)
	prompt := fire(t, h, hookpoints.PreMessage, hookpoints.PreMessagePayload{Prompt: "hello"})
	if prompt.Prompt == nil || *prompt.Prompt != "two" {
		t.Errorf("pre_message: %s", asJSON(t, prompt))
	}
	body := json.RawMessage(`{"temperature":1,"stop":["x"],"reasoning":{"effort":"high","max_tokens":9}}`)
	got := asJSON(t, fire(t, h, hookpoints.PreAPIRequest, hookpoints.PreAPIRequestPayload{RequestBody: body}))
	if want := `{"request_body":{"temperature":0,"reasoning":{"effort":"low"},"n":2}}`; got != want {
		t.Errorf("pre_api_request: %s, want %s", got, want)
	}
	want := []merge.Conflict{{Path: "/prompt", Winner: "b", Loser: "a"},
		{Path: "/request_body/reasoning", Winner: "b", Loser: "a"}}
	if diff := cmp.Diff(want, append(l.records[0].Lost, l.records[3].Lost...)); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
}

// TestRoundsFollowEachOther: the next round, and what is asked alone, receives what the
// round before it left. After a block nobody is asked any more, except in its round.
func TestRoundsFollowEachOther(t *testing.T) {
	adds := func(name string) plugin.Plugin {
		return plugin.Plugin{Name: name, Hooks: []hookpoints.Name{preTool}, Handler: plugin.HandlerFunc(
			func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
				arguments, err := merge.Set(merge.At(ev.Payload, "/arguments"), name, json.RawMessage(`1`))
				return plugin.Answer{Body: json.RawMessage(`{"arguments":` + string(arguments) + `}`)}, err
			})}
	}
	var plugins []plugin.Plugin
	plugins = append(plugins, adds("alone"), pure(adds("early")), pure(says("earlier", ``, preTool)))
	plugins = append(plugins, round("r", adds("a"), pure(adds("b")), adds("c"))...)
	plugins = append(plugins, pure(adds("between")), pure(says("after", ``, preTool)))
	plugins = append(plugins, round("s", adds("d"), adds("e"))...)
	plugins = append(plugins, round("r", adds("f"))...)
	plugins = append(plugins, guards(says("guard", ``, preTool)))
	for _, test := range []struct {
		name     string
		blocks   int // the index of the plugin that blocks, -1 for none
		received map[string]string
	}{
		{"nobody blocks", -1, map[string]string{
			"alone": `{}`, "early": `{"alone":1}`, "earlier": `{"alone":1,"early":1}`,
			"a": `{"alone":1,"early":1}`, "b": `{"alone":1,"early":1}`, "c": `{"alone":1,"early":1}`,
			"between": `{"alone":1,"early":1,"a":1,"b":1,"c":1}`,
			"after":   `{"alone":1,"early":1,"a":1,"b":1,"c":1,"between":1}`,
			"d":       `{"alone":1,"early":1,"a":1,"b":1,"c":1,"between":1}`,
			"e":       `{"alone":1,"early":1,"a":1,"b":1,"c":1,"between":1}`,
			"f":       `{"alone":1,"early":1,"a":1,"b":1,"c":1,"between":1,"d":1,"e":1}`,
			"guard":   `{"alone":1,"early":1,"a":1,"b":1,"c":1,"between":1,"d":1,"e":1,"f":1}`,
		}},
		{"the first of a round blocks", 3, map[string]string{
			"alone": `{}`, "early": `{"alone":1}`, "earlier": `{"alone":1,"early":1}`,
			"a": `{"alone":1,"early":1}`, "b": `{"alone":1,"early":1}`, "c": `{"alone":1,"early":1}`,
			"between": ``, "after": ``, "d": ``, "e": ``, "f": ``, "guard": ``,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			h := l.host(append([]plugin.Plugin(nil), plugins...)...)
			if test.blocks >= 0 {
				h.Plugins[test.blocks].Handler = says("", `{"block":true,"message":"no"}`).Handler
			}
			fire(t, h, hookpoints.PreTool, hookpoints.PreToolPayload{Arguments: json.RawMessage(`{}`)})
			received := map[string]string{}
			for _, r := range l.records {
				received[r.Plugin] = string(merge.At(r.Payload, "/arguments"))
				if r.Result == plugin.Skipped && r.Why != `plugin "a" blocked` {
					t.Errorf("%s: skipped, as %s", r.Plugin, r.Why)
				}
			}
			if diff := cmp.Diff(test.received, received); diff != "" {
				t.Errorf("received (-want +got):\n%s", diff)
			}
		})
	}
}

// TestARoundDoesNotDependOnWhoIsFaster: answers arrive in every order, and mean the same.
func TestARoundDoesNotDependOnWhoIsFaster(t *testing.T) {
	const plugins, runs = 8, 100
	random := rand.New(rand.NewPCG(18, 18))
	var first outcome
	for run := range runs {
		begun := make(chan int, plugins)
		gates := make([]chan struct{}, plugins)
		var members []plugin.Plugin
		for i := range plugins {
			gates[i] = make(chan struct{})
			answer := fmt.Sprintf(`{"arguments":{"command":"by %d","dir":"/","own%d":%d}}`, i, i, i)
			members = append(members, plugin.Plugin{Name: fmt.Sprint("p", i), Hooks: []hookpoints.Name{preTool},
				Handler: plugin.HandlerFunc(func(context.Context, plugin.Event) (plugin.Answer, error) {
					begun <- i
					<-gates[i]
					return plugin.Answer{Body: json.RawMessage(answer)}, nil
				})})
		}
		go func() {
			for range plugins { // all of them are asked before the first one answers
				<-begun
			}
			for _, i := range random.Perm(plugins) {
				close(gates[i])
			}
		}()
		var got outcome
		h := &plugin.Host{Plugins: round("r", members...), Parallel: plugins,
			Trace: func(r plugin.Record) { got.Records = append(got.Records, r) }}
		got.Answers = []string{asJSON(t, fire(t, h, hookpoints.PreTool, call))}
		if run == 0 {
			first = got
		}
		if diff := cmp.Diff(first, got, cmpopts.IgnoreFields(plugin.Record{}, "Time", "DurationMS")); diff != "" {
			t.Fatalf("run %d (-first +this):\n%s", run, diff)
		}
	}
	want := `{"arguments":{"command":"by 7","dir":"/","own0":0,"own1":1,"own2":2,` +
		`"own3":3,"own4":4,"own5":5,"own6":6,"own7":7}}`
	if first.Answers[0] != want {
		t.Errorf("answer %s, want %s", first.Answers[0], want)
	}
}

// TestHowLongARoundTakes: as long as the slowest of it, bounded by Parallel; a block does not
// end the others.
func TestHowLongARoundTakes(t *testing.T) {
	members := func(n int) (plugins []plugin.Plugin) {
		for i := range n {
			answer := `{}`
			if i == 0 {
				answer = `{"block":true}`
			}
			plugins = append(plugins, slow(says(fmt.Sprint("p", i), answer, preTool), time.Duration(i+1)*time.Second))
		}
		return round("r", plugins...)
	}
	for _, test := range []struct {
		parallel int
		want     time.Duration
	}{{4, 4 * time.Second}, {2, 6 * time.Second}, {1, 10 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			fire(t, &plugin.Host{Plugins: members(4), Parallel: test.parallel}, hookpoints.PreTool, call)
			if took := time.Since(begin); took != test.want {
				t.Errorf("with %d at once it took %s, want %s", test.parallel, took, test.want)
			}
		})
	}
}

// TestCtrlCEndsARound: all that were asked are recorded.
func TestCtrlCEndsARound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		var l log
		members := round("r", slow(says("a", `{"block":true}`, preTool), time.Second),
			slow(says("b", `{}`, preTool), time.Hour), slow(says("c", `{}`, preTool), time.Hour))
		h := l.host(append(members, says("d", ``, preTool))...)
		if _, err := plugin.Fire(ctx, h, hookpoints.PreTool, call); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
		if diff := cmp.Diff([]string{"a: no opinion", "b: failed", "c: failed"}, l.results()); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	})
}

// TestAClaimKnowsNoRounds: there the first that claims spares the others.
func TestAClaimKnowsNoRounds(t *testing.T) {
	var l log
	point := hookpoints.PreSendMessage
	fire(t, l.host(round("r", says("a", `{"delivered":true,"via":"mail"}`, point.Name), says("b", ``, point.Name))...),
		point, hookpoints.PreSendMessagePayload{})
	if diff := cmp.Diff([]string{"a: claimed", "b: skipped"}, l.results()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if why := l.records[1].Why; why != `plugin "a" claimed it` {
		t.Errorf("why = %q", why)
	}
}
