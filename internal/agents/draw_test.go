package agents_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// draw returns the cases that the golden file of an agent must have: for each event its
// captured payloads, payloads of chibi, ends of hooks, effects, matchers and variables.
func (a agent) draw() string {
	list := append([]golden{{kind: "facts", at: "-"}}, a.momentCases()...)
	var before []engine.Event
	for _, e := range a.Events {
		list = append(list, golden{kind: "facts", at: e.Name})
		if e.Kind != engine.Never || len(e.Fields) > 0 {
			list = slices.Concat(list, payloadCases(e, before), variableCases(e), answerCases(e, before), a.outputCases(e),
				a.matchCases(e, before))
			before = append(before, e)
		}
	}
	var text []string
	for _, g := range list {
		g.want = strings.TrimSpace(a.is(g))
		text = append(text, g.String())
	}
	return strings.Join(text, "\n")
}

func (a agent) momentCases() (list []golden) {
	for _, name := range slices.Sorted(maps.Keys(a.captured)) {
		list = append(list, golden{kind: "moment", at: name})
	}
	return list
}

// values are the values of a moment of chibi: "nothing", "all", or "some" with further values.
func values(text string) string {
	some := `{"session":"s","prompt_id":"p","call_id":"c","transcript":"/t","cwd":"/p","project":"/p","home":"/h",` +
		`"time":"2026-11-22T10:00:00.123Z","model":"m","effort":"low","env_file":"/e","agent_version":"v","hook_dir":"/d",` +
		`"tool_output":"one\ntwo\n","tool_error":"bad","tool_exit":3,"tool_status":"ran","duration":5`
	switch more, isSome := strings.CutPrefix(text, "some "); {
	case text == "nothing":
		return "{}"
	case isSome:
		return some + "," + strings.TrimPrefix(more, "{")
	}
	return some + `,"permission_mode":"trusted","mode":"run","agent_id":"a","agent_type":"t","source":"startup",` +
		`"reason":"exit","trigger":"auto","parent_agent":"b","plans_dir":"/l","question":"sure?","notice":"n",` +
		`"instructions":"i","summary":"s","prompt":"hi","recipe":"r","response":"done","stop_active":true,"follow_ups":1,` +
		`"failure":"it failed","failure_kind":"error","task":"do it","messages":3,"command":"ls",` +
		`"server":"notes","server_tool":"note","path":"/p/a","file_content":"text","request":{"model":"m","messages":[` +
		`{"role":"system","content":"s"},{"role":"user","content":"u"}],"temperature":0.5,"max_tokens":9},` +
		`"tools":["read_file","shell_exec"],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},` +
		`"calls":[{"tool_name":"shell_exec","arguments":{"command":"ls"},"tool_call_id":"c","status":"ran",` +
		`"output":"a\n","category":"shell","subject":"command"}]}`
}

// payloadCases are moments of chibi: nothing known, all known, other words, and each tool
// where the agent first names one in that way.
func payloadCases(e engine.Event, before []engine.Event) (list []golden) {
	inputs := []string{"nothing", "all",
		`some {"permission_mode":"default","reason":"interrupt","failure_kind":"interrupted"}`,
		`some {"reason":"error","source":"resume"}`, `some {"reason":"other","source":"compact"}`,
		`some {"reason":"clear","source":"clear"}`}
	known := slices.ContainsFunc(before, func(other engine.Event) bool { return ofCall(other) == ofCall(e) })
	for i, call := range toolCalls() {
		if ofCall(e) != "" && (i == 0 || !known) {
			inputs = append(inputs, "some "+call)
		}
	}
	for _, in := range inputs {
		list = append(list, golden{kind: "payload", at: e.Name, in: in})
	}
	return list
}

// ofCall says how an event tells of a tool call.
func ofCall(e engine.Event) (forms string) {
	for _, f := range e.Fields {
		if f.Value == engine.ToolName || f.Value == engine.ToolInput || f.Value == engine.ToolOutput {
			forms += string(f.Value) + " as " + string(f.Form) + ", "
		}
	}
	return forms + fmt.Sprintf("%.0d", len(e.Tools))
}

// variableCases are the variables at an event.
func variableCases(e engine.Event) []golden {
	call := `some {"mode":"chat","tool_name":"look","tool_category":"read","tool_subject":"file",` +
		`"tool_input":{"file":"a"}}`
	return []golden{{kind: "variables", at: e.Name, in: "all"}, {kind: "variables", at: e.Name, in: call}}
}

