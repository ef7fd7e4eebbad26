package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// says is a plugin that answers the same wherever it is asked.
func says(name, answer string, points ...hookpoints.Name) plugin.Plugin {
	return plugin.Plugin{Name: name, Hooks: points, Handler: plugin.HandlerFunc(
		func(context.Context, plugin.Event) (plugin.Answer, error) {
			return plugin.Answer{Body: json.RawMessage(answer)}, nil
		})}
}

// fails is a plugin that fails wherever it is asked.
func fails(name string, onFailure plugin.Failure, points ...hookpoints.Name) plugin.Plugin {
	return plugin.Plugin{Name: name, Hooks: points, OnFailure: onFailure, Handler: plugin.HandlerFunc(
		func(context.Context, plugin.Event) (plugin.Answer, error) {
			return plugin.Answer{}, errors.New("exit status 3")
		})}
}

// guards makes a plugin a guard at all its points.
func guards(p plugin.Plugin) plugin.Plugin {
	p.Guards = p.Hooks
	return p
}

// log keeps what a host reports.
type log struct {
	mu      sync.Mutex
	records []plugin.Record
	notices []string
}

func (l *log) host(plugins ...plugin.Plugin) *plugin.Host {
	return &plugin.Host{
		Plugins: plugins,
		Trace: func(r plugin.Record) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.records = append(l.records, r)
		},
		Notify: func(n plugin.Notice) { l.notices = append(l.notices, n.String()) },
	}
}

// results lists plugin and result of every record.
func (l *log) results() []string {
	var list []string
	for _, r := range l.records {
		list = append(list, r.Plugin+": "+string(r.Result))
	}
	return list
}

