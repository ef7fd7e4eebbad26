package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// secrets are what plugins take out of each text: where it is, and what.
var secrets = map[hookpoints.Name]string{
	hookpoints.PreMessage.Name:    "prompt-hunter1",
	hookpoints.PreTool.Name:       `argument "hunter2" & <b>`,
	hookpoints.PreToolOutput.Name: "output\thünter3 ☃",
	hookpoints.PreAPIRequest.Name: "body_hunter4",
	hookpoints.PostTurn.Name:      "turn hunter5",
	hookpoints.PreStop.Name:       "stop hunter6",
}

// model calls the tool once, and then answers.
type model struct{ calls int }

func (m *model) Stream(context.Context, json.RawMessage, func(string)) (llm.Reply, error) {
	if m.calls++; m.calls > 1 {
		return llm.Reply{Text: "done: " + secrets[hookpoints.PostTurn.Name] + ", " +
			secrets[hookpoints.PreStop.Name] + "."}, nil
	}
	args, _ := json.Marshal(map[string]string{"command": "echo " + secrets[hookpoints.PreTool.Name]})
	escaped := strings.ReplaceAll(string(args), "hunter2", `\u0068unter2`) // as a model may write it
	return llm.Reply{ToolCalls: []llm.ToolCall{{ID: "c1", Name: "run", Arguments: escaped}}}, nil
}

// run is a tool.
type run struct{ look func(where string) }

func (run) Spec() tools.Spec { return tools.Spec{Name: "run"} }
func (r run) Call(context.Context, tools.Call) (tools.Result, error) {
	r.look("while the tool runs")
	return tools.Result{Text: "it said " + secrets[hookpoints.PreToolOutput.Name] + " and so on"}, nil
}

// everywhere lists the points that plugins of these tests are asked at.
func everywhere() []hookpoints.Name {
	var all []hookpoints.Name
	for _, info := range hookpoints.All() {
		all = append(all, info.Name)
	}
	return all
}

// gossip is a plugin that fails and repeats what it saw.
func gossip(name string) plugin.Plugin {
	return plugin.Plugin{Name: name, Hooks: everywhere(),
		Handler: plugin.HandlerFunc(func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
			if ev.Point == hookpoints.PostTurn.Name {
				return plugin.Answer{Notes: []string{"seen: " + string(ev.Payload)}}, nil
			}
			cut := strings.Index(string(ev.Payload), "hunter") // in the middle of some word
			return plugin.Answer{}, fmt.Errorf("I saw %q, %s and %.60q and %s...", string(ev.Payload), ev.Payload, ev.Payload,
				ev.Payload[:max(0, cut+5)])
		})}
}

// cutter is a plugin that takes the point's secret out.
func cutter() plugin.Plugin {
	return plugin.Plugin{Name: "cutter", Hooks: everywhere(),
		Handler: plugin.HandlerFunc(func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
			quoted, _ := plugin.JSON(secrets[ev.Point])
			word := strings.Trim(string(quoted), `"`)
			var fields map[string]json.RawMessage
			if err := json.Unmarshal([]byte(strings.ReplaceAll(string(ev.Payload), word, "***")), &fields); err != nil {
				return plugin.Answer{}, err
			}
			answer := map[string]any{}
			switch ev.Point {
			case hookpoints.PreMessage.Name:
				answer["prompt"] = fields["prompt"]
			case hookpoints.PreTool.Name:
				answer["arguments"] = fields["arguments"]
			case hookpoints.PreToolOutput.Name:
				answer["output"] = fields["output"]
			case hookpoints.PreAPIRequest.Name:
				var body map[string]json.RawMessage
				if err := json.Unmarshal(fields["request_body"], &body); err != nil {
					return plugin.Answer{}, err
				}
				answer["request_body"] = map[string]any{"messages": body["messages"], "temperature": 0.25}
			case hookpoints.PostTurn.Name, hookpoints.PreStop.Name:
				if !strings.Contains(string(ev.Payload), word) {
					return plugin.Answer{}, nil
				}
				answer["messages"] = fields["messages"]
			}
			body, err := plugin.JSON(answer)
			return plugin.Answer{Body: body, Notes: []string{fmt.Sprintf("%s: took out %q", ev.Point, secrets[ev.Point])}}, err
		})}
}

