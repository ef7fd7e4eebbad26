package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/tidwall/gjson"
)

// grokSays is a payload of Grok Build, which starts the hooks of Claude Code with it too: most members twice.
func grokSays(event string, members map[string]any) string {
	all := map[string]any{"hookEventName": "x", "sessionId": "s1", "cwd": "/", "timestamp": time.Now().String(),
		"hook_event_name": event, "session_id": "s1", "permissionMode": "default", "permission_mode": "default"}
	for name, value := range members {
		all[name] = value
	}
	text, _ := json.Marshal(all)
	return string(text)
}

// grokCalls is one about the call of a command.
func grokCalls(id, command string) string {
	return grokCallsWith(id, map[string]any{"command": command})
}

func grokCallsWith(id string, input map[string]any) string {
	return grokSays("PreToolUse", map[string]any{"toolName": "run_terminal_command", "tool_name": "run_terminal_command",
		"toolUseId": id, "tool_use_id": id, "toolInput": input, "tool_input": input})
}

// counting is a plugin that notes in the home that it was asked.
func counting(name, points, body string) map[string]string {
	return map[string]string{name: script(name, points, `echo "$CHIBI_AGENT" >>"$CHIBI_HOME/asked"`+"\n"+body)}
}

// noPush denies pushes and adds a context to the rest.
const noPush = `if grep -q 'git push'; then echo '{"block":true,"message":"no pushing"}'; else
echo '{"context":"mind the rules"}'; fi`

// asked is how often plugins were asked in a home.
func asked(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, "asked"))
	return strings.Count(string(text), "\n")
}

// isAsked fails the test unless plugins were asked so often.
func isAsked(t *testing.T, dir, when string, want int) {
	t.Helper()
	if n := asked(dir); n != want {
		t.Errorf("%s: plugins were asked %d times, want %d", when, n, want)
	}
}

// begun is a home of which both entries have answered the start of Grok Build's session.
func begun(t *testing.T, config string, plugins map[string]string) (dir string) {
	t.Helper()
	dir = home(t, config, plugins)
	for _, entry := range []string{"grok", "claude"} {
		tell(t, dir, entry, "SessionStart", grokSays("SessionStart", map[string]any{"source": "new"}))
	}
	return dir
}

// Grok Build starts the entries in Claude Code's settings too: they answer as Grok Build's own do, in the
// session of Grok Build, and plugins are asked once, whichever entry comes first.
func TestTwoEntriesAreAskedAboutACallOnce(t *testing.T) {
	for _, order := range [][]string{{"claude", "grok"}, {"grok", "claude"}} {
		dir := begun(t, "", counting("guard", `"pre_tool"`, noPush))
		for _, entry := range order {
			want := `{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no pushing\n` +
				`(blocked by plugin \"guard\")"}}`
			if out := tell(t, dir, entry, "PreToolUse", grokCalls("c1", "git push")); out != want {
				t.Errorf("%s first, %s: %s, want %s", order[0], entry, out, want)
			}
		}
		isAsked(t, dir, order[0]+" first", 1)
		if agent, _ := os.ReadFile(filepath.Join(dir, "asked")); string(agent) != "grok\n" {
			t.Errorf("plugins get the agent %s", agent)
		}
		list, _ := filepath.Glob(filepath.Join(dir, "bridge", "*", "s1"))
		if len(list) != 1 || !strings.Contains(list[0], "grok") {
			t.Errorf("there are sessions %v", list)
		}
	}
}

// Variables are inherited, so they say nothing: Claude Code inside Grok Build is Claude Code.
func TestVariablesDoNotSayWhoHasStartedAnEntry(t *testing.T) {
	t.Setenv("GROK_SESSION_ID", "s1")
	t.Setenv("GROK_HOOK_EVENT", "pre_tool_use")
	dir := begun(t, "", counting("guard", `"pre_tool"`, noPush))
	payload := strings.Replace(fmt.Sprintf(call, ""), "ls ", "git push", 1)
	if out := tell(t, dir, "claude", "PreToolUse", payload); !strings.Contains(out, `"hookEventName":"PreToolUse"`) {
		t.Errorf("it is answered as in another agent: %s", out)
	}
	if list, _ := os.ReadDir(filepath.Join(dir, "bridge", "claude")); len(list) != 1 {
		t.Errorf("there are the sessions %v", list)
	}
}

