package bridge_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/tidwall/gjson"
)

// foreign is a home in which hooks of another agent run: its settings file, in that agent's words. The
// hooks find the home in HOOKS.
func foreign(t *testing.T, agent, settings string) (dir string) {
	t.Helper()
	dir = home(t, "", nil)
	t.Setenv("HOOKS", dir)
	write(t, filepath.Join(dir, "config.toml"),
		"[foreign."+agent+"]\nfiles = [\""+filepath.Join(dir, "hooks.json")+"\"]\n")
	write(t, filepath.Join(dir, "hooks.json"), settings)
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// groups are the hooks of a settings file in Claude Code's shape: a command for each event.
func groups(commands map[string]string) string {
	events := map[string]any{}
	for event, command := range commands {
		handler := map[string]any{"type": "command", "command": command}
		events[event] = []any{map[string]any{"hooks": []any{handler}}}
	}
	text, _ := json.Marshal(map[string]any{"hooks": events})
	return string(text)
}

// tell has an agent say an event and returns the answer.
func tell(t *testing.T, dir, agent, name, payload string) string {
	t.Helper()
	e := event(dir, name)
	e.Agent, _ = agents.ByName(agent)
	out := e.Answer(t.Context(), strings.NewReader(payload))
	return string(out.Stdout) + out.Stderr
}

// A hook for the selection of tools gets the last prompt as a request if the agent tells none.
func TestAFilterOfGeminiInAnotherAgent(t *testing.T) {
	dir := foreign(t, "gemini", groups(map[string]string{"BeforeToolSelection": `python3 "$HOOKS/filter.py"`}))
	write(t, filepath.Join(dir, "filter.py"), `import json, sys
request = json.load(sys.stdin)["llm_request"]
request["config"].get("temperature")
asked = [m for m in request["messages"] if m["role"] == "user"][-1]["content"]
names = ["read_file"] if "read" in asked else ["run_shell_command"]
print(json.dumps({"hookSpecificOutput": {"hookEventName": "BeforeToolSelection",
  "toolConfig": {"mode": "ANY", "allowedFunctionNames": names}}}))
`)
	for prompt, want := range map[string]bool{"only read it": true, "run it": false} {
		tell(t, dir, "claude", "UserPromptSubmit", `{"session_id":"s1","prompt":"`+prompt+`"}`)
		path := filepath.Join(dir, "bridge", "claude", "s1", app.BridgeTrace)
		trace, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 { // the turn is a long one
			fmt.Fprintf(trace, `{"run":"s1","turn":1,"step":{"kind":"notice","text":"%s"}}`+"\n", strings.Repeat("x", 100_000))
		}
		trace.Close()
		out := tell(t, dir, "claude", "PreToolUse", `{"session_id":"s1","tool_name":"Bash","tool_input":{"command":"ls"}}`)
		if denied := strings.Contains(out, "plugins filter it out"); denied != want {
			t.Errorf("%s: %s", prompt, out)
		}
	}
}

// A hook is not told the file of another agent's conversation under its own agent's name for it.
func TestTheTranscriptOfAnotherAgentIsNotTold(t *testing.T) {
	for agent, event := range map[string]string{"claude": "PreToolUse", "qwen": "PreToolUse", "cursor": "preToolUse"} {
		settings := groups(map[string]string{event: `env >"$HOOKS/env"; cat >"$HOOKS/payload"`})
		if agent == "cursor" {
			settings = `{"version":1,"hooks":{"preToolUse":[{"command":"env >\"$HOOKS/env\"; cat >\"$HOOKS/payload\""}]}}`
		}
		dir := foreign(t, agent, settings)
		tell(t, dir, "codex", "PreToolUse", `{"session_id":"s1","transcript_path":"/theirs/rollout.jsonl","cwd":"/",`+
			`"tool_name":"Bash","tool_input":{"command":"ls"}}`)
		payload, err := os.ReadFile(filepath.Join(dir, "payload"))
		env, _ := os.ReadFile(filepath.Join(dir, "env"))
		if path := gjson.GetBytes(payload, "transcript_path"); err != nil || path.Raw != "null" ||
			strings.Contains(string(env), "rollout") {
			t.Errorf("%s: %v, %s, in a variable: %t", agent, err, payload, strings.Contains(string(env), "rollout"))
		}
	}
}

// on_start and on_end fire once in a session, however often the agent says that it begins and ends, and
// at once; a session that goes on after its end begins anew.
func TestASessionBeginsAndEndsOnce(t *testing.T) {
	dir := home(t, "", map[string]string{"asked": script("asked", `"on_start", "on_end", "pre_clear", "post_clear"`,
		`echo "$CHIBI_HOOK" >>"$CHIBI_HOME/asked"`)})
	asked := func() string {
		text, _ := os.ReadFile(filepath.Join(dir, "asked"))
		return strings.Join(strings.Fields(string(text)), " ")
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { tell(t, dir, "claude", "SessionStart", `{"session_id":"s1","source":"startup"}`) })
	}
	all.Wait()
	tell(t, dir, "claude", "SessionStart", `{"session_id":"s1","source":"compact"}`)
	tell(t, dir, "claude", "SessionEnd", `{"session_id":"s1","reason":"clear"}`)
	tell(t, dir, "claude", "SessionStart", `{"session_id":"s1","source":"clear"}`)
	for range 4 {
		all.Go(func() { tell(t, dir, "claude", "SessionEnd", `{"session_id":"s1","reason":"other"}`) })
	}
	all.Wait()
	if got := asked(); got != "on_start pre_clear post_clear on_end" {
		t.Error(got)
	}
	tell(t, dir, "claude", "SessionStart", `{"session_id":"s1","source":"resume"}`)
	tell(t, dir, "claude", "SessionEnd", `{"session_id":"s1","reason":"other"}`)
	tell(t, dir, "claude", "SessionEnd", `{"session_id":"before chibi was there","reason":"other"}`)
	if got := asked(); got != "on_start pre_clear post_clear on_end on_start on_end on_end" {
		t.Error(got)
	}
	tell(t, dir, "claude", "UserPromptSubmit", `{"session_id":"s1","prompt":"it goes on without a word"}`)
	tell(t, dir, "claude", "SessionEnd", `{"session_id":"s1","reason":"other"}`)
	if got := asked(); got != "on_start pre_clear post_clear on_end on_start on_end on_end on_end" {
		t.Error(got)
	}
}