// found lists the secrets that a trace holds, as they are or in any escape.
func found(data []byte) (list []string) {
	texts := []string{string(data)}
	for range 3 { // texts within texts
		var inner []string
		for _, text := range texts {
			for _, piece := range strings.SplitAfter(text, "\n") {
				dec := json.NewDecoder(strings.NewReader(piece))
				for {
					token, err := dec.Token()
					if err != nil {
						break
					}
					if s, ok := token.(string); ok {
						inner = append(inner, s)
					}
				}
			}
		}
		texts = append(texts, inner...)
	}
	for _, point := range everywhere() {
		for _, text := range texts {
			if secret := secrets[point]; secret != "" && (strings.Contains(text, secret) ||
				strings.Contains(text, "nter"+secret[len(secret)-1:])) {
				list = append(list, fmt.Sprintf("%s of %s", secret, point))
				break
			}
		}
	}
	return list
}

// tracedTurn runs a whole turn with plugins that take words out and others that
// repeat them, and returns what is traced; look is called in the middle of it.
func tracedTurn(t *testing.T, w *trace.Writer, look func(where string), prompt string, plugins ...plugin.Plugin) error {
	t.Helper()
	return turnIn(t, t.TempDir(), w, &model{}, look, prompt, plugins...)
}

// turnIn is tracedTurn in a home.
func turnIn(t *testing.T, home string, w *trace.Writer, m *model, look func(where string), prompt string,
	plugins ...plugin.Plugin) error {
	t.Helper()
	store, err := contexts.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	c, err := store.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	set := &tools.Set{}
	if err := set.Add(run{look}); err != nil {
		t.Fatal(err)
	}
	a := &agent.Agent{
		Context: c, Model: m, Tools: set, Output: agent.Output{Event: func(s agent.Event) { w.Step(s) }},
		Host: &plugin.Host{Plugins: plugins, Trace: func(r plugin.Record) { w.Record(r) }, Fired: w.Fired},
	}
	_, err = a.Prompt(t.Context(), prompt)
	return errors.Join(err, a.End(t.Context(), err), w.Close())
}

func TestArgumentsThatPluginsChangedStayOutOfTheTracesOfLaterTurns(t *testing.T) {
	home := t.TempDir()
	at := func(points ...hookpoints.Name) plugin.Plugin {
		p := cutter()
		p.Hooks = points
		return p
	}
	for turn, cut := range []plugin.Plugin{at(hookpoints.PreTool.Name), at()} {
		var out bytes.Buffer
		w := &trace.Writer{Run: "r"}
		w.To(&out)
		m := &model{calls: turn} // the second one calls nothing
		if err := turnIn(t, home, w, m, func(string) {}, "go on", cut, gossip("last")); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(fmt.Sprint(found(out.Bytes())), "nter2") || !strings.Contains(out.String(), "run") {
			t.Errorf("the trace of turn %d holds it: %s", turn+1, out.String())
		}
	}
}

const prompt1 = "say prompt-hunter1 and body_hunter4 please"