// A verdict is about one event, one call, one tool with its arguments, one place; it is taken once, and never
// by the entry whose it is.
func TestAVerdictIsNotOneOnSomethingElse(t *testing.T) {
	dir := begun(t, "", counting("guard", `"pre_tool","post_tool"`, noPush))
	denied := func(entry, event, payload string) bool {
		return strings.Contains(tell(t, dir, entry, event, payload), `"deny"`)
	}
	first := grokCalls("c1", "ls")
	denied("claude", "PreToolUse", first)
	for n, other := range []string{
		grokCalls("c1", "git push"), grokCalls("c2", "ls"), strings.Replace(grokCalls("c1", "ls"), "s1", "s2", 2),
		strings.ReplaceAll(grokCalls("c1", "ls"), "run_terminal_command", "bash"),
		strings.Replace(grokCalls("c1", "ls"), `"cwd":"/"`, `"cwd":"/tmp"`, 1),
		strings.ReplaceAll(grokCalls("c1", "ls"), `"default"`, `"bypassPermissions"`),
		strings.Replace(grokCalls("c1", "ls"), `"cwd"`, `"subagentId":"a","cwd"`, 1),
	} {
		isDenied := denied("grok", "PreToolUse", other)
		if want := n == 0; isDenied != want && n != 6 {
			t.Errorf("%s: denied %t", other, isDenied)
		}
		if n < 6 {
			isAsked(t, dir, other, n+2)
		}
	}
	before := asked(dir)
	denied("grok", "PostToolUse", first)
	isAsked(t, dir, "another event", before+1)
	before++
	denied("claude", "PreToolUse", first)
	isAsked(t, dir, "the same entry again", before+1)
	denied("grok", "PreToolUse", first)
	isAsked(t, dir, "the other entry", before+1)
	denied("grok", "PreToolUse", first)
	isAsked(t, dir, "the other entry again", before+2)
	if denied("grok", "PreToolUse", first); denied("claude", "PreToolUse", grokCalls("c1", "git push")) == false {
		t.Error("a command that is denied has the verdict on another one with its id")
	}
}

// Without an id of the call, plugins are asked twice.
func TestACallWithoutAnIDIsAskedAboutTwice(t *testing.T) {
	dir := begun(t, "", counting("guard", `"pre_tool"`, noPush))
	for n, entry := range []string{"claude", "grok"} {
		out := tell(t, dir, entry, "PreToolUse", strings.ReplaceAll(grokCalls("x", "git push"), `:"x"`, `:null`))
		if !strings.Contains(out, "no pushing") {
			t.Errorf("%s: %s", entry, out)
		}
		isAsked(t, dir, entry, n+1)
	}
}

// The model gets a text once. Both entries rewrite arguments, because the last one counts, and neither rewrites
// them twice.
func TestTwoEntriesSayOneRewriteAndOneContext(t *testing.T) {
	body := `sed -n 's/.*"command":"\([^"]*\)".*/{"arguments":{"command":"safe \1"},"context":"mind the rules"}/p'`
	for name, second := range map[string]string{"the same arguments": "ls", "rewritten ones": "safe ls"} {
		dir := begun(t, "", counting("rewrites", `"pre_tool"`, body))
		out := tell(t, dir, "claude", "PreToolUse", grokCalls("c1", "ls"))
		if !strings.Contains(out, `"updatedInput":{"command":"safe ls"}`) || !strings.Contains(out, "mind the rules") {
			t.Errorf("%s, first: %s", name, out)
		}
		out = tell(t, dir, "grok", "PreToolUse", grokCalls("c1", second))
		if out != `{"hookSpecificOutput":{"updatedInput":{"command":"safe ls"}}}` {
			t.Errorf("%s, second: %s", name, out)
		}
		isAsked(t, dir, name, 1)
	}
}