// toolCalls are values of moments: calls of tools of each kind.
func toolCalls() (list []string) {
	for _, call := range [][4]string{
		{"shell_exec", "shell", "command", `{"command":"ls","timeout_secs":5,"cwd":"x"}`},
		{"run", "shell", "cmd", `{"cmd":"ls"}`},
		{"read_file", "read", "path", `{"path":"a","offset":1,"limit":2}`},
		{"look", "read", "file", `{"file":"~/a"}`},
		{"write_file", "write", "path", `{"path":"a","content":"text"}`}, {"put", "write", "file", `{"file":"/a"}`},
		{"file_edit", "edit", "path", `{"path":"/a","old_string":"x","new_string":"y","replace_all":true}`},
		{"patch", "edit", "file", `{"file":"a"}`},
		{"glob_files", "search", "path", `{"pattern":"*.go","path":"a","max_results":3}`},
		{"grep_files", "search", "path",
			`{"pattern":"x","path":"a","file_pattern":"*.go","ignore_case":true,"context_lines":1,"max_results":3}`},
		{"dir_list", "search", "path", `{"path":"a"}`},
		{"fetch_url", "fetch", "url", `{"url":"http://a/"}`}, {"get", "fetch", "at", `{"at":"http://a/"}`},
		{"spawn_agent", "agent", "", `{"task":"do it","agent":"reviewer"}`}, {"ask", "agent", "", `{"task":"do it"}`},
		{"update_todos", "", "", `{"content":"text"}`}, {"dance", "", "", `{"steps":3}`},
	} {
		list = append(list, fmt.Sprintf(`{"tool_name":%q,"tool_category":%q,"tool_subject":%q,"tool_input":%s}`,
			call[0], call[1], call[2], call[3]))
	}
	return append(list, `{"tool_name":"mcp__notes__note","tool_category":"mcp","tool_input":{"title":"a"},`+
		`"server":"notes","server_tool":"note"}`)
}

// answerCases are ends of hooks: texts and statuses, and each row with a value that it
// means, with a different value, and without its needs. Cases that an event shares with earlier events are there
// once.
func answerCases(e engine.Event, before []engine.Event) (list []golden) {
	add := func(status, stdout, stderr string) {
		list = append(list, golden{kind: "answer", at: e.Name, how: status, in: stdout, err: stderr})
	}
	for _, status := range []string{"0", "1", "2", "3", "49", "signal", "timeout"} {
		add(status, "", "oh")
		add(status, "text", "")
		if len(before) == 0 || e.Kind == engine.BeforeTool {
			for _, text := range []string{"", `{"more":1}`, `{"decision":`, `["a"]`, `"{\"reason\":\"r\"}"`} {
				add(status, text, "")
			}
		}
	}
	if e.Kind == engine.BeforeTool {
		add("start", "", "oh")
	}
	for i, row := range e.Rows {
		answers := rowAnswers(e, row)
		known := slices.ContainsFunc(before, func(other engine.Event) bool {
			return slices.ContainsFunc(other.Rows, func(r engine.Row) bool { return cmp.Equal(r, row) })
		})
		if known && row.Is == "" {
			answers = answers[:1]
		}
		for _, answer := range answers {
			add("0", answer, "")
		}
		if e.Kind == engine.BeforeTool || row.Set == engine.SetDecision || row.Set == engine.SetContext ||
			len(e.Exits) > 0 && i == 0 {
			add("1", answers[0], "oh")
			add("2", answers[0], "oh")
			add("2", answers[0], "")
		}
	}
	return list
}

// rowAnswers are answers with the member of a row: with what it needs and other values, and
// without each of its conditions.
func rowAnswers(e engine.Event, row engine.Row) (list []string) {
	values := []string{`"text"`, `{"stdout":"out","command":"ls"}`, `["a","b"]`, `null`, `""`}
	switch {
	case row.Is != "":
		values = []string{row.Is, `"other"`, strconv.FormatBool(row.Is == "false")}
	case row.Set == engine.SetInput || row.Set == engine.SetInputPatch || row.Set == engine.SetEnv ||
		row.Set == engine.SetRequest || row.Set == engine.SetInclude:
		values[0], values[1] = values[1], values[0]
	}
	all := slices.Concat(row.Needs, row.When)
	for _, around := range e.Rows {
		if strings.HasPrefix(row.Path, around.Path+".") {
			all = append(all, around.Needs...)
		}
	}
	var conditions []string
	for _, c := range all {
		conditions = append(conditions, c.String())
	}
	for _, value := range values {
		list = append(list, meeting(with("{}", row.Path, value), conditions))
	}
	for i, condition := range conditions {
		others := slices.Concat(conditions[:i], conditions[i+1:])
		list = append(list, meeting(with("{}", row.Path, values[0]), others))
		if unwanted, isNot := strings.CutPrefix(condition, "!"); isNot {
			path, value, _ := strings.Cut(unwanted, "=")
			if path == row.Path {
				list = append(list, meeting(with("{}", path, value), others))
				continue
			}
			list = append(list, meeting(with(with("{}", path, orText(value)), row.Path, values[0]), others))
		}
	}
	return list
}