func TestWhatPluginsTakeOutOfTextsIsInNoLineOfTheTurn(t *testing.T) {
	for name, plugins := range map[string][]plugin.Plugin{
		"plugins before and behind see it": {gossip("first"), cutter(), gossip("last")},
		"it is the first one":              {cutter(), gossip("last")},
		"it is the last one":               {gossip("first"), cutter()},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w := &trace.Writer{Run: "r", Redact: trace.NewRedactor(nil, nil)}
			w.To(&out)
			look := func(where string) {
				if list := found(out.Bytes()); len(list) > 0 || strings.Contains(out.String(), "hunt") {
					t.Errorf("%s the trace holds %q", where, list)
				}
			}
			if err := tracedTurn(t, w, look, prompt1, plugins...); err != nil {
				t.Fatal(err)
			}
			look("in the end")
			if t.Failed() {
				t.Logf("%s", out.String())
			}
			turns, bad, err := trace.Read(&out)
			if err != nil || bad > 0 || len(turns) != 1 || turns[0].Prompt() != "say *** and [removed] please" {
				t.Fatalf("%d turns, %d bad lines, %v", len(turns), bad, err)
			}
			if told := strings.Join(turns[0].Explain(), " "); !strings.Contains(told, "0.25 instead of not sent") {
				t.Errorf("options keep both values: %s", told)
			}
		})
	}
}

func TestATextThatWasBlockedIsATextThatWasRemoved(t *testing.T) {
	for name, point := range map[string]hookpoints.Name{
		"a prompt that is refused":   hookpoints.PreMessage.Name,
		"an output that is withheld": hookpoints.PreToolOutput.Name,
	} {
		t.Run(name, func(t *testing.T) {
			blocker := plugin.Plugin{Name: "blocker", Hooks: []hookpoints.Name{point},
				Handler: plugin.HandlerFunc(func(context.Context, plugin.Event) (plugin.Answer, error) {
					return plugin.Answer{Body: json.RawMessage(`{"block":true,"message":"not for you"}`)}, nil
				})}
			var out bytes.Buffer
			w := &trace.Writer{Run: "r"}
			w.To(&out)
			tracedTurn(t, w, func(string) {}, prompt1, gossip("first"), blocker)
			if strings.Contains(out.String(), map[bool]string{true: "hunter1",
				false: "nter3"}[point == hookpoints.PreMessage.Name]) {
				t.Errorf("the trace holds it: %s", out.String())
			}
			if !strings.Contains(out.String(), "not for you") {
				t.Errorf("the trace does not say why: %s", out.String())
			}
		})
	}
}

func TestNamesOfArgumentsAreTextsToo(t *testing.T) {
	var out bytes.Buffer
	w := &trace.Writer{Run: "r"}
	w.To(&out)
	prompt(w, "go on")
	w.Fired(plugin.Firing{
		Dispatch: 1, Point: hookpoints.PreTool.Name, Payload: json.RawMessage(`{"arguments":{"hunter1":1,"n":7}}`),
		Final: json.RawMessage(`{"arguments":{"n":7}}`),
	})
	record(w, 1, "pre_tool", "a", `{"arguments":{"hunter1":1,"n":7}}`, `{"arguments":{"n":7}}`, plugin.Changed,
		func(r *plugin.Record) {
			r.Changed, r.Lost = []string{"/arguments/hunter1"}, []merge.Conflict{{Path: "/arguments/hunter1", Winner: "b"}}
		})
	record(w, 2, "post_turn", "a", `{"messages":[{"role":"assistant","tool_calls":[{"arguments":"{\"hunter1\":1}"}]}]}`,
		"", plugin.NoOpinion)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "hunter1") || !strings.Contains(out.String(), `{"n":7}`) {
		t.Errorf("%s", out.String())
	}
}

func TestOriginalsAreKeptWhenAskedFor(t *testing.T) {
	var out bytes.Buffer
	w := &trace.Writer{Run: "r", KeepOriginal: true}
	w.To(&out)
	if err := tracedTurn(t, w, func(string) {}, prompt1, cutter()); err != nil {
		t.Fatal(err)
	}
	if list := found(out.Bytes()); len(list) != len(secrets) {
		t.Errorf("the trace holds only %q", list)
	}
}