// After a tool, plugins judge a different result again.
func TestTwoEntriesAreAskedAboutAResultOnce(t *testing.T) {
	dir := begun(t, "", counting("redacts", `"pre_tool_output"`,
		`echo '{"block":true,"message":"withheld","context":"mind the rules"}'`))
	result := func(text string) string {
		output := map[string]any{"type": "Text", "text": text}
		return grokSays("PostToolUse", map[string]any{"toolName": "srv__look", "tool_name": "srv__look", "toolUseId": "c1",
			"tool_use_id": "c1", "toolInput": map[string]any{}, "tool_input": map[string]any{}, "toolResult": output,
			"tool_response": output})
	}
	first := tell(t, dir, "claude", "PostToolUse", result("a secret"))
	second := tell(t, dir, "grok", "PostToolUse", result("a secret"))
	if first == "" || strings.ReplaceAll(second, "withheld", "") == second {
		t.Errorf("%s, then %s", first, second)
	}
	isAsked(t, dir, "the same result", 1)
	tell(t, dir, "claude", "PostToolUse", result("a secret"))
	tell(t, dir, "grok", "PostToolUse", result("another secret"))
	isAsked(t, dir, "another result", 3)
}

// A prompt is one turn, and a stop goes on once; a session begins once.
func TestTwoEntriesAreOneTurn(t *testing.T) {
	plugins := map[string]string{"all": script("all", `"on_start","pre_message","pre_stop","on_end"`,
		`[ $CHIBI_HOOK != pre_message ] || { cat >>"$CHIBI_HOME/prompts"; exit; }
echo $CHIBI_HOOK >>"$CHIBI_HOME/points"
[ $CHIBI_HOOK != pre_stop ] || echo '{"follow_up_messages":["again"]}'`)}
	dir := begun(t, "", plugins)
	both := func(event string, members map[string]any) (goesOn int) {
		for _, entry := range []string{"claude", "grok"} {
			if strings.Contains(tell(t, dir, entry, event, grokSays(event, members)), "again") {
				goesOn++
			}
		}
		return goesOn
	}
	both("UserPromptSubmit", map[string]any{"promptId": "p1", "prompt": "do it"})
	for n := range 6 {
		want := 2
		if n == 5 {
			want = 0
		}
		if goesOn := both("Stop", map[string]any{"promptId": "p1", "reason": "end_turn", "stopHookActive": n > 0}); goesOn !=
			want {
			t.Errorf("stop %d: %d entries have it go on, want %d", n+1, goesOn, want)
		}
	}
	both("SessionEnd", map[string]any{"reason": "shutdown"})
	points, _ := os.ReadFile(filepath.Join(dir, "points"))
	if want := "on_start\n" + strings.Repeat("pre_stop\n", 6) + "on_end\n"; string(points) != want {
		t.Errorf("what fired is %s, want %s", points, want)
	}
	if got := promptsIn(t, dir, "grok", "s1"); got != "asked: do it traced: do it" {
		t.Error(got)
	}
}

// The start of a session gets its context once.
func TestTwoEntriesGiveTheContextOfASessionOnce(t *testing.T) {
	dir := home(t, "", counting("injects", `"pre_system_prompt"`, `echo '{"inject":"be kind"}'`))
	own := tell(t, dir, "copilot", "sessionStart", `{"sessionId":"s1","timestamp":1700000000000,"cwd":"/","source":"new"}`)
	theirs := tell(t, dir, "claude", "SessionStart",
		`{"hook_event_name":"SessionStart","session_id":"s1","timestamp":"2026-11-28T10:00:00Z","cwd":"/","source":"new"}`)
	if own != `{"additionalContext":"be kind"}` || theirs != "" {
		t.Errorf("%s, then %s", own, theirs)
	}
	isAsked(t, dir, "both", 1)
}