// meeting returns an answer that fulfils conditions.
func meeting(answer string, conditions []string) string {
	for _, c := range conditions {
		if path, value, _ := strings.Cut(c, "="); !strings.HasPrefix(path, "!") && !gjson.Get(answer, path).Exists() {
			answer = with(answer, path, orText(value))
		}
	}
	return answer
}

func orText(value string) string {
	if value == "" {
		return `"x"`
	}
	return value
}

// with returns an object with a member, or as it is if a list is in the way.
func with(object, path, value string) string {
	if text, err := sjson.SetRaw(object, path, value); err == nil {
		return text
	}
	return object
}

// outputCases are effects, and what replaces arguments and results also at each captured
// payload of the event.
func (a agent) outputCases(e engine.Event) (list []golden) {
	for _, effect := range effects() {
		list = append(list, golden{kind: "output", at: e.Name, in: effect})
	}
	if trusts := slices.Sorted(maps.Keys(a.captured)); a.AskTrusts && e.Kind == engine.BeforeTool {
		at := slices.IndexFunc(trusts, func(name string) bool { return a.event(name).Name == e.Name })
		list = append(list, golden{kind: "output", at: trusts[at], in: `{"Decision":"ask","Reason":"sure?"}`})
	}
	both := `{"Input":{"command":"pwd"},"InputPatch":true,"Output":"other"}`
	for _, name := range slices.Sorted(maps.Keys(a.captured)) {
		if a.event(name).Name == e.Name {
			list = append(list, golden{kind: "output", at: name, in: both})
		}
	}
	return list
}

// effects are what plugins of chibi can say.
func effects() []string {
	return []string{
		`{"Decision":"deny","Reason":"no"}`, `{"Decision":"deny"}`, `{"Decision":"ask","Reason":"sure?"}`,
		`{"Decision":"allow","Reason":"fine"}`, `{"Halt":true,"HaltReason":"stop"}`,
		`{"Halt":true,"Decision":"deny","Reason":"no"}`,
		`{"Context":"text","SystemMessage":"m"}`, `{"Decision":"deny","Reason":"no","Context":"text"}`,
		`{"Input":{"command":"pwd"}}`, `{"Input":{"command":"pwd"},"Decision":"allow"}`,
		`{"Input":{"command":"pwd"},"Decision":"ask","Reason":"sure?"}`,
		`{"Output":"other"}`, `{"Decision":"deny","Reason":"no","OutputReplaced":true}`,
		`{"Prompt":"other"}`, `{"Env":{"A":"1"}}`, `{"Include":["Read"]}`, `{"Include":[]}`,
		`{"Request":{"temperature":1,"messages":[{"role":"user","content":"other"}]}}`,
	}
}

// matchCases are matchers of all forms, and of tools by each name at the first event that
// compares them.
func (a agent) matchCases(e engine.Event, before []engine.Event) (list []golden) {
	matchers := []string{"", "*", ".", "a", "startup|resume", "startup, resume", "start", "^st.*p$", "(",
		"^(?!st).*o$", "(?!s).*t$",
		"Edit Bash", "re-viewer", "a_b"}
	if e.Matches == "" {
		matchers = []string{"a"}
	}
	known := slices.ContainsFunc(before, func(other engine.Event) bool {
		return other.Matches == e.Matches && cmp.Equal(other.Tools, e.Tools)
	})
	tools := a.Tools
	if e.Tools != nil {
		tools = e.Tools
	}
	for _, tool := range tools {
		if e.Matches == engine.ToolName && !known {
			matchers = append(matchers, tool.Name, tool.Name[1:])
			for _, also := range tool.Also {
				matchers = append(matchers, also, "^"+also+"$")
			}
		}
	}
	for _, matcher := range matchers {
		list = append(list, golden{kind: "match", at: e.Name, in: matcher})
	}
	return list
}

// matchable are values that matchers are compared with.
func matchable(d engine.Dialect) []string {
	values := []string{"startup", "start", "auto", "a_b", "re-viewer", "Edit Bash", "(", "mcp__notes__note"}
	for _, tool := range d.Tools {
		values = append(values, tool.Name)
	}
	return values
}
