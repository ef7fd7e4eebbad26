package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// pure makes a plugin pure.
func pure(p plugin.Plugin) plugin.Plugin {
	p.Pure = true
	return p
}

// slow makes a plugin answer after a time.
func slow(p plugin.Plugin, takes time.Duration) plugin.Plugin {
	handler := p.Handler
	p.Handler = plugin.HandlerFunc(func(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
		select {
		case <-time.After(takes):
			return handler.Handle(ctx, ev)
		case <-ctx.Done():
			return plugin.Answer{}, ctx.Err()
		}
	})
	return p
}

// TestHowLongAPureChainTakes: neighbouring pure plugins take as long as the slowest of
// them. One that changes the payload costs one round more, once.
func TestHowLongAPureChainTakes(t *testing.T) {
	silent := func(name string) plugin.Plugin { return slow(says(name, `{}`, preTool), time.Second) }
	changes := slow(says("changes", `{"arguments":{"x":1}}`, preTool), time.Second)
	blocks := slow(says("blocks", `{"block":true}`, preTool), time.Second)
	hangs := slow(says("hangs", `{}`, preTool), time.Hour)
	for _, test := range []struct {
		name    string
		plugins []plugin.Plugin
		want    []time.Duration // of each dispatch
	}{
		{"all pure", []plugin.Plugin{pure(silent("a")), pure(silent("b")), pure(silent("c"))},
			[]time.Duration{time.Second}},
		{"none pure", []plugin.Plugin{silent("a"), silent("b"), silent("c")}, []time.Duration{3 * time.Second}},
		{"one not pure", []plugin.Plugin{pure(silent("a")), pure(silent("b")), silent("c"), pure(silent("d")),
			pure(silent("e"))}, []time.Duration{3 * time.Second}},
		{"one that changes", []plugin.Plugin{pure(changes), pure(silent("b")), pure(silent("c"))},
			[]time.Duration{2 * time.Second, 2 * time.Second}},
		{"one that changes, in the middle", []plugin.Plugin{pure(silent("a")), pure(silent("b")), pure(changes),
			pure(silent("d")), pure(silent("e"))}, []time.Duration{2 * time.Second, 3 * time.Second, 3 * time.Second}},
		{"one that blocks does not wait for the next", []plugin.Plugin{pure(blocks), pure(hangs)},
			[]time.Duration{time.Second, time.Second}},
		{"one that changes neither", []plugin.Plugin{pure(changes), pure(silent("b")), pure(blocks), pure(hangs)},
			[]time.Duration{2 * time.Second, 2 * time.Second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &plugin.Host{Plugins: test.plugins}
				for i, want := range test.want {
					begin := time.Now()
					fire(t, h, hookpoints.PreTool, call)
					if took := time.Since(begin); took != want {
						t.Errorf("dispatch %d took %s, want %s", i+1, took, want)
					}
				}
			})
		})
	}
}

// TestWhatWasDiscardedIsRecorded: beside what the call at the plugin's turn gave.
func TestWhatWasDiscardedIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := pure(slow(says("changes", `{"arguments":{"x":1}}`, preTool), 20*time.Millisecond))
		fails := pure(fails("fails", "", preTool))
		blocks := pure(slow(says("blocks", `{"block":true,"message":"no"}`, preTool), 10*time.Millisecond))
		late := pure(slow(says("late", `{}`, preTool), time.Minute))
		var l log
		fire(t, l.host(changes, fails, blocks, late), hookpoints.PreTool, call)
		want := []plugin.Record{
			{Plugin: "changes", Result: plugin.Changed, DurationMS: 20},
			{Plugin: "fails", Result: plugin.Failed, Why: "exit status 3", Discarded: []plugin.DiscardedCall{
				{Why: `plugin "changes" changed the payload`, Failure: "exit status 3"}}},
			{Plugin: "blocks", Result: plugin.Blocked, Why: "no", DurationMS: 10, Discarded: []plugin.DiscardedCall{
				{DurationMS: 10, Why: `plugin "changes" changed the payload`}}},
			{Plugin: "late", Result: plugin.Skipped, Why: `plugin "blocks" blocked`, Discarded: []plugin.DiscardedCall{
				{DurationMS: 20, Why: `plugin "changes" changed the payload`, Failure: "context canceled"},
				{DurationMS: 10, Why: `plugin "blocks" blocked`, Failure: "context canceled"}}},
		}
		compared := []string{"", "Plugin", "Result", "Why", "DurationMS", "Discarded", "Failure"}
		others := func(p cmp.Path) bool { return !slices.Contains(compared, field(p)) }
		if diff := cmp.Diff(want, l.records, cmp.FilterPath(others, cmp.Ignore())); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
		failed := []string{`plugin "fails" at pre_tool: exit status 3; went on without it`}
		if diff := cmp.Diff(failed, l.notices); diff != "" {
			t.Errorf("notices (-want +got):\n%s", diff)
		}
	})
}

