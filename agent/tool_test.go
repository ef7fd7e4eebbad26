package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// TestWhatAToolIsCalledWith, and what the model sees of it.
func TestWhatAToolIsCalledWith(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, test := range []struct {
		name, arguments string
		verdict         hookpoints.PreToolAnswer
		recipe          *Recipe
		ran             string // with; "" if it did not
		result          string // begins so
	}{
		{"the model's arguments", `{"n": 1}`, hookpoints.PreToolAnswer{}, nil, `{"n":1}`, "ok"},
		{"none", "", hookpoints.PreToolAnswer{}, nil, `{}`, "ok"},
		{"the last of equal names", `{"n":1,"n":2}`, hookpoints.PreToolAnswer{}, nil, `{"n":2}`, "ok"},
		{"a text that is a number", `{"n":"1"}`, hookpoints.PreToolAnswer{}, nil, `{"n":1}`, "ok"},
		{"a plugin's arguments", `{"n":1}`, hookpoints.PreToolAnswer{Arguments: json.RawMessage(`{"n":2}`)}, nil,
			`{"n":2}`, "ok"},
		{"a plugin's text that is a number", `{"n":1}`, hookpoints.PreToolAnswer{Arguments: json.RawMessage(`{"n":"2"}`)},
			nil, `{"n":2}`, "ok"},
		{"a plugin's arguments that make no sense", `{"n":1}`,
			hookpoints.PreToolAnswer{Arguments: json.RawMessage(`{"n":[]}`)}, nil, "",
			`Error: tool "run" did not run: argument "n": must be an integer`},
		{"no JSON", `{"n"`, hookpoints.PreToolAnswer{}, nil, "",
			`Error: the arguments of tool "run" are not valid JSON; send one JSON object`},
		{"too deep", deep, hookpoints.PreToolAnswer{}, nil, "",
			`Error: the arguments of tool "run" are nested too deep (at most`},
		{"a command that the recipe allows", `{"command":"git log"}`, hookpoints.PreToolAnswer{},
			&Recipe{Name: "r", Commands: []string{"git *"}}, `{"command":"git log"}`, "ok"},
		{"a command that it does not", `{"command":"rm x"}`, hookpoints.PreToolAnswer{},
			&Recipe{Name: "r", Commands: []string{"git *"}}, "",
			`Error: the recipe "r" does not allow the command "rm x"; it allows: git *`},
		{"a command that a plugin makes of one", `{"command":"git log"}`,
			hookpoints.PreToolAnswer{Arguments: json.RawMessage(`{"command":"rm x"}`)},
			&Recipe{Name: "r", Commands: []string{"git *"}}, "", `Error: the recipe "r" does not allow`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, calls("run", test.arguments), says("done"))
			var with string
			spec := tools.Spec{Name: "run", Parameters: json.RawMessage(`{"properties":{"n":{"type":"integer"}}}`)}
			if err := h.Tools.Add(goTool{spec, func(call tools.Call) tools.Result {
				if call.ID != "c1" || call.Context != "work" {
					t.Errorf("%+v", call)
				}
				with = string(call.Arguments)
				return tools.Result{Text: "ok"}
			}}); err != nil {
				t.Fatal(err)
			}
			h.Recipe = test.recipe
			h.plug("p", answerAt(hookpoints.PreTool, test.verdict))
			posts := observe(h, hookpoints.PostTool)
			h.prompt("hi")
			if with != test.ran {
				t.Errorf("ran with %q, want %q", with, test.ran)
			}
			messages := h.model.requests[1].Messages
			result := messages[len(messages)-1].Content
			if !strings.HasPrefix(result, test.result) || (*posts)[0].Result != result {
				t.Errorf("result %q, want %q", result, test.result)
			}
			if with != "" && string((*posts)[0].Arguments) != with {
				t.Errorf("post_tool is told %s", (*posts)[0].Arguments)
			}
		})
	}
}

// TestArgumentsThatPluginsChangedAreKept beside those of the model, which the model
// sees again; observers are told of them in the next turn.
func TestArgumentsThatPluginsChangedAreKept(t *testing.T) {
	h := newHarness(t, calls("echo", `{"n":1}`), says("done"))
	h.plug("p", answerAt(hookpoints.PreTool, hookpoints.PreToolAnswer{Arguments: json.RawMessage(`{"n":2}`)}))
	h.prompt("hi")
	h.prompt("again")
	same(t, "window", h.window()[:5], []string{"context_created", "user hi", `call echo {"n":1}`, `result echo {"n":2}`,
		"assistant done"})
	var rewritten []Rewritten
	for _, e := range h.events {
		rewritten = append(rewritten, e.Rewritten...)
	}
	same(t, "rewritten", rewritten, []Rewritten{{`{"n":1}`, `{"n":2}`}})
}

