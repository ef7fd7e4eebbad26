package bridge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/tidwall/gjson"
)

// carried asks a host about events, each a line, and returns what it answers to each.
func carried(t *testing.T, home, agent string, lines ...string) (answers []gjson.Result, said []string) {
	t.Helper()
	d, _ := agents.ByName(agent)
	h := bridge.NewHost(app.Options{Home: home}, d)
	defer h.Close()
	var out bytes.Buffer
	if err := h.ServeLines(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	answers, said = make([]gjson.Result, len(lines)), make([]string, len(lines))
	for line := range strings.Lines(out.String()) {
		answer := gjson.Parse(line)
		n := answer.Get("id").Int()
		answers[n], said[n] = gjson.Parse(answer.Get("stdout").Str), answer.Get("stderr").Str
	}
	return answers, said
}

// told is an event as a line: what a plugin in JavaScript says of it is a text.
func told(n int, event, members string) string {
	payload, _ := json.Marshal(`{"event":"` + event + `","session":"s1","cwd":"/",` + members + `}`)
	return fmt.Sprintf(`{"id":%d,"event":%q,"payload":%s}`, n, event, payload)
}

// The dialect of carriers: what plugins say at each event is what is answered, in its members.
func TestTheDialectOfCarriers(t *testing.T) {
	all := map[string]string{"all": script("all", `"pre_message","pre_tool","pre_tool_output","pre_stop",`+
		`"pre_api_request","pre_system_prompt","pre_compact"`, `data=$(cat)
case "$CHIBI_HOOK $data" in
pre_message*secret*) echo '{"block": true, "message": "no secrets"}' ;;
pre_message*) echo '{"prompt": "better", "context": "beside it"}' ;;
pre_tool_output*end*) echo '{"halt": true, "message": "enough"}' ;;
pre_tool_output*) echo '{"output": "redacted"}' ;;
pre_tool*push*) echo '{"block": true, "message": "no push"}' ;;
pre_tool*end*) echo '{"halt": true, "message": "enough"}' ;;
pre_tool*) echo '{"arguments": {"command": "pwd"}}' ;;
pre_stop*) echo '{"follow_up_messages": ["go on"]}' ;;
pre_api_request*) echo '{"request_body": {"temperature": 1, "gone": null}}' ;;
pre_system_prompt*) echo '{"inject": "be kind"}' ;;
pre_compact*) echo '{"block": true, "message": "keep it"}' ;;
esac`)}
	call := `"tool":"bash","id":"c","input":{"command":%q}`
	for _, test := range []struct {
		event, members string
		want           string // of pi; parts of the answer
		also           string // of OpenCode, if it is another one; "-": it has no such event
	}{
		{"session_start", `"source":"startup"`, `{"context":"be kind"}`, ""},
		{"prompt", `"prompt":"hi"`, `"prompt":"better"`, ""},
		{"prompt", `"prompt":"hi"`, `"context":"<context plugin=`, ""},
		{"prompt", `"prompt":"a secret"`, `{"block":true,"message":"no secrets"`, ""},
		{"request", `"request":{"model":"m","gone":1}`, `{"request":{"gone":null,"temperature":1}}`, "-"},
		{"tool_call", fmt.Sprintf(call, "git push"), `{"block":true,"message":"no push`, ""},
		{"tool_call", fmt.Sprintf(call, "ls"), `{"input":{"command":"pwd"}}`, ""},
		{"tool_call", fmt.Sprintf(call, "end"), `"halt":true`, `{"block":true,"message":"halted by plugin`},
		{"tool_result", fmt.Sprintf(call, "ls") + `,"output":"secret","status":"ran"`, `{"output":"redacted"}`, ""},
		{"tool_result", fmt.Sprintf(call, "end") + `,"output":"","status":"ran"`, `"halt":true`, "cannot end the turn"},
		{"stop", `"response":"done"`, `{"block":true,"message":"go on"}`, "cannot refuse anything at stop"},
		{"compact", `"trigger":"manual"`, `{"block":true,"message":"keep it"}`, "-"},
	} {
		for agent, want := range map[string]string{"pi": test.want, "opencode": test.also} {
			if want == "-" {
				continue
			}
			if want == "" {
				want = test.want
			}
			answers, said := carried(t, home(t, "", all), agent, told(0, test.event, test.members))
			if got := answers[0].Raw + said[0]; !strings.Contains(got, want) {
				t.Errorf("%s: %s %s: %s, want %s", agent, test.event, test.members, got, want)
			}
		}
	}
}

// An event that chibi cannot read denies. An event that has failed before denies if a required plugin had to
// decide. The other events go on.
func TestAnEventOnALineFailsAlone(t *testing.T) {
	guard := map[string]string{"guard": script("guard", `"pre_tool"`, `case "$(cat)" in
*push*) echo '{"block": true, "message": "no push"}' ;; esac`)}
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	odd, _ := json.Marshal(`{"session":"s1","tool":"bash","input":{"command":"git push \ud800"},"id":"` + "\xff" + `"}`)
	lines := []string{
		told(0, "tool_call", `"tool":"bash","input":{"command":"ls","x":`+deep+`}`),
		`{"id":1,"event":"tool_call","payload":"{","fail_closed":true}`,
		`{"id":2,"event":"tool_call","payload":{"session":"s1"},"failed":"the process has ended"}`,
		`{"id":3,"event":"tool_result","payload":{"session":"s1"},"failed":"the process has ended","fail_closed":true}`,
		told(4, "tool_call", `"tool":"bash","input":{"command":"git push"}`),
		`{"id":5,"event":"tool_call","payload":` + string(odd) + `}`,
		told(6, "tool_call", `"tool":"bash","input":{"command":"ls"}`),
	}
	for config, blocks := range map[string][]bool{
		"": {true, true, false, false, true, true, false},
		"[plugins.guard]\non_failure = \"block\"\n": {true, true, true, false, true, true, false},
	} {
		answers, said := carried(t, home(t, config, guard), "pi", lines...)
		for n, want := range blocks {
			if got := answers[n].Get("block").Bool(); got != want {
				t.Errorf("%q: %d blocks: %t, want %t: %s %s", config, n, got, want, answers[n].Raw, said[n])
			}
		}
		if text := answers[2].Raw + said[2] + answers[3].Raw + said[3]; !strings.Contains(text, "the process has ended") {
			t.Errorf("%q: %s", config, text)
		}
	}
}

// The error for a line that is not an event says what the line lacks.
func TestALineSaysWhatItLacks(t *testing.T) {
	pi, _ := agents.ByName("pi")
	for line, want := range map[string]string{
		`{"id":0,"payload":{}}`:   "line 1 is not an event, an object with id, event and payload: it has no event",
		`{"id":0,"event":"stop"}`: "line 1 is not an event, an object with id, event and payload: it has no payload",
		`{"id":0`:                 "not JSON: unexpected EOF at byte 7",
	} {
		h := bridge.NewHost(app.Options{Home: home(t, "", nil)}, pi)
		err := h.ServeLines(t.Context(), strings.NewReader(line), io.Discard)
		if h.Close(); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A file that is not chibi's, that asks another home, or that somebody has changed is neither replaced nor removed;
// one that another version wrote is.
func TestOnlyItsOwnPluginIsReplaced(t *testing.T) {
	pi, _ := agents.ByName("pi")
	chibi, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, ".pi", "agent", "extensions", "chibi.js")
	i := bridge.Installer{Agent: pi, Scope: engine.ScopeUser, Home: home(t, "", nil), Chibi: chibi, UserHome: dir,
		Project: dir, Getenv: func(string) string { return "" }}
	other := i
	other.Home = home(t, "", nil)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(want string) {
		t.Helper()
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("it holds %q, %v", text, err)
		}
	}
	if _, err := other.Add(); err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ text, add, remove string }{
		"another home's": {string(theirs), "asks the home " + other.Home, ""},
		"a person's":     {"export default function (pi) {}\n", "the file is not chibi's; move it away", ""},
		"an empty one":   {"", "the file is not chibi's; move it away", ""},
		"changed": {strings.Replace(string(theirs), "spawn(", "spwan(", 1), "it was changed since chibi wrote it",
			"it was changed since chibi wrote it"},
	} {
		write(test.text)
		if _, err := i.Add(); err == nil || !strings.Contains(err.Error(), test.add) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: add: %v", name, err)
		}
		_, err := i.Remove()
		if test.remove == "" && err != nil || err != nil && !strings.Contains(err.Error(), test.remove) {
			t.Errorf("%s: remove: %v", name, err)
		}
		holds(test.text)
	}
	write(string(theirs))
	if found, err := i.Find(); err != nil || len(found) != 1 || found[0].Own || found[0].Problem != "" {
		t.Errorf("%+v, %v", found, err)
	}
	older := other
	older.Limit = 1000 * 1000 * 1000 * 30
	if _, err := older.Add(); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Add(); err != nil {
		t.Fatal(err)
	}
	holds(string(theirs))
	if _, err := other.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
	// A link of somebody else's project leads to a file that is not chibi's.
	secret := filepath.Join(t.TempDir(), "profile")
	if err := os.WriteFile(secret, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	i.Scope = engine.ScopeProject
	link := filepath.Join(dir, ".pi", "extensions", "chibi.js")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	_, err = i.Add()
	if text, _ := os.ReadFile(secret); err == nil || string(text) != "mine\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// Goose denies a call where chibi's hook fails, if it was added so, and only there.
func TestGooseDeniesWhereTheEntryFails(t *testing.T) {
	goose, _ := agents.ByName("goose")
	dir := t.TempDir()
	i := bridge.Installer{Agent: goose, Scope: engine.ScopeUser, Home: home(t, "", nil), Chibi: "/bin/sh", UserHome: dir,
		Project: dir, Getenv: func(string) string { return "" }}
	for _, closed := range []bool{true, false} {
		i.FailClosed = closed
		if _, err := i.Add(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, ".agents", "plugins", "chibi", "hooks", "hooks.json"))
		if err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{true: "block"}[closed]
		if got := gjson.GetBytes(text, "hooks.PreToolUse.0.hooks.0.on_failure").Str; got != want {
			t.Errorf("%t: %q", closed, got)
		}
		if bytes.Count(text, []byte("on_failure")) > 1 {
			t.Errorf("%s", text)
		}
	}
}
