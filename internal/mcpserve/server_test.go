package mcpserve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/within"
	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// greet is a plugin with a tool that greets, shout one that is a shell, and remember one that
// reads.
const greet = `[ "$1" = --schema ] && echo '[{"name": "greet", "description": "greets somebody",
"parameters": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
{"name": "look", "description": "reads", "category": "read", "subject": "path"},
{"name": "put", "description": "writes", "category": "write", "subject": "path"},
{"name": "shout", "description": "runs a command", "category": "shell", "subject": "command", "parameters":
{"type": "object", "properties": {"command": {"type": "string"}}}}]' && exit
[ "$CHIBI_TOOL_NAME" = shout ] && { echo "AAA"; exit; }
sed 's/.*"name": *"\([^"]*\)".*/hello \1/'`

// logger notes the points at which it is asked, with the payload.
const logger = `[ "$1" = --schema ] && echo '{"name": "logger", "tool": false, "hooks": ["on_start", "on_end",
"pre_api_tools", "pre_tool", "pre_shell_exec", "pre_tool_output", "post_tool_output", "post_tool", "pre_cache_output",
"post_cache_output"]}' && exit
printf '%s %s\n' "$CHIBI_HOOK" "$(cat)" >> "$CHIBI_HOME/log"`

// points returns the points at which the logger was asked.
func (h *home) points() (list []string) {
	for line := range strings.Lines(h.read("log")) {
		name, _, _ := strings.Cut(line, " ")
		list = append(list, name)
	}
	return list
}

func TestAToolPassesEveryHookOfACall(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet, "logger": logger})
		stop := h.start()
		s := h.connect(t, way, version, nil)
		want := []string{"greet", "look", "put", "shout", "file_head", "file_tail", "file_lines", "file_grep", "cache_list"}
		if diff := cmp.Diff(want, names(t, s)); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
		if got := call(t, s, "greet", map[string]any{"name": "Ada"}); got != "hello Ada\n" {
			t.Errorf("greet: %q", got)
		}
		s.Close()
		stop()
		want = []string{"on_start", "pre_api_tools", "pre_api_tools", "pre_tool", "pre_tool_output", "post_tool_output",
			"post_tool", "on_end"}
		if diff := cmp.Diff(want, h.points()); diff != "" {
			t.Errorf("points (-want +got):\n%s", diff)
		}
		if trace := h.read("contexts/default/trace.jsonl"); !strings.Contains(trace, "the MCP client tester calls greet") {
			t.Errorf("the trace does not have the call:\n%s", trace)
		}
		if _, err := os.Stat(filepath.Join(h.dir, "contexts/default/context.jsonl")); err == nil {
			t.Error("something was stored in the conversation")
		}
	})
}

func TestHooksRewriteBlockAndFilterForClients(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet, "guard": `[ "$1" = --schema ] && echo '{"name": "guard",
"tool": false, "hooks": ["pre_tool", "pre_tool_output", "pre_api_tools"]}' && exit
case "$CHIBI_HOOK $(cat)" in
*pre_api_tools*) echo '{"exclude": ["look"]}' ;;
*pre_tool_output*hello*) echo '{"output": "changed"}' ;;
*pre_tool\ *Mallory*) echo '{"block": true, "message": "not him"}' ;;
*pre_tool\ *Ada*) echo '{"arguments": {"name": "Grace"}}' ;;
esac`})
		h.start()
		s := h.connect(t, way, version, nil)
		if slices.Contains(names(t, s), "look") {
			t.Error("a tool is listed that a plugin excludes")
		}
		for name, want := range map[string]string{"Ada": "changed",
			"Mallory": "error: not him\n(blocked by plugin \"guard\")"} {
			if got := call(t, s, "greet", map[string]any{"name": name}); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if got := call(t, s, "look", nil); got != `error: Error: tool "look" is not available here` {
			t.Errorf("a tool that is excluded: %q", got)
		}
		trace := h.read("contexts/default/trace.jsonl")
		for _, want := range []string{"not him", "is not available here"} {
			if !strings.Contains(trace, want) {
				t.Errorf("the trace lacks %q", want)
			}
		}
	})
}

