package toolnames_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
	"github.com/chibi-host/chibi/tools/coding/fetch"
	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// call is a call of a tool with a category.
func call(tool string, category tools.Category, subject, arguments string) toolnames.Call {
	return toolnames.Call{Tool: tool, Category: category, Subject: subject, Arguments: json.RawMessage(arguments)}
}

func TestWhatAHookOfKodeletSees(t *testing.T) {
	shell := func(arguments string) toolnames.Call {
		return call("shell_exec", tools.CategoryShell, "command", arguments)
	}
	for name, test := range map[string]struct {
		call            toolnames.Call
		tool, arguments string
		changed, back   string // what a hook returns, and what it means; "": not tested
		unknown         []string
	}{
		"the shell": {call: shell(`{"command":"ls","timeout_secs":5,"cwd":"/"}`),
			tool: "bash", arguments: `{"command":"ls","timeout":5,"cwd":"/"}`,
			changed: `{"timeout":9,"command":"ls -l"}`, back: `{"command":"ls -l","timeout_secs":9}`},
		"an argument that the hook adds": {call: shell(`{"command":"ls"}`), tool: "bash", arguments: `{"command":"ls"}`,
			changed: `{"command":"ls","timeout":9,"stdin":""}`, back: `{"command":"ls","timeout_secs":9,"stdin":""}`},
		"an argument that only Kodelet has": {call: shell(`{"command":"ls"}`), tool: "bash", arguments: `{"command":"ls"}`,
			changed: `{"command":"ls","description":"list"}`, back: `{"command":"ls","description":"list"}`,
			unknown: []string{"description"}},
		"reading a file": {call: call("read_file", tools.CategoryRead, "path", `{"path":"a","limit":1.50,"offset":3}`),
			tool: "file_read", arguments: `{"file_path":"a","line_limit":1.50,"offset":3}`,
			changed: `{"file_path":"b","line_limit":1.50,"offset":3}`, back: `{"path":"b","limit":1.50,"offset":3}`},
		"writing a file": {call: call("write_file", tools.CategoryWrite, "path", `{"path":"a","content":"text"}`),
			tool: "file_write", arguments: `{"file_path":"a","text":"text"}`},
		"editing a file": {call: call("file_edit", tools.CategoryEdit, "path",
			`{"path":"a","old_string":"x","new_string":"y"}`),
			tool: "file_edit", arguments: `{"file_path":"a","old_text":"x","new_text":"y"}`},
		"searching": {call: call("grep_files", tools.CategorySearch, "path", `{"pattern":"x","file_pattern":"*.go"}`),
			tool: "grep_tool", arguments: `{"pattern":"x","include":"*.go"}`},
		"fetching": {call: call("fetch_url", tools.CategoryFetch, "url", `{"url":"http://a/"}`),
			tool: "web_fetch", arguments: `{"url":"http://a/"}`},
		"a person's own shell": {call: call("run", tools.CategoryShell, "cmd", `{"cmd":"ls","timeout_secs":1}`),
			tool: "bash", arguments: `{"command":"ls","timeout_secs":1}`,
			changed: `{"command":"pwd","more":2}`, back: `{"cmd":"pwd","more":2}`},
		"a shell of the same name with other arguments": {call: call("shell_exec", tools.CategoryShell, "line",
			`{"line":"ls","timeout_secs":1}`), tool: "bash", arguments: `{"command":"ls","timeout_secs":1}`},
		"a name that is taken": {call: call("run", tools.CategoryShell, "cmd", `{"command":"hidden","cmd":"ls"}`),
			tool: "bash", arguments: `{"command":"ls"}`,
			changed: `{"command":"pwd"}`, back: `{"command":"hidden","cmd":"pwd"}`},
		"both names": {call: call("run", tools.CategoryShell, "cmd", `{"cmd":"ls"}`),
			tool: "bash", arguments: `{"command":"ls"}`,
			changed: `{"command":"pwd","cmd":"rm"}`, back: `{"cmd":"pwd"}`, unknown: []string{"cmd"}},
		"the own name of the subject": {call: call("run", tools.CategoryShell, "cmd", `{"command":"ls"}`),
			tool: "bash", arguments: `{"command":"ls"}`, changed: `{"command":"pwd"}`, back: `{"command":"pwd"}`},
		"a shell without a subject": {call: call("run", tools.CategoryShell, "", `{"line":"ls"}`),
			tool: "bash", arguments: `{"line":"ls"}`, changed: `{"line":"pwd"}`, back: `{"line":"pwd"}`},
		"nothing is left": {call: shell(`{"command":"ls"}`),
			tool: "bash", arguments: `{"command":"ls"}`, changed: `{}`, back: `{}`},
		"a tool of an MCP server": {call: call("mcp__box__run", tools.CategoryMCP, "", `{"command":"ls"}`),
			tool: "mcp__box__run", arguments: `{"command":"ls"}`, changed: `{"command":"pwd"}`, back: `{"command":"pwd"}`},
		"the shell of an MCP server": {call: call("mcp__box__run", tools.CategoryShell, "line", `{"line":"ls","as":"root"}`),
			tool: "bash", arguments: `{"command":"ls","as":"root"}`,
			changed: `{"command":"pwd","as":"me"}`, back: `{"line":"pwd","as":"me"}`},
		"no category": {call: call("bash", "", "", `{"command":"ls"}`),
			tool: "bash", arguments: `{"command":"ls"}`},
		"an unknown kind": {call: call("find", tools.CategorySearch, "dir", `{"dir":"."}`),
			tool: "find", arguments: `{"dir":"."}`},
		"no object": {call: shell(`["ls"]`),
			tool: "bash", arguments: `["ls"]`, changed: `["pwd"]`, back: `["pwd"]`},
		"no object either": {call: shell(`{"command":"ls"}`),
			tool: "bash", arguments: `{"command":"ls"}`, changed: `7`, back: `7`},
	} {
		t.Run(name, func(t *testing.T) {
			tool, arguments := toolnames.Kodelet().There(test.call)
			if tool != test.tool || string(arguments) != test.arguments {
				t.Errorf("it sees %s %s, want %s %s", tool, arguments, test.tool, test.arguments)
			}
			back, unknown := toolnames.Kodelet().Back(test.call, arguments)
			if string(back) != string(test.call.Arguments) || unknown != nil {
				t.Errorf("unchanged, it is %s, %q", back, unknown)
			}
			if test.changed == "" {
				return
			}
			back, unknown = toolnames.Kodelet().Back(test.call, json.RawMessage(test.changed))
			if string(back) != test.back || cmp.Diff(test.unknown, unknown) != "" {
				t.Errorf("%s means %s, %q, want %s, %q", test.changed, back, unknown, test.back, test.unknown)
			}
		})
	}
}