// Whatever is wrong with what the first entry left, the second one asks itself.
func TestAVerdictThatCannotBeHad(t *testing.T) {
	for name, spoil := range map[string]func(session string) error{
		"it was not kept": func(session string) error {
			os.Remove(filepath.Join(session, "session.json"))
			return os.MkdirAll(filepath.Join(session, "session.json", "x"), 0o700)
		},
		"it is damaged": func(session string) error {
			return os.WriteFile(filepath.Join(session, "session.json"), []byte("{"), 0o600)
		},
		"it is no effect": func(session string) error { return changed(session, "effect", `"{"`) },
		"it is old": func(session string) error {
			return changed(session, "at", `"2020-01-01T00:00:00Z"`)
		},
		"it is of the future": func(session string) error {
			return changed(session, "at", `"2999-01-01T00:00:00Z"`)
		},
		"no lock can be made": func(session string) error {
			os.RemoveAll(filepath.Join(session, "asked"))
			return os.WriteFile(filepath.Join(session, "asked"), nil, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := begun(t, "", counting("guard", `"pre_tool"`, noPush))
			tell(t, dir, "claude", "PreToolUse", grokCalls("c1", "git push"))
			if err := spoil(filepath.Join(dir, "bridge", "grok", "s1")); err != nil {
				t.Fatal(err)
			}
			if out := tell(t, dir, "grok", "PreToolUse", grokCalls("c1", "git push")); !strings.Contains(out, "no pushing") {
				t.Errorf("the second entry answers %s", out)
			}
			isAsked(t, dir, "both", 2)
		})
	}
}

// changed changes a member of the verdict of a session.
func changed(session, member, value string) error {
	path := filepath.Join(session, "session.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	old := gjson.GetBytes(text, "verdicts.0."+member).Raw
	if old == "" {
		return fmt.Errorf("there is no verdict in %s", text)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(text), old, value, 1)), 0o600)
}

// An event that was interrupted has no verdict: a plugin that was ended has not answered.
func TestAnInterruptedEntryLeavesNoVerdict(t *testing.T) {
	dir := begun(t, "", counting("slow", `"pre_tool"`,
		`[ -e "$CHIBI_HOME/fast" ] || { touch "$CHIBI_HOME/begun"; exec sleep 100000; }; `+noPush))
	ctx, interrupt := context.WithCancel(t.Context())
	e := event(dir, "PreToolUse")
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Answer(ctx, strings.NewReader(grokCalls("c1", "git push")))
	}()
	untilThere(t, filepath.Join(dir, "begun"))
	interrupt()
	<-done
	write(t, filepath.Join(dir, "fast"), "")
	if out := tell(t, dir, "grok", "PreToolUse", grokCalls("c1", "git push")); !strings.Contains(out, "no pushing") {
		t.Errorf("the second entry answers %s", out)
	}
}

