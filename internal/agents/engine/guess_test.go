package engine_test

import (
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// A guard of commands, of files or of addresses judges a tool that the agent's table does not name, as far as the
// arguments say what the tool does.
func TestAToolThatNoTableNamesIsWhatItsArgumentsSay(t *testing.T) {
	for input, want := range map[string]struct{ category, subject string }{
		`{"command":"ls"}`:                               {"shell", "command"},
		`{"cmd":"ls","url":"http://a/"}`:                 {"shell", "cmd"},
		`{"command":["ls"]}`:                             {"shell", "command"},
		`{"command":{"a":"ls"},"url":["http://a/"]}`:     {},
		`{"url":"http://a/","file_path":"a"}`:            {"fetch", "url"},
		`{"notebook_path":"a","new_source":"x"}`:         {"edit", "notebook_path"},
		`{"file_path":"a","edits":[],"new_string":"x"}`:  {"edit", "file_path"},
		`{"file_path":"a"}`:                              {},
		`{"filePath":"a","newString":"x"}`:               {"edit", "filePath"},
		`{"file_path":"a","edits":[{"old":"x"}]}`:        {"edit", "file_path"},
		`{"target_file":"a","content":"x"}`:              {"edit", "target_file"},
		`{"content":"a"}`:                                {},
		`[]`:                                             {},
		`"{\"command\":\"ls\"}"`:                         {"shell", "command"},
		`{"a.command":"ls","args":{"command":"no one"}}`: {},
	} {
		for _, d := range agents.All() {
			e := beforeTool(t, d)
			name, arguments := "tool_name", "tool_input"
			if d.Name == "copilot" {
				name, arguments = "toolName", "toolArgs"
			}
			m, err := d.Moment(e, fmt.Appendf(nil, `{%q:"NewTool",%q:%s}`, name, arguments, input))
			if err != nil {
				t.Fatal(err)
			}
			if m.Text(engine.ToolName) != "NewTool" || m.Text(engine.ToolCategory) != want.category ||
				m.Text(engine.ToolSubject) != want.subject {
				t.Errorf("%s: %s is %s, category %q, subject %q, want %+v", d.Name, input, m.Text(engine.ToolName),
					m.Text(engine.ToolCategory), m.Text(engine.ToolSubject), want)
			}
			call := bridge.TheirCall{Moment: m}.Arguments()
			if changed := d.Theirs(m, call); string(changed) != string(call) && input != "[]" {
				t.Errorf("%s: %s is %s there", d.Name, call, changed)
			}
		}
	}
}

// A tool of an MCP server stays one, whatever its arguments are called.
func TestAToolOfAServerIsNotGuessed(t *testing.T) {
	d, _ := agents.ByName("claude")
	m, err := d.Moment(beforeTool(t, d), []byte(`{"tool_name":"mcp__box__run","tool_input":{"command":"ls"}}`))
	if err != nil || m.Text(engine.ToolCategory) != "mcp" {
		t.Errorf("%q, %v", m.Text(engine.ToolCategory), err)
	}
}

// beforeTool is the event of an agent before a tool.
func beforeTool(t *testing.T, d engine.Dialect) engine.Event {
	t.Helper()
	for _, e := range d.Events {
		if e.Kind == engine.BeforeTool {
			return e
		}
	}
	t.Fatalf("%s has no event before a tool", d.Name)
	return engine.Event{}
}
