package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// journal is a plugin that notes the beginning and the end of its events, which take a
// second. It is not waited for at post_tool.
func journal(name string, notes *[]string) plugin.Plugin {
	var mu sync.Mutex
	note := func(what string, at hookpoints.Name) {
		mu.Lock()
		defer mu.Unlock()
		*notes = append(*notes, fmt.Sprintf("%s %s %s", name, what, at))
	}
	return plugin.Plugin{Name: name, Hooks: []hookpoints.Name{postTool, preTool, hookpoints.OnEnd.Name},
		Async: []hookpoints.Name{postTool},
		Handler: plugin.HandlerFunc(func(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
			note("begins", ev.Point)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return plugin.Answer{}, ctx.Err()
			}
			note("ends", ev.Point)
			return plugin.Answer{}, nil
		})}
}

// took returns how long something takes.
func took(do func()) time.Duration {
	begin := time.Now()
	do()
	return time.Since(begin)
}

// TestNobodyWaitsForAnAsyncObserver, but its own next event and the end of the run do. It is
// recorded with the time of its event, in a dispatch of its own.
func TestNobodyWaitsForAnAsyncObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notes []string
		var l log
		h := l.host(journal("logger", &notes), slow(says("other", `{}`, postTool), time.Millisecond))
		begin := time.Now()
		tool := func() { fire(t, h, hookpoints.PostTool, hookpoints.PostToolPayload{}) }
		if d := took(func() { tool(); tool() }); d != 2*time.Millisecond {
			t.Errorf("two events took %s", d)
		}
		if d := took(func() { fire(t, h, hookpoints.PreTool, call) }); d != 3*time.Second-2*time.Millisecond {
			t.Errorf("the next event that is waited for took %s", d)
		}
		if d := took(func() { tool(); h.Join(t.Context()) }); d != time.Second {
			t.Errorf("joining took %s", d)
		}
		h.Join(t.Context())
		var want []string
		for _, point := range []string{"post_tool", "post_tool", "pre_tool", "post_tool"} {
			want = append(want, "logger begins "+point, "logger ends "+point)
		}
		if diff := cmp.Diff(want, notes); diff != "" {
			t.Errorf("the order of events (-want +got):\n%s", diff)
		}
		var records []string
		for _, r := range l.records {
			records = append(records, fmt.Sprintf("%s %s at %s for %.0f ms, async: %v", r.Plugin, r.Point, r.Time.Sub(begin),
				r.DurationMS, r.Async))
		}
		want = []string{
			"other post_tool at 0s for 1 ms, async: false",
			"other post_tool at 1ms for 1 ms, async: false",
			"logger post_tool at 0s for 1000 ms, async: true",
			"logger post_tool at 1ms for 1000 ms, async: true",
			"logger pre_tool at 2s for 1000 ms, async: false",
			"other post_tool at 3s for 1 ms, async: false",
			"logger post_tool at 3s for 1000 ms, async: true",
		}
		if diff := cmp.Diff(want, records); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
		dispatches := map[int64]bool{}
		for _, r := range l.records {
			dispatches[r.Dispatch] = true
		}
		if len(dispatches) != len(l.records) {
			t.Errorf("%d dispatches for %d records", len(dispatches), len(l.records))
		}
	})
}

func TestAsyncObserversRunAtOnceUpToTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &plugin.Host{Parallel: 2}
		for i := range 5 {
			h.Plugins = append(h.Plugins, journal(fmt.Sprint(i), new([]string)))
		}
		fire(t, h, hookpoints.PostTool, hookpoints.PostToolPayload{})
		if d := took(func() { h.Join(t.Context()) }); d != 3*time.Second {
			t.Errorf("five events, two at once, took %s", d)
		}
	})
}

// TestTooManyAsyncEventsAreWaitedFor: memory is bounded.
func TestTooManyAsyncEventsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notes []string
		h := &plugin.Host{Plugins: []plugin.Plugin{journal("logger", &notes)}}
		d := took(func() {
			for range plugin.MaxAsync + 2 {
				fire(t, h, hookpoints.PostTool, hookpoints.PostToolPayload{})
			}
		})
		if d != 2*time.Second {
			t.Errorf("two events too many took %s", d)
		}
		h.Join(t.Context())
	})
}

// TestCtrlCEndsTheWaitForTooManyAsyncEvents: only the events themselves go on.
func TestCtrlCEndsTheWaitForTooManyAsyncEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notes []string
		h := &plugin.Host{Plugins: []plugin.Plugin{journal("logger", &notes)}}
		for range plugin.MaxAsync {
			fire(t, h, hookpoints.PostTool, hookpoints.PostToolPayload{})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		d := took(func() { plugin.Fire(ctx, h, hookpoints.PostTool, hookpoints.PostToolPayload{}) })
		if d != 300*time.Millisecond {
			t.Errorf("an interrupted event took %s", d)
		}
		h.Join(t.Context())
		if len(notes) != 2*(plugin.MaxAsync+1) {
			t.Errorf("%d notes: %q", len(notes), notes)
		}
	})
}

