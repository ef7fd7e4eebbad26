package settings

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
)

func shapeOf(agent string) engine.Shape {
	d, _ := agents.ByName(agent)
	return d.Shape
}

// shapes are dialects with what matters for settings files.
func shapes() map[string]engine.Dialect {
	return map[string]engine.Dialect{
		"claude": {Title: "Claude Code", Shape: shapeOf("claude")}, "codex": {Title: "Codex", Shape: shapeOf("codex")},
		"copilot": {Title: "Copilot CLI", Shape: shapeOf("copilot")}, "crush": {Title: "Crush", Shape: shapeOf("crush")},
		"cursor": {Title: "Cursor", Shape: shapeOf("cursor")}, "gemini": {Title: "Gemini CLI", Shape: shapeOf("gemini")},
		"qwen": {Title: "Qwen Code", Shape: shapeOf("qwen")},
	}
}

func TestHandlersOfEachAgentsSettings(t *testing.T) {
	two := 2
	for _, test := range []struct {
		agent, format, text string
		want                []Handler
	}{
		{"claude", "json", `{"model": "x", "hooks": {"PreToolUse": [
			{"matcher": "Bash|Edit", "hooks": [
				{"type": "command", "command": "./a.sh", "if": "Bash(git *)", "timeout": 2.5, "statusMessage": "checking"},
				{"type": "command", "command": "node", "args": [], "async": true, "asyncRewake": true}]},
			{"hooks": [{"type": "http", "url": "http://127.0.0.1/x", "headers": {"A": "$B"}, "allowedEnvVars": ["B"]}]}],
			"Stop": [{"hooks": [
				{"type": "prompt", "prompt": "ok? $ARGUMENTS", "model": "m", "continueOnBlock": true},
				{"type": "agent", "prompt": "look"},
				{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": "${b}"}},
				{"type": "hologram", "command": "x"}]}]}}`, []Handler{
			{Event: "PreToolUse", Number: 1, Line: 3, Matcher: "Bash|Edit", Kind: engine.CommandHandler, Command: "./a.sh",
				If: "Bash(git *)", Timeout: 2500 * time.Millisecond, StatusMessage: "checking"},
			{Event: "PreToolUse", Number: 2, Line: 4, Matcher: "Bash|Edit", Kind: engine.CommandHandler, Command: "node",
				Exec: true,
				Args: []string{}, Async: true, AsyncRewake: true},
			{Event: "PreToolUse", Number: 3, Line: 5, Kind: engine.HTTPHandler, URL: "http://127.0.0.1/x",
				Headers: map[string]string{"A": "$B"}, AllowedEnv: []string{"B"}},
			{Event: "Stop", Number: 1, Line: 7, Kind: engine.PromptHandler, Prompt: "ok? $ARGUMENTS", Model: "m",
				ContinueOnBlock: true},
			{Event: "Stop", Number: 2, Line: 8, Kind: engine.AgentHandler, Prompt: "look"},
			{Event: "Stop", Number: 3, Line: 9, Kind: engine.MCPToolHandler, Server: "s", Tool: "t",
				Input: []byte(`{"a": "${b}"}`)},
			{Event: "Stop", Number: 4, Line: 10, Type: "hologram", Command: "x"},
		}},
		{"codex", "toml", "model = \"gpt\"\n\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\n" +
			"type = \"command\"\ncommand = \"a\"\ntimeout = 3\n[[hooks.PreToolUse.hooks]]\ncommand = \"b\"\n\n" +
			"[[hooks.PreToolUse]]\nhooks = [{type = \"command\", command = \"c\"}]\n[hooks]\n" +
			"Stop = [{hooks = [{command = \"d\"}]}]\n[hooks.state]\nx = 1\n", []Handler{
			{Event: "PreToolUse", Number: 1, Line: 5, Matcher: "Bash", Kind: engine.CommandHandler, Command: "a",
				Timeout: 3 * time.Second},
			{Event: "PreToolUse", Number: 2, Line: 9, Matcher: "Bash", Kind: engine.CommandHandler, Command: "b"},
			{Event: "PreToolUse", Number: 3, Line: 13, Kind: engine.CommandHandler, Command: "c"},
			{Event: "Stop", Number: 1, Line: 15, Kind: engine.CommandHandler, Command: "d"},
		}},
		{"codex", "json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}`,
			[]Handler{{Event: "Stop", Number: 1, Line: 1, Kind: engine.CommandHandler, Command: "a"}}},
		{"copilot", "json", `{"version": 1, "hooks": {"preToolUse": [
			{"bash": "./a.sh", "powershell": "a.ps1", "cwd": "x", "env": {"K": "V"}, "timeoutSec": 5, "matcher": "bash"},
			{"type": "command", "powershell": "b.ps1"},
			{"command": "c", "timeout": 7}, {"exec": "d", "args": ["e"]}, {"type": "http", "url": "https://x"}]}}`, []Handler{
			{Event: "preToolUse", Number: 1, Line: 2, Matcher: "bash", Kind: engine.CommandHandler, Command: "./a.sh",
				Shell: "bash",
				Dir:   "x", Env: map[string]string{"K": "V"}, Timeout: 5 * time.Second},
			{Event: "preToolUse", Number: 2, Line: 3, Kind: engine.CommandHandler, Command: "b.ps1", Shell: "powershell"},
			{Event: "preToolUse", Number: 3, Line: 4, Kind: engine.CommandHandler, Command: "c", Timeout: 7 * time.Second},
			{Event: "preToolUse", Number: 4, Line: 4, Kind: engine.CommandHandler, Command: "d", Exec: true,
				Args: []string{"e"}},
			{Event: "preToolUse", Number: 5, Line: 4, Kind: engine.HTTPHandler, URL: "https://x"},
		}},
		{"crush", "json", `{"hooks": {"pre_tool_use": [{"name": "n", "matcher": "^bash$", "command": "a", "timeout": 1}]}}`,
			[]Handler{{Event: "pre_tool_use", Number: 1, Line: 1, Matcher: "^bash$", Kind: engine.CommandHandler, Name: "n",
				Command: "a", Timeout: time.Second}}},
		{"cursor", "json", `{"version": 1, "hooks": {"beforeShellExecution": [
			{"command": "./a.sh", "failClosed": true, "matcher": "rm"}],
			"stop": [{"command": "b", "loop_limit": 2}, {"type": "prompt", "prompt": "done?"}]}}`, []Handler{
			{Event: "beforeShellExecution", Number: 1, Line: 2, Matcher: "rm", Kind: engine.CommandHandler, Command: "./a.sh",
				FailClosed: true},
			{Event: "stop", Number: 1, Line: 3, Kind: engine.CommandHandler, Command: "b", LoopLimit: &two},
			{Event: "stop", Number: 2, Line: 3, Kind: engine.PromptHandler, Prompt: "done?"},
		}},
		{"gemini", "jsonc", "{ // mine\n\"hooks\": {\"enabled\": true, /* of\ntools */ " +
			"\"BeforeTool\": [{\"matcher\": \"run_.*\", \"sequential\": true,\n\"hooks\": [" +
			"{\"type\": \"command\", \"command\": \"echo '//' /*\", \"name\": \"g\", \"timeout\": 1500,},],},]}, }", []Handler{
			{Event: "BeforeTool", Number: 1, Line: 4, Matcher: "run_.*",
				Sequential: true, Kind: engine.CommandHandler, Command: "echo '//' /*", Name: "g",
				Timeout: 1500 * time.Millisecond}}},
		{"qwen", "jsonc", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a", "timeout": 500},
			{"type": "http", "url": "http://localhost", "timeout": 5, "once": true}]}]}}`, []Handler{
			{Event: "Stop", Number: 1, Line: 1, Kind: engine.CommandHandler, Command: "a", Timeout: 500 * time.Millisecond},
			{Event: "Stop", Number: 2, Line: 2, Kind: engine.HTTPHandler, URL: "http://localhost", Timeout: 5 * time.Second,
				Once: true},
		}},
	} {
		t.Run(test.agent+" "+test.format, func(t *testing.T) {
			got := Read(shapes()[test.agent], []byte(test.text), test.format)
			if diff := cmp.Diff(test.want, got.Handlers); diff != "" || len(got.Problems) > 0 {
				t.Errorf("problems %v, (-want +got):\n%s", got.Problems, diff)
			}
		})
	}
}

// TestAnEntryThatCannotBeReadDoesNotConcernOthers: the second entry stands in line 2.
func TestAnEntryThatCannotBeReadDoesNotConcernOthers(t *testing.T) {
	for _, test := range []struct{ agent, entry, want string }{
		{"claude", `{"matcher": "x", "hooks": [{"type": "command"}]}`,
			`line 2: entry 2 of Stop: a handler of type "command" needs command`},
		{"claude", `{"matcher": "x", "hooks": [{"type": "http"}]}`, `a handler of type "http" needs url`},
		{"claude", `{"matcher": "x", "hooks": [{"type": "agent"}]}`, `a handler of type "agent" needs prompt`},
		{"claude", `{"matcher": "x", "hooks": [{"type": "mcp_tool", "server": "s"}]}`, `"mcp_tool" needs server or tool`},
		{"claude", `{"type": "command", "command": "x"}`, `line 2: entry 2 of Stop: the handler stands directly in the ` +
			`list of the event; want {"matcher": ..., "hooks": [HANDLER]}`},
		{"claude", `{"matcher": "x"}`, `it has no list "hooks" of handlers`},
		{"claude", `"x"`, `it is a string; want an object {"matcher": ..., "hooks": [...]}`},
		{"claude", `{"matcher": ["x"], "hooks": []}`, "matcher: must be a string, is an array"},
		{"claude", `{"hooks": [7]}`, "it is a number; want an object"},
		{"claude", `{"hooks": [{"command": ["x"]}]}`, "command: must be a string, is an array"},
		{"claude", `{"hooks": [{"command": "x\u0000"}]}`, "its command has a NUL byte in it"},
		{"claude", `{"hooks": [{"command": "x", "env": {"A=B": "c"}}]}`, `env: "A=B" is not a variable`},
		{"claude", `{"hooks": [{"command": "x", "timeout": "5"}]}`, `timeout: must be a number of seconds, is "5"`},
		{"gemini", `{"hooks": [{"command": "x", "timeout": -5}]}`, `timeout: must be a number of milliseconds, is -5`},
		{"cursor", `{"hooks": [{"command": "x"}]}`, `it has a list "hooks", as groups of other agents have`},
		{"crush", `[]`, "it is an array; want an object"},
		{"copilot", `{"timeoutSec": 5}`, `a handler of type "command" needs command`},
	} {
		good := func(command string) string {
			if shapes()[test.agent].Shape.Groups {
				return `{"hooks": [{"command": "` + command + `"}]}`
			}
			return `{"command": "` + command + `"}`
		}
		text := fmt.Sprintf("{\"hooks\": {\"Stop\": [%s,\n%s,\n%s]}}", good("a"), test.entry, good("b"))
		got := Read(shapes()[test.agent], []byte(text), "json")
		if len(got.Handlers) != 2 || got.Handlers[0].Command != "a" || got.Handlers[1].Command != "b" ||
			got.Handlers[1].Number != 3 || got.Handlers[1].Line != 3 {
			t.Errorf("%s: %s: the others are %+v", test.agent, test.entry, got.Handlers)
		}
		if len(got.Problems) != 1 || !strings.Contains(got.Problems[0].String(), test.want) {
			t.Errorf("%s: %s: %v, want %q", test.agent, test.entry, got.Problems, test.want)
		}
	}
}

func TestATextThatIsNoSettingsFile(t *testing.T) {
	for _, test := range []struct{ agent, format, text, want string }{
		{"claude", "json", "nonsense", "not JSON"},
		{"claude", "json", "{} // comment", "not JSON"},
		{"claude", "json", "[]", "it is an array; want a JSON object"},
		{"claude", "json", strings.Repeat("[", 2000), "too deep"},
		{"claude", "json", strings.Repeat(" ", MaxBytes+1), "it is larger than 4194304 bytes"},
		{"claude", "json", `{"hooks": []}`, `line 1: "hooks" is an array; want an object with a list for each event`},
		{"claude", "json", "{\n\"hooks\": {\"Stop\": {}}}", "line 2: Stop: it is an object; want a list"},
		{"gemini", "jsonc", "{ /* ", "not JSON"},
		{"codex", "toml", "a = 1\nb = ", "not TOML: "},
		{"codex", "toml", "[hooks]\nStop = inf", "JSON cannot express its hooks"},
		{"cursor", "json", `{"version": 2, "hooks": {"stop": [{"command": "x"}]}}`,
			`its "version" is 2, and Cursor reads version 1 only`},
	} {
		got := Read(shapes()[test.agent], []byte(test.text), test.format)
		if len(got.Handlers) > 0 || len(got.Problems) != 1 || !strings.Contains(got.Problems[0].String(), test.want) {
			t.Errorf("%s: %.40q: %+v, want %q", test.agent, test.text, got, test.want)
		}
	}
	for _, text := range []string{"", " \n", "\ufeff{}", "{}", `{"hooks": null}`, `{"hooks": {}}`} {
		if got := Read(shapes()["claude"], []byte(text), "json"); len(got.Problems) > 0 {
			t.Errorf("%q: %v", text, got.Problems)
		}
	}
}

func TestOfSeveralMembersOfOneNameTheLastCounts(t *testing.T) {
	got := Read(shapes()["claude"], []byte(`{"hooks": {"Stop": [{"hooks": [{"command": "a"}]}]},
		"hooks": {"Stop": [{"hooks": [{"command": "b", "command": "c"}]}]}}`), "json")
	if len(got.Handlers) != 1 || got.Handlers[0].Command != "c" || got.Handlers[0].Line != 2 {
		t.Errorf("%+v", got)
	}
}

func TestSwitches(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		agent, format, text string
		want                *bool
		names               []string
	}{
		{"claude", "json", `{"disableAllHooks": true}`, &yes, nil},
		{"claude", "json", `{"disableAllHooks": false}`, &no, nil},
		{"claude", "json", `{"disableAllHooks": "yes"}`, nil, nil}, {"claude", "json", `{}`, nil, nil},
		{"copilot", "json", `{"version": 1, "disableAllHooks": true}`, &yes, nil},
		{"qwen", "json", `{"disableAllHooks": true}`, &yes, nil},
		{"codex", "toml", "[features]\nhooks = false", &yes, nil}, {"codex", "toml", "[features]\nhooks = true", &no, nil},
		{"gemini", "jsonc", `{"hooksConfig": {"enabled": false, "disabled": ["a", 7, "b"]}}`, &yes, []string{"a", "b"}},
	} {
		got := Read(shapes()[test.agent], []byte(test.text), test.format)
		if diff := cmp.Diff(test.want, got.Disabled); diff != "" || !slices.Equal(got.DisabledNames, test.names) {
			t.Errorf("%s: %s: %v %s", test.agent, test.text, got.DisabledNames, diff)
		}
	}
}

func TestHandlersOfAFileAreBounded(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"command": "x"},`, MaxHandlers+200), ",")
	text := `{"hooks": {"Stop": [{"hooks": [` + many + `]}]}}`
	got := Read(shapes()["claude"], []byte(text), "json")
	if len(got.Handlers) != MaxHandlers || len(got.Problems) != maxProblems || got.Entries["Stop"] != MaxHandlers+200 ||
		got.Problems[0].Text != "the file has more than 2000 hooks" {
		t.Errorf("%d handlers, %d problems, %v", len(got.Handlers), len(got.Problems), got.Entries)
	}
}