// field is the name of the field of a struct at the end of a path, "" for any other end.
func field(p cmp.Path) string {
	if last, ok := p.Last().(cmp.StructField); ok {
		return last.Name()
	}
	return ""
}

// TestCtrlCEndsAPureChain: what was called before its turn is recorded too.
func TestCtrlCEndsAPureChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var l log
		h := l.host(pure(slow(says("a", `{}`, preTool), time.Hour)), pure(slow(says("b", `{}`, preTool), time.Hour)))
		if _, err := plugin.Fire(ctx, h, hookpoints.PreTool, call); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
		if diff := cmp.Diff([]string{"a: failed", "b: skipped"}, l.results()); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
		if r := l.records[1]; r.Why != "the run was interrupted" || len(r.Discarded) != 1 {
			t.Errorf("record %+v", r)
		}
	})
}

// TestAPureChainMeansWhatTheChainMeans compares, for many chains of handlers that do
// whatever they like, a host that calls pure plugins before their turn with one that does
// not know that they are pure.
func TestAPureChainMeansWhatTheChainMeans(t *testing.T) {
	const cases = 700
	early := 0
	sameText := cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	ignored := cmpopts.IgnoreFields(plugin.Record{}, "Time", "DurationMS", "Discarded")
	for seed := range uint64(cases) {
		c := chance{rand.New(rand.NewPCG(seed, 15))}
		one, other := c.plugins(seed), []plugin.Plugin(nil)
		for _, p := range one {
			p.Pure = false
			other = append(other, p)
		}
		options := c.options()
		got, want := c.run(t.Context(), one, options), c.run(t.Context(), other, options)
		for _, r := range got.Records {
			early += len(r.Discarded)
		}
		if diff := cmp.Diff(want, got, sameText, ignored); diff != "" {
			t.Fatalf("case %d (-one by one +before their turn):\n%s", seed, diff)
		}
	}
	if early < cases/20 {
		t.Errorf("only %d calls were discarded", early)
	}
}

// chance makes random chains.
type chance struct{ *rand.Rand }

// oneIn reports true once in n times.
func (c chance) oneIn(n int) bool { return c.IntN(n) == 0 }

// dispatchOptions is what the dispatches of a case have in common.
type dispatchOptions struct {
	room     int64
	parallel int
	points   []hookpoints.Info
}

func (c chance) options() dispatchOptions {
	o := dispatchOptions{room: []int64{0, 1, 30_000, 200_000}[c.IntN(4)], parallel: 1 + c.IntN(8)}
	chains := slices.DeleteFunc(hookpoints.All(), func(i hookpoints.Info) bool {
		return i.Mode != hookpoints.Chain && i.Mode != hookpoints.Claim
	})
	for range 1 + c.IntN(4) {
		o.points = append(o.points, chains[c.IntN(len(chains))])
	}
	return o
}

// plugins makes up to nine plugins that are asked at all chain and claim points.
func (c chance) plugins(seed uint64) (list []plugin.Plugin) {
	for i := range 1 + c.IntN(9) {
		p := plugin.Plugin{Name: fmt.Sprintf("p%d", i), Pure: !c.oneIn(4)}
		for _, info := range hookpoints.All() {
			p.Hooks = append(p.Hooks, info.Name)
			if info.Mode == hookpoints.Chain && c.oneIn(8) {
				p.Guards = append(p.Guards, info.Name)
			}
		}
		if c.oneIn(4) {
			p.OnFailure = plugin.Block
		}
		if c.oneIn(5) {
			p.Sequence = "s"
		}
		p.Handler = whim{seed: seed, name: p.Name, calm: c.IntN(4), interrupts: !p.Pure && c.oneIn(10)}
		list = append(list, p)
	}
	return list
}

// whim is a handler whose answer depends on nothing but the event.
type whim struct {
	seed       uint64
	name       string
	calm       int // how rarely it has an opinion
	interrupts bool
}

// interrupt ends the run of a test.
type interrupt struct{}