func TestPreToolOutput(t *testing.T) {
	text := "redacted"
	for _, test := range []struct {
		name   string
		answer hookpoints.PreToolOutputAnswer
		large  bool
		want   string
		notice []string
	}{
		{"no opinion", hookpoints.PreToolOutputAnswer{}, false, "secret", nil},
		{"another output", hookpoints.PreToolOutputAnswer{Output: &text}, false, "redacted", nil},
		{"a block", hookpoints.PreToolOutputAnswer{Block: true, Message: "hidden"}, false, "hidden", nil},
		{"another output for the beginning of a file", hookpoints.PreToolOutputAnswer{Output: &text}, true, "redacted",
			[]string{"hooks saw only the first 1 MiB of the output of run"}},
		{"a block of a file", hookpoints.PreToolOutputAnswer{Block: true, Message: "hidden"}, true, "hidden", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, calls("run", "{}"), says("done"))
			result := tools.Result{Text: "secret"}
			if test.large {
				result.File = outputFile(t, "secret and more")
			}
			h.tool("run", func(tools.Call) tools.Result { return result })
			h.plug("p", answerAt(hookpoints.PreToolOutput, test.answer))
			pres, posts := observe(h, hookpoints.PreToolOutput), observe(h, hookpoints.PostToolOutput)
			h.prompt("hi")
			if got := h.model.requests[1].Messages[2].Content; got != test.want {
				t.Errorf("the model sees %q, want %q", got, test.want)
			}
			if post := (*posts)[0]; post.Output != test.want || post.FinalOutput != test.want || post.Truncated {
				t.Errorf("post_tool_output %+v", post)
			}
			if pre := (*pres)[0]; pre.Truncated != test.large || pre.OutputPath != result.File.Path() {
				t.Errorf("pre_tool_output %+v", pre)
			}
			h.noticed(test.notice...)
			if _, err := os.Stat(result.File.Path()); err == nil {
				t.Error("the file is still there")
			}
		})
	}
}

// outputFile is an output that is too large for memory.
func outputFile(t *testing.T, text string) *tools.OutputFile {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return tools.NewOutputFile(f, int64(len(text)))
}

func TestLargeOutputs(t *testing.T) {
	outputs := cache.Open(t.TempDir())
	many := strings.Repeat("line\n", 20)
	for _, test := range []struct {
		name    string
		result  tools.Result
		summary string
		kind    tools.Kind
		cache   cache.Saver
		cached  bool
		want    []string // parts of what the model sees
		notice  []string
	}{
		{"a preview", tools.Result{Text: many}, "", tools.Plugin, outputs, true,
			[]string{"[Output cached: run_",
				"Tool: run | Size: 100 B (100 chars), ~25 tokens | Lines: 20\nPreview:\n---\nline\n",
				"Use file_head, file_tail, file_lines, file_grep with cache_id="}, nil},
		{"a note behind it", tools.Result{Text: many, Note: "it is put back"}, "", tools.Plugin, outputs,
			true, []string{"Preview:", "\n[it is put back]"}, nil},
		{"a summary", tools.Result{Text: many}, " twenty lines \n", tools.Plugin, outputs, true,
			[]string{"Summary:\n---\ntwenty lines\n---\n"}, nil},
		{"a failure", tools.Result{Text: many + "the reason\n", Failed: true, Failure: "Error: exit status 3", Exit: 3}, "",
			tools.Plugin, outputs, true,
			[]string{"\nError: exit status 3\nPreview:", "---\nLast lines:\n---\n", "line\nthe reason\n---\n"}, nil},
		{"a failure that says nothing else", tools.Result{Text: many, Failed: true}, "", tools.Plugin,
			outputs, true, []string{"\nThe call failed, exit status 1.\n", "Last lines:"}, nil},
		{"no text", tools.Result{Text: strings.Repeat("x\xff", 20)}, "", tools.Plugin, outputs, true,
			[]string{"It is not plain text"}, nil},
		{"a piece of what is cached", tools.Result{Text: many}, "", tools.File, outputs, false,
			[]string{many}, nil},
		{"blank lines", tools.Result{Text: strings.Repeat("\n", 50)}, "", tools.Plugin, outputs, false,
			[]string{"\n\n"}, nil},
		{"no cache", tools.Result{Text: many}, "", tools.Plugin, nil, false, []string{many}, nil},
		{"a cache that cannot be written", tools.Result{Text: many}, "", tools.Plugin, cache.Open(os.DevNull),
			false, []string{many}, []string{"caching the output of"}},
		{"as many characters as are shown", tools.Result{Text: strings.Repeat("é", 10)}, "", tools.Plugin,
			outputs, false, []string{"ééé"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, calls("run", "{}"), says("done"))
			h.Settings.CacheThreshold, h.Settings.CachePreview = 10, 50
			h.Cache = test.cache
			spec := tools.Spec{Name: "run", Kind: test.kind}
			if err := h.Tools.Add(goTool{spec, func(tools.Call) tools.Result { return test.result }}); err != nil {
				t.Fatal(err)
			}
			h.plug("p", answerAt(hookpoints.PreCacheOutput, hookpoints.PreCacheOutputAnswer{Summary: test.summary}))
			pres, posts := observe(h, hookpoints.PreCacheOutput), observe(h, hookpoints.PostCacheOutput)
			calls := observe(h, hookpoints.PostTool)
			h.prompt("hi")
			seen := h.model.requests[1].Messages[2].Content
			for _, part := range test.want {
				if !strings.Contains(seen, part) {
					t.Errorf("the model sees %q, without %q", seen, part)
				}
			}
			h.noticed(test.notice...)
			if cached := len(*pres) == 1 && len(*posts) == 1; cached != test.cached || (*calls)[0].Cached != cached {
				t.Errorf("cached %v, hooks %+v %+v %+v", cached, *pres, *posts, *calls)
			}
			if test.cached && !strings.HasPrefix((*pres)[0].Content, strings.ToValidUTF8(test.result.Text, "\uFFFD")) {
				t.Errorf("pre_cache_output is told %q", (*pres)[0].Content)
			}
		})
	}
}