func fire[P, A any](t *testing.T, h *plugin.Host, p hookpoints.Point[P, A], payload P) A {
	t.Helper()
	answer, err := plugin.Fire(t.Context(), h, p, payload)
	if err != nil {
		t.Fatalf("Fire(%s): %v", p.Name, err)
	}
	return answer
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

var call = hookpoints.PreToolPayload{ToolName: "shell", Arguments: json.RawMessage(`{"command":"ls","dir":"/"}`)}

const (
	preTool     = hookpoints.Name("pre_tool")
	preMessage  = hookpoints.Name("pre_message")
	postTool    = hookpoints.Name("post_tool")
	preAPITools = hookpoints.Name("pre_api_tools")
)

func TestChain(t *testing.T) {
	for _, test := range []struct {
		name    string
		plugins []plugin.Plugin
		want    string
		results []string
	}{
		{
			name:    "no opinion changes nothing",
			plugins: []plugin.Plugin{says("a", `{}`, preTool), says("b", ``, preTool)},
			want:    `{}`,
			results: []string{"a: no opinion", "b: no opinion"},
		},
		{
			name: "rewrites chain and the last value stands",
			plugins: []plugin.Plugin{
				says("a", `{"arguments":{"command":"ls -l","dir":"/"}}`, preTool),
				says("b", `{"arguments":{"command":"ls -l","dir":"/tmp"}}`, preTool),
			},
			want:    `{"arguments":{"command":"ls -l","dir":"/tmp"}}`,
			results: []string{"a: changed", "b: changed"},
		},
		{
			name: "of two members with one name the last counts",
			plugins: []plugin.Plugin{
				says("a", `{"arguments":{"command":"ls -l"},"arguments":{"command":"id","command":"pwd"}}`, preTool),
				says("b", `{"block":false,"block":true,"message":"no"}`, preTool),
			},
			want:    `{"block":true,"message":"no"}`,
			results: []string{"a: changed", "b: blocked"},
		},
		{
			name: "a rewrite is written in one spelling",
			plugins: []plugin.Plugin{says("a", `{"arguments": {"comm\u0061nd": "\u0073udo <ls>", "n": [1e400, -0, `+
				`12345678901234567890]}}`, preTool)},
			want:    `{"arguments":{"command":"sudo <ls>","n":[1e400,-0,12345678901234567890]}}`,
			results: []string{"a: changed"},
		},
		{
			name:    "an answer equal to what was received is no change",
			plugins: []plugin.Plugin{says("a", `{"arguments":{"dir":"/","command":"ls"}}`, preTool)},
			want:    `{}`,
			results: []string{"a: no opinion"},
		},
		{
			name: "the first block ends the point",
			plugins: []plugin.Plugin{
				says("a", `{"block":true,"message":"not here"}`, preTool),
				says("b", `{"arguments":{}}`, preTool),
				guards(says("g", `{"block":true}`, preTool)),
			},
			want:    `{"block":true,"message":"not here"}`,
			results: []string{"a: blocked", "b: skipped", "g: skipped"},
		},
		{
			name:    "a block without a message names the plugin",
			plugins: []plugin.Plugin{says("a", `{"block":true}`, preTool)},
			want:    `{"block":true,"message":"blocked by plugin \"a\""}`,
			results: []string{"a: blocked"},
		},
		{
			name:    "block must be true itself",
			plugins: []plugin.Plugin{says("a", `{"block":false,"message":"no"}`, preTool)},
			want:    `{}`,
			results: []string{"a: no opinion"},
		},
		{
			name: "a guard's change is ignored",
			plugins: []plugin.Plugin{
				guards(says("g", `{"arguments":{"command":"rm"}}`, preTool)),
				says("a", `{"arguments":{"command":"pwd","dir":"/"}}`, preTool),
			},
			want:    `{"arguments":{"command":"pwd","dir":"/"}}`,
			results: []string{"a: changed", "g: ignored"},
		},
		{
			name: "the first guard in plugin order wins",
			plugins: []plugin.Plugin{
				guards(says("g", `{"block":true,"message":"one"}`, preTool)),
				guards(says("h", `{"block":true,"message":"two"}`, preTool)),
			},
			want:    `{"block":true,"message":"one"}`,
			results: []string{"g: blocked", "h: blocked"},
		},
		{
			name:    "a failure is no opinion",
			plugins: []plugin.Plugin{fails("a", plugin.Ignore, preTool), says("b", `{"arguments":{}}`, preTool)},
			want:    `{"arguments":{}}`,
			results: []string{"a: failed", "b: changed"},
		},
		{
			name:    "a failure blocks where its plugin asked for that",
			plugins: []plugin.Plugin{fails("a", plugin.Block, preTool)},
			want:    `{"block":true,"message":"plugin \"a\" failed, and its failure blocks: exit status 3"}`,
			results: []string{"a: failed"},
		},
		{
			name:    "a field of the wrong type makes the answer unreadable",
			plugins: []plugin.Plugin{says("a", `{"block":"yes"}`, preTool)},
			want:    `{}`,
			results: []string{"a: ignored"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			got := fire(t, l.host(test.plugins...), hookpoints.PreTool, call)
			if diff := cmp.Diff(test.want, asJSON(t, got)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.results, l.results()); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChainGivesEachPluginWhatThePreviousOneLeft(t *testing.T) {
	var seen []string
	look := func(name, answer string) plugin.Plugin {
		return plugin.Plugin{Name: name, Hooks: []hookpoints.Name{preMessage}, Handler: plugin.HandlerFunc(
			func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
				seen = append(seen, string(ev.Payload))
				return plugin.Answer{Body: json.RawMessage(answer)}, nil
			})}
	}
	var l log
	h := l.host(look("a", `{"prompt":"one two"}`), guards(look("g", ``)), look("b", `{"prompt":"zero one two"}`))
	got := fire(t, h, hookpoints.PreMessage, hookpoints.PreMessagePayload{Prompt: "one", ContextName: "c"})
	want := []string{
		`{"prompt":"one","context_name":"c","summary":""}`,
		`{"prompt":"one two","context_name":"c","summary":""}`,
		`{"prompt":"zero one two","context_name":"c","summary":""}`,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("payloads (-want +got):\n%s", diff)
	}
	if got.Prompt == nil || *got.Prompt != "zero one two" {
		t.Errorf("prompt = %v", got.Prompt)
	}
}

func TestAPromptMayBecomeEmptyText(t *testing.T) {
	var l log
	got := fire(t, l.host(says("a", `{"output":""}`, "pre_tool_output")), hookpoints.PreToolOutput,
		hookpoints.PreToolOutputPayload{Output: "secret"})
	if got.Output == nil || *got.Output != "" {
		t.Errorf("output = %v, want the empty text", got.Output)
	}
}

func TestPatchesMergeDeeplyAndConflictsAreTraced(t *testing.T) {
	var l log
	h := l.host(
		says("a", `{"request_body":{"temperature":0.1,"reasoning":{"effort":"low"}}}`, "pre_api_request"),
		says("b", `{"request_body":{"temperature":0.9,"reasoning":{"exclude":true},"stop":null}}`, "pre_api_request"),
	)
	got := fire(t, h, hookpoints.PreAPIRequest, hookpoints.PreAPIRequestPayload{
		RequestBody: json.RawMessage(`{"model":"m","stop":["x"],"reasoning":{"max":1e3}}`),
	})
	want := `{"model":"m","reasoning":{"max":1e3,"effort":"low","exclude":true},"temperature":0.9}`
	if diff := cmp.Diff(want, string(got.RequestBody)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if lost := l.records[0].Lost; len(lost) != 1 || lost[0].Path != "/request_body/temperature" || lost[0].Winner != "b" {
		t.Errorf("plugin a lost %v, want its temperature to b", lost)
	}
}

func TestGather(t *testing.T) {
	list := hookpoints.PreAPIToolsPayload{Tools: []hookpoints.ListedTool{{Name: "x"}, {Name: "y"}, {Name: "z"}}}
	for _, test := range []struct {
		name    string
		answers []string
		want    string
	}{
		{"nobody filters", []string{`{}`, ``}, `{}`},
		{"includes intersect", []string{`{"include":["x","y"]}`, `{"include":["y","z"]}`}, `{"include":["y"]}`},
		{"excludes unite", []string{`{"exclude":["x"]}`, `{"exclude":["y","x"]}`}, `{"exclude":["x","y"]}`},
		{"an empty include keeps nothing", []string{`{"include":[]}`, `{"include":["x"]}`}, `{"include":[]}`},
		{"a broken answer is left out", []string{`{"include":"x"}`, `{"include":["y"]}`}, `{"include":["y"]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			var plugins []plugin.Plugin
			for i, answer := range test.answers {
				plugins = append(plugins, says(string(rune('a'+i)), answer, preAPITools))
			}
			got := fire(t, l.host(plugins...), hookpoints.PreAPITools, list)
			if diff := cmp.Diff(test.want, asJSON(t, got)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGatherReportsNamesThatAreNotOffered(t *testing.T) {
	var l log
	fire(t, l.host(says("a", `{"exclude":["file_grep"]}`, preAPITools)), hookpoints.PreAPITools,
		hookpoints.PreAPIToolsPayload{Tools: []hookpoints.ListedTool{{Name: "x"}}})
	want := []string{`"exclude" names "file_grep", which is not offered here`}
	if diff := cmp.Diff(want, l.records[0].Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestInjectionsAreJoinedInPluginOrder(t *testing.T) {
	var l log
	h := l.host(says("a", `{"inject":"first"}`, "pre_system_prompt"), says("b", `{"inject":""}`, "pre_system_prompt"),
		says("c", `{"inject":"second"}`, "pre_system_prompt"))
	if got := fire(t, h, hookpoints.PreSystemPrompt, hookpoints.SystemPromptPayload{}); got.Inject != "first\n\nsecond" {
		t.Errorf("inject = %q", got.Inject)
	}
}

func TestFirstSummaryWinsAndOthersAreToldSo(t *testing.T) {
	var l log
	h := l.host(says("a", `{"summary":""}`, "pre_cache_output"), says("b", `{"summary":"short"}`, "pre_cache_output"),
		says("c", `{"summary":"other"}`, "pre_cache_output"))
	if got := fire(t, h, hookpoints.PreCacheOutput, hookpoints.PreCacheOutputPayload{}); got.Summary != "short" {
		t.Errorf("summary = %q", got.Summary)
	}
	if got, want := l.records[2].Notes, []string{`its "summary" is not used, plugin "b" came first`}; !cmp.Equal(got,
		want) {
		t.Errorf("notes = %q, want %q", got, want)
	}
}

func TestTheFirstClaimEndsThePoint(t *testing.T) {
	var l log
	h := l.host(says("a", `{}`, "pre_send_message"), says("b", `{"delivered":true}`, "pre_send_message"),
		says("c", `{"delivered":true,"via":"pigeon"}`, "pre_send_message"))
	got := fire(t, h, hookpoints.PreSendMessage, hookpoints.PreSendMessagePayload{From: "x", To: "y"})
	if !got.Delivered || got.Via != "b" {
		t.Errorf("claim = %+v, want b's, named after it", got)
	}
	if want := []string{"a: no opinion", "b: claimed", "c: skipped"}; !cmp.Equal(l.results(), want) {
		t.Errorf("records = %q, want %q", l.results(), want)
	}
}

func TestAnObserverThatTriesToChangeSomethingIsTold(t *testing.T) {
	var l log
	fire(t, l.host(says("a", `{"output":"x"}`, postTool), says("b", `{"ok":true}`, postTool)), hookpoints.PostTool,
		hookpoints.PostToolPayload{})
	want := []string{`plugin "a" at post_tool: post_tool is only observed, an answer of "output" changes nothing; ignored`}
	if diff := cmp.Diff(want, l.notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
}

func TestAPanickingHandlerIsAFailure(t *testing.T) {
	var l log
	p := plugin.Plugin{Name: "a", Hooks: []hookpoints.Name{preTool}, Handler: plugin.HandlerFunc(
		func(context.Context, plugin.Event) (plugin.Answer, error) { panic("oh") })}
	fire(t, l.host(p), hookpoints.PreTool, call)
	if want := []string{`plugin "a" at pre_tool: it panicked: oh; went on without it`}; !cmp.Equal(l.notices, want) {
		t.Errorf("notices = %q, want %q", l.notices, want)
	}
}

func TestACancelledDispatchIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := plugin.Plugin{Name: "a", Hooks: []hookpoints.Name{preTool}, Handler: plugin.HandlerFunc(
		func(ctx context.Context, _ plugin.Event) (plugin.Answer, error) {
			cancel()
			return plugin.Answer{}, ctx.Err()
		})}
	var l log
	if _, err := plugin.Fire(ctx, l.host(p), hookpoints.PreTool, call); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want context.Canceled", err)
	}
	if len(l.notices) > 0 {
		t.Errorf("notices = %q, want none: the plugin did nothing wrong", l.notices)
	}
}

// TestAHandlersOwnCancellationIsAFailure: only the end of the dispatch is nobody's
// fault.
func TestAHandlersOwnCancellationIsAFailure(t *testing.T) {
	for _, isGuard := range []bool{true, false} {
		p := plugin.Plugin{Name: "a", Hooks: []hookpoints.Name{preTool}, OnFailure: plugin.Block,
			Handler: plugin.HandlerFunc(func(context.Context, plugin.Event) (plugin.Answer, error) {
				return plugin.Answer{}, fmt.Errorf("asking its server: %w", context.Canceled)
			})}
		if isGuard {
			p = guards(p)
		}
		var l log
		got := fire(t, l.host(p), hookpoints.PreTool, call)
		if want := `plugin "a" failed, and its failure blocks: asking its server: context canceled`; !got.Block ||
			got.Message != want {
			t.Errorf("guard %v: verdict = %+v, want a block: %s", isGuard, got, want)
		}
	}
}

func TestAHostWithoutPluginsHasNoOpinion(t *testing.T) {
	if got := fire(t, nil, hookpoints.PreTool, call); got.Block || got.Arguments != nil {
		t.Errorf("answer = %+v", got)
	}
}

// TestAGuardReadsWhatTheToolReads: a plugin's rewrite reaches the next ones in one
// spelling, however the plugin wrote it.
func TestAGuardReadsWhatTheToolReads(t *testing.T) {
	var seen string
	guard := plugin.Plugin{Name: "guard", Hooks: []hookpoints.Name{preTool}, Handler: plugin.HandlerFunc(
		func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
			seen = string(ev.Payload)
			return plugin.Answer{}, nil
		})}
	l := &log{}
	rewriter := says("a", `{"arguments": { "dir": "/", "command": "x", "comm\u0061nd": "\u0073udo\u0020ls" }}`, preTool)
	verdict := fire(t, l.host(rewriter, guards(guard)), hookpoints.PreTool, call)
	if want := `"arguments":{"dir":"/","command":"sudo ls"}`; !strings.Contains(seen, want) {
		t.Errorf("the guard saw %s, want %s in it", seen, want)
	}
	if want := `{"dir":"/","command":"sudo ls"}`; string(verdict.Arguments) != want {
		t.Errorf("the tool gets %s, want %s", verdict.Arguments, want)
	}
}