func untilThere(t *testing.T, path string) {
	t.Helper()
	for t.Context().Err() == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Entries that are asked at the same time wait for each other.
func TestEntriesAtTheSameTimeAskOnce(t *testing.T) {
	dir := begun(t, "", counting("guard", `"pre_tool"`,
		`touch "$CHIBI_HOME/begun"; until [ -e "$CHIBI_HOME/go" ]; do sleep 0.01; done; `+noPush))
	answers := make(chan string, 2)
	ask := func(entry string) { answers <- tell(t, dir, entry, "PreToolUse", grokCalls("c1", "git push")) }
	go ask("claude")
	untilThere(t, filepath.Join(dir, "begun"))
	go ask("grok")
	write(t, filepath.Join(dir, "go"), "")
	for range 2 {
		if out := <-answers; !strings.Contains(out, "no pushing") {
			t.Errorf("it answers %s", out)
		}
	}
	isAsked(t, dir, "both", 1)
	if left, _ := os.ReadDir(filepath.Join(dir, "bridge", "grok", "s1", "asked")); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

// An entry that holds the others up, such as a stopped one, is waited for half of the time.
func TestAnEntryThatHoldsTheOthersUp(t *testing.T) {
	dir := begun(t, "[plugins.guard]\non_failure = \"block\"\n", counting("guard", `"pre_tool"`,
		`ls "$CHIBI_HOME/bridge/grok/s1/asked" >"$CHIBI_HOME/lock"; `+noPush))
	tell(t, dir, "claude", "PreToolUse", grokCalls("c1", "git push"))
	name, err := os.ReadFile(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := disk.Lock(filepath.Join(dir, "bridge", "grok", "s1", "asked", strings.TrimSpace(string(name))))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	e := event(dir, "PreToolUse")
	e.Agent, _ = agents.ByName("grok")
	e.Deadline = 6 * time.Second
	began := time.Now()
	out := e.Answer(t.Context(), strings.NewReader(grokCalls("c1", "git push")))
	if !strings.Contains(string(out.Stdout), `"deny"`) {
		t.Errorf("it answers %s", out.Stdout)
	}
	if took := time.Since(began); took < 3*time.Second {
		t.Errorf("it has waited for %s", took)
	}
	isAsked(t, dir, "both", 2)
}

// A process that holds the lock of what is remembered, such as one that the model has started, does not have the
// agent give up on an entry.
func TestTheStateIsNotWaitedForTooLong(t *testing.T) {
	dir := begun(t, "", counting("guard", `"pre_tool"`, noPush))
	unlock, err := disk.Lock(filepath.Join(dir, "bridge", "grok", "s1", "session.json.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	e := event(dir, "PreToolUse")
	e.Deadline = 4 * time.Second
	began := time.Now()
	out := e.Answer(t.Context(), strings.NewReader(grokCalls("c1", "git push")))
	if took := time.Since(began); !strings.Contains(string(out.Stdout), "no pushing") || took > 8*time.Second {
		t.Errorf("it answers %s after %s", out.Stdout, took)
	}
}

// A required guard denies in both entries, by its failure too.
func TestARequiredGuardHoldsInBothEntries(t *testing.T) {
	for config, plugins := range map[string]map[string]string{
		"[plugins.guard]\non_failure = \"block\"\n": counting("guard", `"pre_tool"`, "exit 7"),
		"[plugins.gone]\non_failure = \"block\"\n":  nil,
	} {
		dir := begun(t, config, plugins)
		for _, entry := range []string{"claude", "grok"} {
			if out := tell(t, dir, entry, "PreToolUse", grokCalls("c1", "ls")); !strings.Contains(out, `"deny"`) {
				t.Errorf("%s, %s: %s", config, entry, out)
			}
		}
	}
}

// The file of verdicts is bounded, belongs to its owner alone, and goes with the session.
func TestVerdictsAreBoundedAndGoWithTheSession(t *testing.T) {
	dir := begun(t, "", counting("large", `"pre_tool"`,
		`printf '{"arguments":{"command":"'; head -c 200000 /dev/zero | tr '\0' x; echo '"}}'`))
	path := filepath.Join(dir, "bridge", "grok", "s1", "session.json")
	for n := range 20 {
		tell(t, dir, "claude", "PreToolUse", grokCalls(fmt.Sprint("c", n), "ls"))
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 5<<20 || info.Size() < 3<<20 || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	tell(t, dir, "claude", "SessionEnd", grokSays("SessionEnd", map[string]any{"reason": "shutdown"}))
	if info, err := os.Stat(path); err != nil || info.Size() > 1000 {
		t.Errorf("%v, %v", info, err)
	}
}

// A verdict that is too large is not kept.
func TestALargeVerdictIsAskedForTwice(t *testing.T) {
	dir := begun(t, "", counting("large", `"pre_tool"`,
		`printf '{"arguments":{"command":"'; head -c 300000 /dev/zero | tr '\0' x; echo '"}}'`))
	for _, entry := range []string{"claude", "grok"} {
		if out := tell(t, dir, entry, "PreToolUse", grokCalls("c1", "ls")); len(out) < 300000 {
			t.Errorf("%s: %d bytes", entry, len(out))
		}
	}
	isAsked(t, dir, "both", 2)
}

// An entry of an agent that starts no other one's hooks keeps nothing.
func TestAnEntryThatIsAloneKeepsNothing(t *testing.T) {
	dir := home(t, "", counting("guard", `"pre_tool"`, noPush))
	tell(t, dir, "grok", "PreToolUse", grokCalls("c1", "ls"))
	tell(t, dir, "claude", "PreToolUse", fmt.Sprintf(call, ""))
	for _, agent := range []string{"grok", "claude"} {
		if files, _ := filepath.Glob(filepath.Join(dir, "bridge", agent, "*", "session.json")); files != nil {
			t.Errorf("%s: there is %s", agent, files)
		}
	}
}

// Copilot CLI says calls in its own names and takes its own answers, Cursor takes Claude Code's. VS Code is no
// agent of chibi's: in it an entry of Claude Code's is that.
func TestEntriesOfClaudeCodeInOtherAgents(t *testing.T) {
	for _, test := range []struct{ agent, payload, want string }{
		{"copilot", `{"hook_event_name":"PreToolUse","session_id":"s1","timestamp":"2026-11-28T10:00:00.000Z","cwd":"/",` +
			`"tool_name":"Read","tool_input":{"path":"/secret"}}`,
			`{"permissionDecision":"deny","permissionDecisionReason":"read_file /secret\n(blocked by plugin \"says\")"}`},
		{"cursor", "\ufeff" + `{"conversation_id":"s1","session_id":"s1","generation_id":"g1","model":"m",` +
			`"hook_event_name":"preToolUse","cursor_version":"2026.08.11","workspace_roots":["/"],"transcript_path":null,` +
			`"tool_name":"Read","tool_input":{"file_path":"/secret"},"tool_use_id":"c1","cwd":""}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":` +
				`"read_file /secret\n(blocked by plugin \"says\")"}}`},
		{"claude", `{"timestamp":"2026-06-03T10:00:00.000Z","cwd":"/","sessionId":"s1","hookEventName":"PreToolUse",` +
			`"transcript_path":"/t","tool_name":"Read","tool_input":{"file_path":"/secret"},"tool_use_id":"c1"}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":` +
				`"read_file /secret\n(blocked by plugin \"says\")"}}`},
	} {
		dir := home(t, "", map[string]string{"says": script("says", `"pre_tool"`,
			`sed 's/.*"tool_name":"\([^"]*\)".*"path":"\([^"]*\)".*/{"block":true,"message":"\1 \2"}/'`)})
		if out := tell(t, dir, "claude", "PreToolUse", test.payload); out != test.want {
			t.Errorf("%s: %s, want %s", test.agent, out, test.want)
		}
		if list, _ := os.ReadDir(filepath.Join(dir, "bridge", test.agent)); len(list) != 1 || list[0].Name() != "s1" {
			t.Errorf("%s has the sessions %v", test.agent, list)
		}
	}
}

// Cursor has events of its own for commands, reads and calls of MCP servers, and Claude Code's settings have no entry
// for them: there chibi asks the guards about the call of the tool.
func TestAnEntryOfClaudeCodeInCursorAsksAllGuards(t *testing.T) {
	for point, tool := range map[string]string{
		"pre_shell_exec": `"Shell","tool_input":{"command":"ls"}`, "pre_file_read": `"Read","tool_input":{"file_path":"/a"}`,
		"pre_mcp_call": `"MCP:look","tool_input":{}`,
	} {
		for _, broken := range []string{"", "exit 7"} {
			dir := home(t, "[plugins.guard]\non_failure = \"block\"\n", map[string]string{"guard": script("guard",
				`"`+point+`"`, broken+"\necho '{\"denied\":true,\"reason\":\"no\"}'")})
			payload := `{"conversation_id":"s1","session_id":"s1","generation_id":"g1","cursor_version":"2026.08.11",` +
				`"workspace_roots":["/"],"tool_use_id":"c1","cwd":"","tool_name":` + tool + "}"
			if out := tell(t, dir, "claude", "PreToolUse", payload); !strings.Contains(out, `"deny"`) {
				t.Errorf("%s, %q: %q", point, broken, out)
			}
			if out := tell(t, dir, "cursor", "preToolUse", strings.Replace(payload, "c1", "c2", 1)); out != "" {
				t.Errorf("%s is asked at preToolUse too: %s", point, out)
			}
		}
	}
}