// TestAFileThatCannotBeCached: the model sees the beginning and how much there was.
func TestAFileThatCannotBeCached(t *testing.T) {
	h := newHarness(t, calls("run", "{}"), says("done"))
	h.Cache = nil
	file := outputFile(t, strings.Repeat("x", 3000))
	h.tool("run", func(tools.Call) tools.Result { return tools.Result{Text: "xxx", File: file} })
	posts := observe(h, hookpoints.PostTool)
	h.prompt("hi")
	if seen := h.model.requests[1].Messages[2].Content; seen != "xxx\n[the first of 3.0 kB; the rest was not kept]" {
		t.Errorf("the model sees %q", seen)
	}
	if p := (*posts)[0]; !p.Truncated || p.OutputPath != "" || p.Result != "xxx" {
		t.Errorf("post_tool %+v", p)
	}
}

// TestAFileIsCached: hooks get its beginning and the path of the whole.
func TestAFileIsCached(t *testing.T) {
	h := newHarness(t, calls("run", "{}"), says("done"))
	files := cache.Open(t.TempDir())
	h.Cache = files
	spill, err := files.SpillFile()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(spill, "xxxx and more")
	spill.Close()
	h.tool("run", func(tools.Call) tools.Result {
		return tools.Result{Text: "xxxx", File: tools.NewOutputFile(spill, 13)}
	})
	pres, posts := observe(h, hookpoints.PreCacheOutput), observe(h, hookpoints.PostToolOutput)
	h.prompt("hi")
	whole, err := os.ReadFile((*pres)[0].ContentPath)
	if string(whole) != "xxxx and more" || err != nil || !(*pres)[0].Truncated || (*pres)[0].Content != "xxxx" {
		t.Errorf("%q, %v, pre_cache_output %+v", whole, err, *pres)
	}
	if p := (*posts)[0]; p.OutputPath != (*pres)[0].ContentPath || !p.Truncated || !p.Cached {
		t.Errorf("post_tool_output %+v", p)
	}
}