func TestNamesOfEventsInAnyCase(t *testing.T) {
	crush := engine.Dialect{Shape: shapeOf("crush"), Events: []engine.Event{{Name: "PreToolUse"}}}
	claude := engine.Dialect{Shape: shapeOf("claude"), Events: crush.Events}
	for _, name := range []string{"pretooluse", "PRE_TOOL_USE", "PreToolUse"} {
		_, there := crush.Event(name)
		_, exact := claude.Event(name)
		if !there || exact != (name == "PreToolUse") {
			t.Errorf("%s: %v, %v", name, there, exact)
		}
	}
}

func TestTimeLimits(t *testing.T) {
	d, e := engine.Dialect{Shape: shapeOf("claude")}, engine.Event{Timeout: 600 * time.Second}
	for _, test := range []struct {
		h    Handler
		want time.Duration
	}{
		{Handler{Kind: engine.CommandHandler}, 600 * time.Second}, {Handler{Kind: engine.PromptHandler}, 30 * time.Second},
		{Handler{Kind: engine.PromptHandler, Timeout: time.Second}, time.Second},
	} {
		if got := test.h.TimeLimit(d, e); got != test.want {
			t.Errorf("%+v: %v", test.h, got)
		}
	}
}

func TestEntriesOfTheBridgeAreRecognised(t *testing.T) {
	for command, want := range map[string]bool{
		"chibi bridge run claude PreToolUse":                                true,
		"/usr/local/bin/chibi bridge run claude Stop":                       true,
		`'/home/My User/bin/chibi' --home '/my home' bridge run gemini X`:   true,
		`command -v chibi >/dev/null || exit 0; exec chibi bridge run a B`:  true,
		`C:\tools\chibi.exe bridge run cursor stop`:                         true,
		`if [ -x "/x/chibi" ]; then "/x/chibi" bridge run a b; else :; fi`:  true,
		"ch bridge run claude PreToolUse":                                   true,
		"/opt/chibi-1.2 --home /h bridge run claude PreToolUse":             true,
		"$CHIBI bridge run --fail-closed --deadline 5s claude pre_tool_use": true,
		"bash -c 'exec ~/bin/ch bridge run claude PreToolUse'":              true,
		"ch bridge run claude PreToolUse || { echo gone >&2; exit 2; }":     true,
		"ch bridge run claude Stop":                                         false, // it stands under another event
		"chibi bridge list":                                                 false,
		"chibi -p guard":                                                    false,
		"mychibi bridge run a":                                              false,
		"bridge run claude PreToolUse":                                      false,
		"network bridge run tests":                                          false,
		"./guard.sh":                                                        false,
		"":                                                                  false,
	} {
		h := Handler{Event: "PreToolUse", Kind: engine.CommandHandler, Command: command}
		if got := h.IsBridge(); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
	for _, program := range []string{"/x/chibi", "/x/ch"} {
		h := Handler{Event: "Stop", Kind: engine.CommandHandler, Command: program, Exec: true,
			Args: []string{"bridge", "run", "a", "Stop"}}
		if !h.IsBridge() {
			t.Errorf("the entry of %s and its arguments is not recognised", program)
		}
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte(`{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "a", "timeout": 1}]}]}}`),
		"json")
	f.Add([]byte(`{"version": 1, "hooks": {"stop": [{"command": "b", "loop_limit": 2}], "stop": {}}} // x`), "jsonc")
	f.Add([]byte("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"a\"\n[features]\nhooks = false"), "toml")
	f.Fuzz(func(t *testing.T, text []byte, format string) {
		fuzztest.Memory(t)
		for name, d := range shapes() {
			s := Read(d, text, format)
			total := len(s.Handlers)
			for _, h := range s.Handlers {
				if h.Number < 1 || h.Number > s.Entries[h.Event] || h.Line > 1+strings.Count(string(text), "\n") ||
					h.Kind == engine.CommandHandler && h.Command == "" {
					t.Errorf("%s: %+v", name, h)
				}
			}
			if total > MaxHandlers || len(s.Problems) > maxProblems {
				t.Errorf("%s: %d handlers, %d problems", name, total, len(s.Problems))
			}
		}
	})
}

// TestOneListOfAllHandlers: Kimi Code's, of which each names its event.
func TestOneListOfAllHandlers(t *testing.T) {
	kimi, _ := agents.ByName("kimi")
	const text = "a = 1\n\n[[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"Bash\"\ncommand = \"one\"\ntimeout = 5\n\n" +
		"[[hooks]]\nevent = \"Stop\"\n\n[[hooks]]\ncommand = \"three\"\nevent = \"PreToolUse\"\n"
	got := Read(kimi, []byte(text), "toml")
	if len(got.Handlers) != 2 || len(got.Problems) != 1 {
		t.Fatalf("%+v", got)
	}
	first, second, wrong := got.Handlers[0], got.Handlers[1], got.Problems[0]
	if first.Event != "PreToolUse" || first.Matcher != "Bash" || first.Command != "one" || first.Line != 3 ||
		first.Timeout != 5*time.Second || second.Command != "three" || second.Number != 2 || second.Line != 12 ||
		wrong.Line != 9 || wrong.Event != "Stop" {
		t.Errorf("%+v\n%+v\n%+v", first, second, wrong)
	}
}
