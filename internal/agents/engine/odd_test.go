package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// TestMembersOfAnotherShapeAreNoted holds which members of payloads are, and that those that plugins
// do not judge by are not.
func TestMembersOfAnotherShapeAreNoted(t *testing.T) {
	for _, test := range []struct{ at, payload, want string }{
		{"claude PreToolUse", `{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":7,"cwd":null}`, ""},
		{"claude PreToolUse", `{"tool_name":"Bash","tool_input":{"command":["ls","-l"]}}`, ""},
		{"claude PreToolUse", `{"tool_name":"Bash","tool_input":{"command":["ls",7]}}`,
			"command of the tool is a list, not a text"},
		{"claude PreToolUse", `{"tool_name":"Bash"}`, `the arguments of "Bash" have no command`},
		{"claude PreToolUse", `{"tool_name":"Bash","tool_input":{"cmd":"ls"}}`, `the arguments of "Bash" have no command`},
		{"claude PreToolUse", `{"tool_name":"Bash","tool_input":{"command":[]}}`,
			"command of the tool is a list, not a text"},
		{"claude PreToolUse", `{"tool_name":"Glob","tool_input":{"pattern":"*"}}`, ""},
		{"claude PostToolUse", `{"tool_name":"Bash","tool_response":"x"}`, ""},
		{"gemini BeforeTool", `{"tool_name":"web_fetch","tool_input":{"uri":"http://a/"}}`,
			`the arguments of "web_fetch" have no url`},
		{"pi tool_call", `{"tool":"process","input":{"command":"git","args":["push"]}}`, `"process" has args beside command`},
		{"pi tool_call", `{"tool":"run","input":{"command":"ls","cmd":"rm x"}}`, `"run" has cmd beside command`},
		{"copilot preToolUse", `{"toolName":"write_bash","toolArgs":{"sessionId":"a","input":"sh{enter}"}}`,
			`"write_bash" types into a command that runs already`},
		{"codex PreToolUse", `{"tool_name":"write_stdin","tool_input":{"session_id":1,"chars":""}}`, ""},
		{"codex PreToolUse", `{"tool_name":"apply_patch"}`, "the arguments of apply_patch have no patch"},
		{"droid PreToolUse", `{"tool_name":"ApplyPatch","tool_input":{"input":"nothing"}}`,
			"the arguments of apply_patch have no patch"},
		{"claude PreToolUse", `{"tool":"Bash","tool_input":{"command":"ls"}}`, "the tool has no name"},
		{"claude PreToolUse", `{"tool_name":"Bash","tool_input":{"command":{"a":1}}}`,
			"command of the tool is an object, not a text"},
		{"codex PreToolUse", `{"tool_name":"apply_patch","tool_input":{"command":"nothing"}}`,
			"the arguments of apply_patch have no patch"},
		{"codex PreToolUse", `{"tool_name":"mcp__a__b","tool_input":"x"}`,
			"the arguments of the tool are a text, not an object"},
		{"cursor beforeShellExecution", `{"command":["ls"]}`, "command is a list, not a text"},
		{"cursor beforeMCPExecution", `{"tool_name":"x","tool_input":"no JSON"}`,
			"the arguments of the tool are a text, not an object"},
		{"cursor beforeReadFile", `{"file_path":{"path":"/a"}}`, "file_path is an object, not a text"},
		{"cursor beforeShellExecution", `{"commandLine":"ls"}`, "command is missing"},
		{"cursor beforeMCPExecution", `{"tool":"x"}`, "tool_name is missing"},
		{"cursor beforeReadFile", `{"file_path":null}`, "file_path is missing"},
		{"claude UserPromptSubmit", `{"text":"x"}`, "prompt is missing"},
		{"qwen UserPromptSubmit", `{"prompt":""}`, ""},
		{"copilot preToolUse", `{"toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}`, ""},
		{"grok PreToolUse", `{"toolName":"write","toolInput":"{\"content\":\"cut","tool_input":"{\"content\":\"cut"}`,
			"the arguments of the tool are a text, not an object"},
		{"kimi UserPromptSubmit", `{"prompt":[{"type":"text","text":"a"},{"type":"image_url"}]}`, ""},
	} {
		agent, event, _ := strings.Cut(test.at, " ")
		d, _ := agents.ByName(agent)
		e, _ := d.Event(event)
		m, err := d.Moment(e, []byte(test.payload))
		if got := strings.Join(m.Odd, "; "); got != test.want || err != nil {
			t.Errorf("%s %s: %q, %v", test.at, test.payload, got, err)
		}
	}
	gemini, _ := agents.ByName("gemini")
	e, _ := gemini.Event("BeforeAgent")
	m, err := gemini.Moment(e, []byte(`{"session_id":7,"prompt":[{"text":"a"},{"text":"b"}]}`))
	if err != nil || m.Text(engine.PromptText) != "a\nb" || m.Text(engine.Session) != "7" {
		t.Errorf("%q, %v", m.Text(engine.PromptText), err)
	}
}