func TestATurnTooLargeToBeHeldIsWrittenWithoutItsTexts(t *testing.T) {
	var out bytes.Buffer
	w := &trace.Writer{Run: "r"}
	w.To(&out)
	prompt(w, "the word hunter1")
	for i := range 400 {
		record(w, int64(i), "pre_tool", "a", `{"arguments":{"text":"`+strings.Repeat("x", 60_000)+
			` hunter1"}}`, "", plugin.NoOpinion)
	}
	if out.Len() == 0 || strings.Contains(out.String(), "hunter1") {
		t.Errorf("%d bytes are written while the turn goes on", out.Len())
	}
	w.Fired(plugin.Firing{
		Dispatch: 500, Point: "pre_tool_output", Payload: json.RawMessage(`{"output":"hunter1"}`),
		Final: json.RawMessage(`{"output":"*"}`),
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	turns, bad, err := trace.Read(strings.NewReader(out.String()))
	if err != nil || bad > 0 || len(turns[0].Lines) != 401 || strings.Contains(out.String(), "hunter1") {
		t.Errorf("%d lines, %d bad, %v", len(turns[0].Lines), bad, err)
	}
}

func TestOfATextTooLargeToCompareNothingIsKept(t *testing.T) {
	large := func(word string) json.RawMessage {
		body, _ := plugin.JSON(map[string]string{"prompt": strings.Repeat("many words ", 300_000) + word})
		return body
	}
	var out bytes.Buffer
	w := &trace.Writer{Run: "r"}
	w.To(&out)
	prompt(w, "hunter1")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w.Fired(plugin.Firing{Dispatch: 1, Point: hookpoints.PreMessage.Name, Payload: large("hunter1"), Final: large("***")})
	record(w, 2, "post_message", "a", `{"prompt":"hunter1"}`, "", plugin.Failed,
		func(r *plugin.Record) { r.Why = "I saw hunter1" })
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 || strings.Contains(out.String(), "hunter1") ||
		!strings.Contains(out.String(), "failed") {
		t.Errorf("%d bytes allocated; %.300s", used, out.String())
	}
}

// FuzzRemoved checks that no word which a plugin takes out of an output is in the
// trace, whatever the texts are.
func FuzzRemoved(f *testing.F) {
	f.Add("user=ada password = hunter2", "user=ada password = *", `say "hunter2\n" and {"a":"hunter2"}`)
	f.Add("größe \\u0022x", "", "\\nx")
	f.Fuzz(func(t *testing.T, before, after, other string) {
		fuzztest.Memory(t)
		payload := func(output string) json.RawMessage {
			body, _ := plugin.JSON(hookpoints.PreToolOutputPayload{Arguments: json.RawMessage("{}"), Output: output})
			return body
		}
		word := regexp.MustCompile(`[\p{L}\p{Nd}_]{3,}`).FindString(before)
		if word == "" || strings.Contains(after, word) || strings.Contains("removedwithheld", word) {
			return
		}
		var out bytes.Buffer
		w := &trace.Writer{Run: "1"}
		w.To(&out)
		w.Step(agent.Event{Kind: agent.EventPrompt, Text: word + " " + other})
		w.Fired(plugin.Firing{Dispatch: 1, Point: hookpoints.PreToolOutput.Name,
			Payload: payload(before), Final: payload(after)})
		r := plugin.Record{Dispatch: 1, Point: hookpoints.PreToolOutput.Name, Payload: payload(before), Why: other + " " +
			word, Result: plugin.Failed}
		if err := errors.Join(w.Record(r), w.Close()); err != nil {
			t.Fatal(err)
		}
		turns, bad, err := trace.Read(&out)
		if err != nil || bad > 0 {
			t.Fatalf("%d bad lines, %v", bad, err)
		}
		for _, l := range turns[0].Lines {
			if l.Step != nil && strings.HasPrefix(l.Step.Text, word+" ") || l.Record != nil &&
				strings.HasSuffix(l.Why, " "+word) {
				t.Errorf("%q stays: %+v", word, l)
			}
		}
	})
}