func (w whim) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	sum := fnv.New64a()
	fmt.Fprint(sum, w.seed, w.name, ev.Point, string(ev.Payload))
	c := chance{rand.New(rand.NewPCG(sum.Sum64(), 1))}
	if c.oneIn(20) {
		time.Sleep(time.Duration(c.IntN(300)) * time.Microsecond) // others overtake it
	}
	if !c.oneIn(1 + w.calm) {
		return plugin.Answer{}, nil
	}
	if end, ok := ctx.Value(interrupt{}).(context.CancelFunc); ok && w.interrupts && c.oneIn(3) {
		end()
	}
	answer := plugin.Answer{Body: json.RawMessage(w.body(c, ev)), Unread: c.oneIn(15), Asked: c.oneIn(15)}
	if c.oneIn(8) {
		answer.Notes = []string{"it has a note"}
	}
	if c.oneIn(8) {
		answer.Doubt = "it doubts"
	}
	switch c.IntN(14) {
	case 0:
		return answer, errors.New("it failed")
	case 1:
		panic("it fell")
	case 2:
		answer.Body, answer.Unreadable = nil, "its answer is in verse"
	case 3:
		answer.Skipped = "it slept"
	case 4, 5, 6: // what it reads in pieces is larger than its answer
		for range c.IntN(20) {
			if err := ev.Admit(10_000); err != nil {
				return plugin.Answer{}, err
			}
		}
	}
	return answer, nil
}

// body is an answer with some fields of any point, some of them of other points.
func (w whim) body(c chance, ev plugin.Event) string {
	if c.oneIn(10) {
		return []string{``, `{}`, `[]`, `{"no_field":1}`, `{"block":"yes"}`, `{"arguments":7}`, `not JSON`}[c.IntN(7)]
	}
	fields := map[string]string{
		"block": `true`, "message": `"why"`, "arguments": fmt.Sprintf(`{"x":%d}`, c.IntN(3)), "delivered": `true`,
		"prompt": fmt.Sprintf(`"prompt %d"`, c.IntN(3)), "output": fmt.Sprintf(`"output %d"`, c.IntN(3)),
		"request_body": fmt.Sprintf(`{"temperature":%d,"messages":null}`, c.IntN(3)), "recipe": `"r"`,
		"messages": fmt.Sprintf(`[{"role":"user","content":"%d"}]`, c.IntN(3)),
	}
	if c.oneIn(10) {
		fields["prompt"] = `"` + strings.Repeat("long ", 14_000) + `"`
	}
	var body []string
	for _, info := range hookpoints.All() {
		if info.Name != ev.Point && !c.oneIn(30) {
			continue
		}
		for _, f := range info.Fields {
			if value := fields[f.Name]; value != "" && c.oneIn(2) && (f.Name != "block" || c.oneIn(4)) {
				body = append(body, fmt.Sprintf("%q:%s", f.Name, value))
			}
		}
	}
	return "{" + strings.Join(body, ",") + "}"
}

// outcome is all that a host says of its dispatches.
type outcome struct {
	Answers []string
	Records []plugin.Record
	Firings []plugin.Firing
	Notices []plugin.Notice
}

// run fires the points of a case at a host.
func (c chance) run(ctx context.Context, plugins []plugin.Plugin, o dispatchOptions) (got outcome) {
	h := &plugin.Host{
		Plugins: plugins, MaxAnswers: o.room, Parallel: o.parallel,
		Trace:  func(r plugin.Record) { got.Records = append(got.Records, r) },
		Fired:  func(f plugin.Firing) { got.Firings = append(got.Firings, f) },
		Notify: func(n plugin.Notice) { got.Notices = append(got.Notices, n) },
	}
	for _, info := range o.points {
		ctx, cancel := context.WithCancel(ctx)
		ctx = context.WithValue(ctx, interrupt{}, cancel)
		var answer any
		var err error
		if info.Name == preTool {
			answer, err = plugin.Fire(ctx, h, hookpoints.PreTool, call, plugin.Refine{Field: "arguments",
				Value: func(value json.RawMessage) (json.RawMessage, string) {
					if string(value) == `{"x":2}` {
						return json.RawMessage(`{"x":"two"}`), "two is a word"
					}
					return value, ""
				}})
		} else {
			answer, err = plugin.FireJSON(ctx, h, info, json.RawMessage(`{}`))
		}
		cancel()
		got.Answers = append(got.Answers, fmt.Sprintf("%s %v %v", info.Name, answer, err))
	}
	return got
}