func TestMessagesOfRefusedCalls(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet})
		h.write("config.toml", "[permissions]\ndeny = ['shout(rm *)']\n", 0o600)
		h.start()
		s := h.connect(t, way, version, nil)
		for _, test := range []struct {
			tool string
			args map[string]any
			want string
		}{
			{"shout", map[string]any{"command": "ls"}, "error: Permission denied: a person must allow it, and this MCP " +
				"client cannot ask (it has no elicitation); --allow 'shout(ls)' allows it for one run, [permissions] allow in " +
				"config.toml always (the default for shell)"},
			{"shout", map[string]any{"command": "rm -r x"}, "error: Permission denied: the rule \"shout(rm *)\" of HOME/" +
				"config.toml:2 denies it"},
			{"greet", map[string]any{"name": 1}, "error: Error: tool \"greet\" did not run: argument \"name\": must be a " +
				"string, is an integer"},
			{"greet", nil, "error: Error: tool \"greet\" did not run: argument \"name\" is missing"},
			{"nothing", nil, `unknown tool "nothing"`},
		} {
			got := strings.ReplaceAll(call(t, s, test.tool, test.args), h.dir, "HOME")
			if test.tool == "nothing" && strings.Contains(got, `unknown tool "nothing"`) {
				continue // the library's own words around it differ
			}
			if got != test.want {
				t.Errorf("%s %v:\n%s\nwant\n%s", test.tool, test.args, got, test.want)
			}
		}
		if _, err := s.ListTools(t.Context(), &sdk.ListToolsParams{Cursor: "2"}); err == nil ||
			!strings.Contains(err.Error(), "the list of tools has one page only") {
			t.Errorf("a second page: %v", err)
		}
	})
}

// form is what a client was asked.
type form struct {
	Message string
	Choices []any
}

// answering returns options of a client that notes the questions and answers them.
func answering(asked chan<- form, action string, content map[string]any) *sdk.ClientOptions {
	return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (
		*sdk.ElicitResult, error) {
		var schema struct {
			Properties map[string]struct{ Enum []any }
		}
		data, err := json.Marshal(r.Params.RequestedSchema)
		if err == nil {
			err = json.Unmarshal(data, &schema)
		}
		asked <- form{r.Params.Message, schema.Properties["decision"].Enum}
		return &sdk.ElicitResult{Action: action, Content: content}, err
	}}
}

func TestTheClientAsksItsPerson(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet})
		h.start()
		for _, test := range []struct {
			action  string
			content map[string]any
			want    string
			asked   int // how often two calls ask
		}{
			{"accept", map[string]any{"decision": "allow once"}, "AAA\n", 2},
			{"accept", map[string]any{"decision": "deny", "reason": "not today"},
				"error: Permission denied: the person said no: not today", 2},
			{"decline", nil, "error: Permission denied: the person said no", 2},
			{"cancel", nil, "error: Permission denied: the person said no", 2},
		} {
			asked := make(chan form, 10)
			s := h.connect(t, way, version, answering(asked, test.action, test.content))
			for range 2 {
				if got := call(t, s, "shout", map[string]any{"command": "echo \u202ehi"}); got != test.want {
					t.Errorf("%s %v: %q, want %q", test.action, test.content, got, test.want)
				}
			}
			if len(asked) != test.asked {
				t.Errorf("%s %v: asked %d times, want %d", test.action, test.content, len(asked), test.asked)
			}
			got := <-asked
			for _, want := range []string{"shout wants to run:\n  | echo \\u202ehi\n", "Asked by the default for shell"} {
				if !strings.Contains(got.Message, want) {
					t.Errorf("the question lacks %q:\n%s", want, got.Message)
				}
			}
		}
	})
}

func TestAYesForTheSessionIsForOneSession(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.start()
	asked := make(chan form, 10)
	yes := answering(asked, "accept", map[string]any{"decision": "allow for this session"})
	over := transport{"HTTP", func(url string) func(h *home) sdk.Transport {
		return func(*home) sdk.Transport {
			t := overHTTP(h).(*sdk.StreamableClientTransport)
			t.Endpoint = url
			return t
		}
	}(h.listen())}
	first := h.connect(t, over, "2025-11-25", yes)
	for range 2 {
		if got := call(t, first, "shout", map[string]any{"command": "ls -l"}); got != "AAA\n" {
			t.Errorf("%q", got)
		}
	}
	question := <-asked
	if len(asked) > 0 || !strings.Contains(question.Message, "allow calls that match this rule:\n  | shout(ls -l)") ||
		len(question.Choices) != 3 {
		t.Errorf("asked %d times more, %+v", len(asked), question)
	}
	second := h.connect(t, over, "2025-11-25", nil)
	if got := call(t, second, "shout", map[string]any{"command": "ls -l"}); !strings.Contains(got, "cannot ask") {
		t.Errorf("another session: %q", got)
	}
	if h.read("config.toml") != "" {
		t.Error("a rule was written")
	}
}

