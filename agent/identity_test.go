package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// toldWho is a plugin that keeps what it is told at all points.
type toldWho struct {
	points []hookpoints.Name
	ids    []plugin.Identity
}

func identifies(h *harness, only ...hookpoints.Name) *toldWho {
	seen := &toldWho{}
	handlers := plugin.Handlers{}
	for _, point := range hookpoints.All() {
		if len(only) > 0 && !slices.Contains(only, point.Name) {
			continue
		}
		handlers[point.Name] = plugin.HandlerFunc(func(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			seen.points, seen.ids = append(seen.points, ev.Point), append(seen.ids, ev.Identity())
			if got := plugin.IdentityOf(ctx); got != ev.Identity() {
				h.t.Errorf("at %s the context has %+v, the event %+v", ev.Point, got, ev.Identity())
			}
			return plugin.Answer{}, nil
		})
	}
	h.plug("toldWho", handlers)
	return seen
}

// take returns what the plugin was told since the last time, each that differs from the one
// before it. Its ids are numbers here: the first one is s1 or p1.
func (seen *toldWho) take(known map[string]string) (list []string) {
	number := func(kind, id string) string {
		if id == "" {
			return "-"
		}
		for n := 1; known[id] == ""; n++ {
			name := kind + string(rune('0'+n))
			if !slices.Contains(values(known), name) {
				known[id] = name
			}
		}
		return known[id]
	}
	for _, id := range seen.ids {
		list = append(list, strings.Join([]string{number("s", id.Session), number("p", id.Prompt), string(id.Source)}, " "))
	}
	seen.ids, seen.points = nil, nil
	return slices.Compact(list)
}

func values(m map[string]string) (list []string) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// TestPluginsAreToldWhichConversationItIs through the life of a conversation.
func TestPluginsAreToldWhichConversationItIs(t *testing.T) {
	h := newHarness(t, calls("echo", `{}`), says("one"), says("two"), says("summary"), says("three"), says("four"),
		says("five"))
	seen := identifies(h)
	known := map[string]string{}
	step := func(name string, do func() error, want ...string) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, seen.take(known)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	ctx := t.Context()
	prompt := func() error { _, err := h.Prompt(ctx, "go"); return err }
	step("on_start", func() error { return h.Start(ctx) }, "s1 - startup")
	step("the first prompt", prompt, "s1 p1 startup")
	step("the second", prompt, "s1 p2 startup")
	step("a compaction", func() error { _, err := h.Compact(ctx); return err }, "s1 - startup", "s1 - compact")
	step("a prompt after it", prompt, "s1 p3 compact")
	step("clearing", func() error { return h.Clear(ctx) }, "s1 - compact", "s2 - clear")
	step("a prompt after it", prompt, "s2 p4 clear")
	step("the end", func() error { return h.End(ctx, nil) }, "s2 - clear")
	// Another run goes on with the conversation, without on_start.
	h.session = session{}
	step("another run", prompt, "s2 p5 resume")
}

// TestHowAConversationBeganIsKnownLate: a plugin that is asked in the midst of a turn only is
// told that the conversation was empty before it.
func TestHowAConversationBeganIsKnownLate(t *testing.T) {
	for _, test := range []struct {
		name   string
		before func(h *harness)
		want   plugin.Source
	}{
		{"empty", func(*harness) {}, plugin.SourceStartup},
		{"going on", func(h *harness) { h.store(contexts.UserMessage("ann", "work", "hello")) }, plugin.SourceResume},
		{"archived", func(h *harness) {
			h.store(contexts.UserMessage("ann", "work", "hello"))
			if err := h.Context.Archive(); err != nil {
				t.Fatal(err)
			}
		}, plugin.SourceClear},
	} {
		h := newHarness(t, calls("echo", `{}`), says("done"))
		test.before(h)
		seen := identifies(h, hookpoints.PreTool.Name)
		h.prompt("go")
		if len(seen.ids) != 1 || seen.ids[0].Source != test.want {
			t.Errorf("%s: %+v, want %s", test.name, seen.ids, test.want)
		}
	}
}

// TestARollingCompactionIsToldInTheSameTurn: what follows it is after a compaction.
func TestARollingCompactionIsToldInTheSameTurn(t *testing.T) {
	h := crowded(t, chooseAll, says("summary"), says("done"))
	seen := identifies(h, hookpoints.PreMessage.Name, hookpoints.PreSystemPrompt.Name)
	h.prompt("question 6")
	if diff := cmp.Diff([]string{"s1 p1 resume", "s1 p1 compact"}, seen.take(map[string]string{})); diff != "" {
		t.Errorf("identities (-want +got):\n%s", diff)
	}
}

// TestASubAgentBelongsToTheConversation and to the prompt that it works for.
func TestASubAgentBelongsToTheConversation(t *testing.T) {
	h := withAgents(t, spawns(`{"task":"look"}`), calls("echo", "{}"), says("seen"), says("done"))
	seen := identifies(h)
	h.prompt("go")
	others := func(p hookpoints.Name) bool { return p != "pre_tool" }
	if got := slices.DeleteFunc(slices.Clone(seen.points), others); len(got) != 2 {
		t.Errorf("pre_tool was asked %d times", len(got))
	}
	if diff := cmp.Diff([]string{"s1 p1 startup"}, seen.take(map[string]string{})); diff != "" {
		t.Errorf("identities (-want +got):\n%s", diff)
	}
}

// TestWhatElsePluginsAreTold: the model, how much it reasons, and whether anybody is asked.
func TestWhatElsePluginsAreTold(t *testing.T) {
	for _, test := range []struct {
		options []llm.Option
		trust   bool
		want    plugin.Identity
	}{
		{nil, false, plugin.Identity{Model: "m"}},
		{[]llm.Option{{Name: "reasoning", Value: json.RawMessage(`{"effort":"high"}`)}}, true,
			plugin.Identity{Model: "m", Effort: "high", Trusted: true}},
	} {
		h := newHarness(t, says("done"))
		h.Settings.Options, h.Settings.TrustTools = test.options, test.trust
		seen := identifies(h, hookpoints.PostMessage.Name)
		h.prompt("go")
		got := seen.ids[0]
		got.Session, got.Prompt, got.Source = "", "", ""
		if got != test.want {
			t.Errorf("%+v, want %+v", got, test.want)
		}
	}
}

// TestNobodyAsksNothingIsRead: without a plugin that is asked, the context is not asked
// which conversation it has.
func TestNobodyAsksNothingIsRead(t *testing.T) {
	h := newHarness(t, says("done"))
	counted := &countsSessions{Context: h.Context}
	h.Agent.Context = counted
	h.prompt("go")
	if counted.sessions != 0 {
		t.Errorf("a plugin that does not want to know made it be read %d times", counted.sessions)
	}
	identifies(h)
	h.model.replies = append(h.model.replies, says("done"))
	h.prompt("go")
	if counted.sessions != 1 {
		t.Errorf("it was read %d times in a turn", counted.sessions)
	}
}

type countsSessions struct {
	Context
	sessions int
}

func (c *countsSessions) Session(ctx context.Context) (contexts.Session, error) {
	c.sessions++
	return c.Context.Session(ctx)
}