// TestTheTablesKnowTheToolsThatThereAre compares the names of arguments with the schemas of the
// coding tools.
func TestTheTablesKnowTheToolsThatThereAre(t *testing.T) {
	list := append(coding.Tools(coding.Config{Root: t.TempDir()}), coding.Shell(coding.ShellConfig{}),
		fetch.New(fetch.Config{}))
	for _, tool := range list {
		spec := tool.Spec()
		has := map[string]bool{}
		gjson.GetBytes(spec.Parameters, "properties").ForEach(func(name, _ gjson.Result) bool {
			has[name.String()] = true
			return true
		})
		for _, name := range toolnames.Arguments(spec.Name) {
			if !has[name] {
				t.Errorf("%s has no argument %s", spec.Name, name)
			}
			delete(has, name)
		}
		if len(has) > 0 {
			t.Errorf("the arguments of %s lack %v", spec.Name, has)
		}
		for program, table := range map[string]toolnames.Table{"Kodelet": toolnames.Kodelet(), "Kode": toolnames.Kode()} {
			for _, row := range table {
				if row.Ours == spec.Name && (row.Category != spec.Category || row.Subject.Ours != spec.Subject) {
					t.Errorf("%s: %s is %s by %s, not as in the table", program, spec.Name, spec.Category, spec.Subject)
				}
			}
		}
	}
}

// seconds is a program that counts in milliseconds.
func seconds() toolnames.Table {
	return toolnames.Table{{Category: tools.CategoryShell, Ours: "shell_exec", Name: "Bash", Also: []string{"Shell"},
		Subject:   toolnames.Arg("command", "cmd"),
		Arguments: []toolnames.Argument{{Ours: "timeout_secs", Theirs: "timeout", Times: 1000}}}}
}