// TestAFileThatAHookChangesIsCountedAnew: a hook may write to the file that it is told of;
// what is cached is described as it is then.
func TestAFileThatAHookChangesIsCountedAnew(t *testing.T) {
	h := newHarness(t, calls("run", "{}"), says("done"))
	files := cache.Open(t.TempDir())
	h.Cache = files
	spill, err := files.SpillFile()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(spill, "one line, with a secret")
	spill.Close()
	h.tool("run", func(tools.Call) tools.Result {
		return tools.Result{Text: "one", File: tools.NewOutputFile(spill, 23)}
	})
	const changed = "two\nlines, no secret at"
	h.plug("redact", plugin.HandlePoint(hookpoints.PreToolOutput,
		func(_ context.Context, p hookpoints.PreToolOutputPayload) (hookpoints.PreToolOutputAnswer, error) {
			return hookpoints.PreToolOutputAnswer{}, os.WriteFile(p.OutputPath, []byte(changed), 0o600)
		}))
	h.prompt("hi")
	list, err := files.List(t.Context())
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(changed)))
	if err != nil || len(list) != 1 || list[0].Lines != 2 || list[0].SHA256 != sum {
		t.Fatalf("%+v, %v", list, err)
	}
	text, err := files.Open(t.Context(), list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	if got, err := io.ReadAll(text.Content()); string(got) != changed || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestEventsOfCalls: what observers are told of calls, before and after they run.
func TestEventsOfCalls(t *testing.T) {
	h := newHarness(t, calls("echo", "{}", "fail", "{}", "walk", "{}", "guarded", "{}"), says("done"))
	h.tool("fail", func(tools.Call) tools.Result { return tools.Result{Text: "out of paper", Failed: true} })
	h.tool("guarded", func(tools.Call) tools.Result { return tools.Result{} })
	h.plug("guard", plugin.HandlePoint(hookpoints.PreTool, blockTool("guarded")))
	h.prompt("hi")
	var told []CallEvent
	for _, e := range h.events {
		if e.Call != nil {
			call := *e.Call
			call.DurationMS = 0
			told = append(told, call)
		}
	}
	args := json.RawMessage("{}")
	same(t, "events", told, []CallEvent{
		{ID: "c1", Tool: "echo", Arguments: args}, {ID: "c1", Tool: "echo", Arguments: args, Ran: true},
		{ID: "c1", Tool: "echo", Arguments: args, Ran: true, Output: "{}", Bytes: 2},
		{ID: "c2", Tool: "fail", Arguments: args},
		{ID: "c2", Tool: "fail", Arguments: args, Ran: true, Failure: "out of paper", Exit: 1},
		{ID: "c2", Tool: "fail", Arguments: args, Ran: true, Exit: 1, Output: "out of paper", Bytes: 12,
			Failure: "out of paper"},
		{ID: "c3", Tool: "walk", Arguments: args, Why: `Error: there is no tool "walk"`, Exit: 1},
		{ID: "c4", Tool: "guarded", Arguments: args, Why: "no", BlockedBy: "guard", Exit: 1},
	})
}

// TestAnEventSaysWhatAServerTook: the parts of a call of an MCP server's tool.
func TestAnEventSaysWhatAServerTook(t *testing.T) {
	h := newHarness(t, calls("remote", "{}"), says("done"))
	h.tool("remote", func(tools.Call) tools.Result {
		return tools.Result{Text: "read", Served: &tools.Served{Server: "files", Start: 1500 * time.Microsecond,
			Wait: time.Second, Call: time.Millisecond / 4}}
	})
	h.prompt("hi")
	for _, e := range h.events {
		if e.Kind == EventCall {
			same(t, "event", e.Call.Served, &ServedEvent{Server: "files", StartMS: 1.5, WaitMS: 1000, CallMS: 0.25})
			return
		}
	}
	t.Error("no event")
}

// TestCallTool shows and stores nothing, and a filter holds for it too.
func TestCallTool(t *testing.T) {
	h := newHarness(t)
	seen, failure, err := h.CallTool(t.Context(), "echo", json.RawMessage(`{"n": 1}`))
	if seen != `{"n":1}` || failure != "" || err != nil {
		t.Errorf("%q, %q, %v", seen, failure, err)
	}
	same(t, "log", h.log, []string{"pre_api_tools", "pre_tool", `run echo {"n":1}`, "pre_tool_output", "post_tool_output",
		"post_tool"})
	h.plug("filter", answerAt(hookpoints.PreAPITools, hookpoints.PreAPIToolsAnswer{Include: []string{}}))
	if _, failure, err := h.CallTool(t.Context(), "echo", json.RawMessage(`{}`)); err != nil ||
		failure != `tool "echo" is not available here` {
		t.Errorf("%q, %v", failure, err)
	}
	if w := h.window(); len(w) > 0 {
		t.Errorf("stored: %q", w)
	}
}

// TestMessagesOfForeignEntries: calls without ids get one, calls without results one
// that says so, results without calls are left out.
func TestMessagesOfForeignEntries(t *testing.T) {
	call, result := contexts.ToolCall("work", "ls", "", "{}"), contexts.ToolResult("work", "ls", "", "a")
	id := "call_" + call.ID
	same(t, "messages", messagesOf([]contexts.Entry{result, call, result, call,
		contexts.UserMessage("user", "work", "hi")}),
		[]llm.Message{
			{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: id, Name: "ls", Arguments: "{}"}}},
			{Role: "tool", ToolCallID: id, Content: "a"},
			{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: id, Name: "ls", Arguments: "{}"}}},
			{Role: "tool", ToolCallID: id, Content: lostResult},
			{Role: "user", Content: "hi"},
		})
}