// TestCallsThatNobodyCanJudge: what guards read in them may be something else than what the tool does.
func TestCallsThatNobodyCanJudge(t *testing.T) {
	nested := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for _, test := range []struct{ at, payload, want string }{
		{"crush PreToolUse", `{"tool_name":"bash","tool_input":{"command":"ls","Command":"rm x"}}`,
			`the argument "Command" of "bash" must be written "command"`},
		{"crush PreToolUse", `{"tool_name":"bash","tool_input":{"COMMAND":"rm x"}}`,
			`the argument "COMMAND" of "bash" must be written "command"`},
		{"crush PreToolUse", `{"tool_name":"bash","tool_input":{"command":"rm x","command":null}}`,
			`the argument "command" of "bash" must not be null`},
		{"crush PreToolUse", `{"tool_name":"write","tool_input":{"file_path":"a","content":"b","Content":"key"}}`,
			`the argument "Content" of "write" must be written "content"`},
		{"crush PreToolUse", `{"tool_name":"view","tool_input":{"file_path":"a","FILE_PATH":"b"}}`,
			`the argument "FILE_PATH" of "view" must be written "file_path"`},
		{"pi tool_call", `{"tool":"new","input":{"cmd":"ls","CMD":"rm x"}}`,
			`the argument "CMD" of "new" must be written "cmd"`},
		{"claude PreToolUse", `{"tool_name":"mcp__a__b","tool_input":{"x":` + nested + `}}`,
			`the arguments of "mcp__a__b": it nests too deep: more than 200 objects and arrays in each other`},
		{"claude PreToolUse", `{"tool_name":"mcp__a__b","tool_input":` + nested + `}`, ""},
		{"pi tool_call", `{"tool":"read","input":{"path":"@secrets/key"}}`,
			`the argument "path" of "read" must not begin with "@": pi then uses another file`},
		{"pi tool_call", `{"tool":"ls","input":{"path":"file:///secrets"}}`,
			`the argument "path" of "ls" must not begin with "file://": pi then uses another file`},
		{"pi tool_call", `{"tool":"write","input":{"path":"my\u00a0secrets","content":"x"}}`,
			`the argument "path" of "write" must not have "\u00a0" in it: pi then uses another file`},
		{"gemini BeforeTool", `{"tool_name":"read_file","tool_input":{"file_path":"@secrets/key"}}`,
			`the argument "file_path" of "read_file" must not begin with "@": Gemini CLI then uses another file`},
		{"gemini BeforeTool", `{"tool_name":"replace","tool_input":{"file_path":"sec\u0000rets/key"}}`,
			`the argument "file_path" of "replace" must not have "\x00" in it: Gemini CLI then uses another file`},
		{"qwen PreToolUse", `{"tool_name":"write_file","tool_input":{"file_path":"/my\\ secrets","content":"x"}}`,
			`the argument "file_path" of "write_file" must not have "\\" in it: Qwen Code then uses another file`},
		{"codex PreToolUse", `{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File:  a\n+b"}}`,
			`the path " a" in the patch must not begin or end with white space`},
		{"codex PreToolUse", `{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a \n` +
			`*** Move to: b \n@@\n-c\n+d"}}`, `the path "b " in the patch must not begin or end with white space`},
		{"codex PreToolUse", `{"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: a \n+b"}}`,
			""},
		{"claude PreToolUse", `{"tool_name":"Grep","tool_input":{"pattern":"x","path":" /secrets"}}`,
			`the argument "path" of "Grep" must not begin or end with white space: Claude Code then uses another file`},
		{"claude PreToolUse", `{"tool_name":"Read","tool_input":{"file_path":"@types/a\u202fb"}}`, ""},
		{"claude PreToolUse", `{"tool_name":"Bash","tool_input":{"command":" ls "}}`, ""},
		{"pi tool_call", `{"tool":"read","input":{"path":"a@b/c d"}}`, ""},
		{"claude PreToolUse", `{"tool_name":"mcp__a__b","tool_input":{"x":1,"X":null}}`, ""},
		{"claude PreToolUse", `{"tool_name":"Grep","tool_input":{"pattern":"x","path":null,"-i":true}}`, ""},
		{"claude PostToolUse", `{"tool_name":"Bash","tool_input":{"x":` + nested + `}}`, ""},
		{"gemini BeforeTool", `{"tool_name":"replace","tool_input":{"file_path":"a","old_string":"b","new_string":"c"}}`, ""},
	} {
		agent, event, _ := strings.Cut(test.at, " ")
		d, _ := agents.ByName(agent)
		e, _ := d.Event(event)
		_, err := d.Moment(e, []byte(test.payload))
		var unclear *engine.UnclearError
		if isUnclear := errors.As(err, &unclear); isUnclear != (test.want != "") || isUnclear && err.Error() != test.want {
			t.Errorf("%s %.100s: %v", test.at, test.payload, err)
		}
	}
}