// TestFailuresNobodyWaitedForAreReported: the same as others, at the next event.
func TestFailuresNobodyWaitedForAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := fails("broken", "", postTool)
		broken.Async = broken.Hooks
		meddles := says("meddles", `{"output":"mine"}`, postTool)
		meddles.Async = meddles.Hooks
		var l log
		h := l.host(broken, meddles, says("a", `{}`, preTool))
		fire(t, h, hookpoints.PostTool, hookpoints.PostToolPayload{})
		synctest.Wait()
		if len(l.records)+len(l.notices) > 0 {
			t.Errorf("reported at once: %+v %q", l.records, l.notices)
		}
		fire(t, h, hookpoints.PreTool, call)
		if diff := cmp.Diff([]string{"broken: failed", "meddles: ignored", "a: no opinion"}, l.results()); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
		if len(l.notices) != 2 || l.notices[0] != `plugin "broken" at post_tool: exit status 3; went on without it` {
			t.Errorf("notices %q", l.notices)
		}
	})
}

// TestJoinEndsWhatTakesTooLong: after 30 seconds, or 5 seconds after Ctrl-C; events that have
// not begun by then too. Each is reported.
func TestJoinEndsWhatTakesTooLong(t *testing.T) {
	for _, test := range []struct {
		name        string
		interrupted time.Duration // 0: not
		want        time.Duration
		why         string
	}{
		{"at the end of the run", 0, 30 * time.Second, "it had not finished 30s after the end of the run, and was ended"},
		{"after Ctrl-C", time.Nanosecond, 5*time.Second + time.Nanosecond,
			"it had not finished 5s after the run was interrupted, and was ended"},
		{"after Ctrl-C while it is waited for", 10 * time.Second, 15 * time.Second,
			"it had not finished 5s after the run was interrupted, and was ended"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.interrupted > 0 {
					time.AfterFunc(test.interrupted, cancel)
				}
				hangs := slow(says("hangs", `{}`, postTool), time.Hour)
				hangs.Async = hangs.Hooks
				var notes []string
				var l log
				h := l.host(hangs, journal("logger", &notes))
				for range 2 {
					if _, err := plugin.Fire(ctx, h, hookpoints.PostTool, hookpoints.PostToolPayload{}); err != nil {
						t.Fatal(err)
					}
				}
				if d := took(func() { h.Join(ctx) }); d != test.want {
					t.Errorf("joining took %s, want %s", d, test.want)
				}
				slices.Sort(l.notices)
				notice := `plugin "hangs" at post_tool: ` + test.why
				if diff := cmp.Diff([]string{notice, notice}, l.notices); diff != "" {
					t.Errorf("notices (-want +got):\n%s", diff)
				}
				if len(l.records) != 4 || l.records[0].Result != plugin.Failed || l.records[0].Why != test.why {
					t.Errorf("records %+v", l.records)
				}
			})
		})
	}
}

// TestCtrlCDoesNotEndAnAsyncObserver: it has 5 seconds, and a logger needs one.
func TestCtrlCDoesNotEndAnAsyncObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var notes []string
		h := &plugin.Host{Plugins: []plugin.Plugin{journal("logger", &notes)}}
		if _, err := plugin.Fire(ctx, h, hookpoints.PostTool, hookpoints.PostToolPayload{}); err != nil {
			t.Fatal(err)
		}
		cancel()
		if d := took(func() { h.Join(ctx) }); d != time.Second {
			t.Errorf("joining took %s", d)
		}
		if strings.Join(notes, ", ") != "logger begins post_tool, logger ends post_tool" {
			t.Errorf("notes %q", notes)
		}
	})
}

// TestWhoIsWaitedForAllTheSame: a host that says so, and at on_start a plugin whose failure
// ends the run.
func TestWhoIsWaitedForAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notes []string
		h := &plugin.Host{Wait: true, Plugins: []plugin.Plugin{journal("logger", &notes)}}
		if d := took(func() { fire(t, h, hookpoints.PostTool, hookpoints.PostToolPayload{}) }); d != time.Second {
			t.Errorf("a host that waits took %s", d)
		}
		p := fails("strict", "", hookpoints.OnStart.Name)
		p.Async, p.OnFailureAt = p.Hooks, map[hookpoints.Name]plugin.Failure{hookpoints.OnStart.Name: plugin.Block}
		_, err := plugin.Fire(t.Context(), &plugin.Host{Plugins: []plugin.Plugin{p}}, hookpoints.OnStart,
			hookpoints.OnStartPayload{})
		var stopped *plugin.StartError
		if !errors.As(err, &stopped) {
			t.Errorf("on_start: %v", err)
		}
	})
}