func TestWhatOnlyATerminalCanAllowIsNotAsked(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet})
		h.write("config.toml", "[permissions]\nallow = ['write']\n", 0o600)
		h.start()
		asked := make(chan form, 10)
		s := h.connect(t, way, version, answering(asked, "accept", map[string]any{"decision": "allow once"}))
		got := call(t, s, "put", map[string]any{"path": filepath.Join(h.dir, "plugins/new")})
		if !strings.Contains(got, "only a person at a terminal can allow it, and there is none") || len(asked) > 0 {
			t.Errorf("%q, asked %d times", got, len(asked))
		}
	})
}

// TestWithinACommandOfAModelNoClientAnswers: the client is the model's.
func TestWithinACommandOfAModelNoClientAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet})
		h.opts.Within = &within.Mark{Tool: "shell_exec", Home: h.dir, Context: "default"}
		h.start()
		asked := make(chan form, 10)
		s := h.connect(t, way, version, answering(asked, "accept", map[string]any{"decision": "allow once"}))
		got := call(t, s, "shout", map[string]any{"command": "ls"})
		if !strings.Contains(got, "a command of the model cannot ask you") || len(asked) > 0 {
			t.Errorf("%q, asked %d times", got, len(asked))
		}
	})
}

func TestAClientThatFailsToAskIsNoYes(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet})
		h.start()
		s := h.connect(t, way, version, &sdk.ClientOptions{ElicitationHandler: func(context.Context,
			*sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return nil, errors.New("the window is closed")
		}})
		got := call(t, s, "shout", map[string]any{"command": "ls"})
		if !strings.Contains(got, "the window is closed") || strings.Contains(got, "AAA") {
			t.Errorf("%q", got)
		}
	})
}

func TestAnnotationsSayWhatToolsDo(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.start()
	s := h.connect(t, transports[0], versions[0], nil)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, tool := range list.Tools {
		a := tool.Annotations
		said := fmt.Sprint(tool.Title, ", read only ", a.ReadOnlyHint)
		if a.DestructiveHint != nil {
			said += fmt.Sprint(", destructive ", *a.DestructiveHint)
		}
		if a.OpenWorldHint != nil {
			said += fmt.Sprint(", open world ", *a.OpenWorldHint)
		}
		got[tool.Name] = said
	}
	for tool, want := range map[string]string{
		"greet":     "greet (chibi plugin greet), read only false",
		"look":      "look (chibi plugin greet), read only true, open world false",
		"shout":     "shout (chibi plugin greet), read only false, destructive true, open world true",
		"file_head": "file_head (chibi), read only true, open world false",
	} {
		if got[tool] != want {
			t.Errorf("%s: %s\nwant: %s", tool, got[tool], want)
		}
	}
}

func TestCodingToolsAreOfferedWhenAskedFor(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.opts.Permissions.Coding = true
	h.start()
	if got := names(t, h.connect(t, transports[0], versions[0], nil)); slices.Contains(got, "shell_exec") {
		t.Errorf("offered without being asked for: %v", got)
	}
	h = newHome(t, nil)
	h.opts.Permissions.Coding, h.serve.Coding = true, true
	h.start()
	got := names(t, h.connect(t, transports[0], versions[0], nil))
	for _, name := range []string{"shell_exec", "read_file", "write_file", "file_edit"} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not offered: %v", name, got)
		}
	}
	for _, name := range []string{"update_todos", "send_message", "recurse"} {
		if slices.Contains(got, name) {
			t.Errorf("%s is offered", name)
		}
	}
}