func TestACallOfAnotherProgramInOurNames(t *testing.T) {
	for name, test := range map[string]struct {
		tool, arguments string
		ours            string // the arguments here
		changed, theirs string // what a plugin made of them, and what it is there
	}{
		"nothing is changed": {tool: "Bash", arguments: `{"cmd":"ls","timeout":1500,"note":"x"}`,
			ours:    `{"command":"ls","timeout_secs":2,"note":"x"}`,
			changed: `{"command":"ls","timeout_secs":2,"note":"x"}`, theirs: `{"cmd":"ls","timeout":1500,"note":"x"}`},
		"one argument": {tool: "Shell", arguments: `{"cmd":"ls","timeout":1500}`, ours: `{"command":"ls","timeout_secs":2}`,
			changed: `{"timeout_secs":2,"command":"pwd"}`, theirs: `{"cmd":"pwd","timeout":1500}`},
		"a number": {tool: "Bash", arguments: `{"cmd":"ls","timeout":1500}`, ours: `{"command":"ls","timeout_secs":2}`,
			changed: `{"command":"ls","timeout_secs":7}`, theirs: `{"cmd":"ls","timeout":7000}`},
		"one is added": {tool: "Bash", arguments: `{"cmd":"ls"}`, ours: `{"command":"ls"}`,
			changed: `{"command":"ls","timeout_secs":7,"stdin":""}`, theirs: `{"cmd":"ls","timeout":7000,"stdin":""}`},
		"one is gone": {tool: "Bash", arguments: `{"cmd":"ls","timeout":1}`, ours: `{"command":"ls","timeout_secs":1}`,
			changed: `{"command":"ls"}`, theirs: `{"cmd":"ls"}`},
		"another tool": {tool: "Dance", arguments: `{"cmd":"ls"}`, ours: `{"cmd":"ls"}`,
			changed: `{"cmd":"pwd"}`, theirs: `{"cmd":"pwd"}`},
		"no object": {tool: "Bash", arguments: `"ls"`, ours: `"ls"`, changed: `{"command":"pwd"}`,
			theirs: `{"command":"pwd"}`},
		"no number": {tool: "Bash", arguments: `{"timeout":"1 s"}`, ours: `{"timeout_secs":"1 s"}`,
			changed: `{"timeout_secs":1e99}`, theirs: `{"timeout":1e99}`},
	} {
		t.Run(name, func(t *testing.T) {
			ours := seconds().Ours(test.tool, json.RawMessage(test.arguments))
			if string(ours.Arguments) != test.ours {
				t.Errorf("here it is %s, want %s", ours.Arguments, test.ours)
			}
			if wanted := test.tool != "Dance"; wanted != (ours.Tool == "shell_exec") || wanted != (ours.Subject == "command") {
				t.Errorf("here it is %+v", ours)
			}
			theirs := seconds().Theirs(test.tool, json.RawMessage(test.arguments), json.RawMessage(test.changed))
			if string(theirs) != test.theirs {
				t.Errorf("there it is %s, want %s", theirs, test.theirs)
			}
		})
	}
}

// FuzzOursAndTheirs holds that a call of another program that nobody changed stays the same.
func FuzzOursAndTheirs(f *testing.F) {
	f.Add("Bash", `{"cmd":"ls","timeout":1,"command":2}`)
	f.Add("Dance", `{"cmd":1,"":null,"timeout_secs":1e300}`)
	f.Fuzz(func(t *testing.T, tool, arguments string) {
		fuzztest.Memory(t)
		plain, err := strictjson.Arguments([]byte(arguments))
		if err != nil {
			return
		}
		ours := seconds().Ours(tool, plain)
		if theirs := seconds().Theirs(tool, plain, ours.Arguments); string(theirs) != string(plain) {
			t.Errorf("%s here %s and there %s", plain, ours.Arguments, theirs)
		}
	})
}

// FuzzThereAndBack holds that a call which nobody changed stays the same call.
func FuzzThereAndBack(f *testing.F) {
	f.Add("shell_exec", "command", `{"command":"ls","timeout_secs":1,"timeout":2}`)
	f.Add("run", "cmd", `{"command":1,"cmd":{"command":[]},"":null}`)
	f.Fuzz(func(t *testing.T, tool, subject, arguments string) {
		fuzztest.Memory(t)
		plain, err := strictjson.Arguments([]byte(arguments))
		if err != nil {
			return
		}
		c := call(tool, tools.CategoryShell, subject, string(plain))
		_, there := toolnames.Kodelet().There(c)
		back, unknown := toolnames.Kodelet().Back(c, there)
		if again, err := strictjson.Arguments(back); err != nil || string(again) != string(plain) || unknown != nil {
			t.Errorf("%s there %s and back %s, %q, %v", plain, there, back, unknown, err)
		}
	})
}

func Example() {
	c := toolnames.Call{Tool: "shell_exec", Category: tools.CategoryShell, Subject: "command",
		Arguments: json.RawMessage(`{"command":"ls","timeout_secs":5}`)}
	tool, arguments := toolnames.Kodelet().There(c)
	fmt.Printf("%s %s\n", tool, arguments)
	back, _ := toolnames.Kodelet().Back(c, json.RawMessage(`{"command":"ls -l","timeout":5}`))
	fmt.Printf("%s\n", back)
	// Output:
	// bash {"command":"ls","timeout":5}
	// {"command":"ls -l","timeout_secs":5}
}