func TestALargeOutputIsCachedAndCanBeRead(t *testing.T) {
	h := newHome(t, map[string]string{"logger": logger, "flood": `[ "$1" = --schema ] && echo '{"name": "flood",
"description": "writes much"}' && exit
seq 1 5000`})
	h.start()
	s := h.connect(t, transports[0], versions[0], nil)
	stub := call(t, s, "flood", nil)
	_, id, _ := strings.Cut(stub, "[Output cached: ")
	id, _, found := strings.Cut(id, "]")
	if !found {
		t.Fatalf("not cached: %.300q", stub)
	}
	if got := call(t, s, "file_tail", map[string]any{"cache_id": id, "lines": 1}); !strings.Contains(got, "5000") {
		t.Errorf("file_tail: %q", got)
	}
	if got := h.points(); !slices.Contains(got, "pre_cache_output") || !slices.Contains(got, "post_cache_output") {
		t.Errorf("points: %v", got)
	}
}

func TestWhatIsListedCanBeCalledBeforeClientsAreTold(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet})
		h.start()
		s := h.connect(t, way, version, nil)
		h.install("wave", `[ "$1" = --schema ] && echo '{"name": "wave", "description": "waves"}' && exit
echo waving`)
		if err := h.served.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if list := names(t, s); !slices.Contains(list, "wave") {
			t.Fatalf("%q", list)
		}
		if got := call(t, s, "wave", nil); got != "waving\n" {
			t.Errorf("%q", got)
		}
	})
}

func TestClientsAreToldWhenPluginsChange(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet, "logger": logger})
		h.serve.Look = 10 * time.Millisecond
		stop := h.start()
		changed := make(chan struct{}, 100)
		s := h.connect(t, way, version, &sdk.ClientOptions{ToolListChangedHandler: func(context.Context,
			*sdk.ToolListChangedRequest) {
			changed <- struct{}{}
		}})
		watched, cancel := context.WithCancel(t.Context())
		defer cancel()
		var watching sync.WaitGroup
		watching.Go(func() { h.served.Watch(watched, h.server.Renew) })
		names(t, s)
		h.install("wave", `[ "$1" = --schema ] && echo '{"name": "wave", "description": "waves"}' && exit
echo waving`)
		eventually(t, "a new tool", func() bool { return slices.Contains(names(t, s), "wave") })
		<-changed
		if got := call(t, s, "wave", nil); got != "waving\n" {
			t.Errorf("%q", got)
		}
		if err := os.Remove(filepath.Join(h.dir, "plugins/greet")); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a tool that is gone", func() bool { return !slices.Contains(names(t, s), "greet") })
		eventually(t, "a refusal of the library", func() bool {
			return strings.Contains(call(t, s, "greet", nil), `unknown tool "greet"`)
		})
		h.write("config.toml", "[tools\n", 0o600)
		eventually(t, "a notice", func() bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			return slices.ContainsFunc(h.notices, func(n string) bool { return strings.Contains(n, "not loaded again") })
		})
		if got := call(t, s, "wave", nil); got != "waving\n" {
			t.Errorf("with a broken configuration: %q", got)
		}
		s.Close()
		cancel()
		watching.Wait()
		stop()
		points := strings.Join(h.points(), " ")
		if strings.Count(points, "on_start") != 1 || strings.Count(points, "on_end") != 1 {
			t.Errorf("on_start and on_end are not asked once: %s", points)
		}
	})
}

func TestWhatChangesBeforeTheFirstLookIsSeen(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet})
	h.serve.Look = 10 * time.Millisecond
	h.start()
	if err := os.Remove(filepath.Join(h.dir, "plugins/greet")); err != nil {
		t.Fatal(err)
	}
	watched, cancel := context.WithCancel(t.Context())
	h.served.Watch(watched, cancel)
	if names := h.served.Names(); slices.Contains(names, "greet") {
		t.Errorf("the tools are %q", names)
	}
}

func TestAMissingGuardRefusesCalls(t *testing.T) {
	h := newHome(t, map[string]string{"greet": greet, "logger": logger})
	h.write("config.toml", "[plugins.logger]\non_failure = \"block\"\n", 0o600)
	h.start()
	s := h.connect(t, transports[0], versions[0], nil)
	if got := call(t, s, "greet", map[string]any{"name": "Ada"}); got != "hello Ada\n" {
		t.Errorf("%q", got)
	}
	if err := os.Remove(filepath.Join(h.dir, "plugins/logger")); err != nil {
		t.Fatal(err)
	}
	if err := h.served.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := call(t, s, "greet", map[string]any{"name": "Ada"}); !strings.Contains(got,
		`error: Error: the guard "logger" is missing`) {
		t.Errorf("%q", got)
	}
}
