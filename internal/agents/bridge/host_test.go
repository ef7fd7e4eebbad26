package bridge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/tidwall/gjson"
)

// Events in several directories come at once, and each has its plugins run in its own.
func TestEventsOnLinesHappenEachInItsDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	first, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	where := map[string]string{"where": script("where", `"pre_tool"`,
		`echo "{\"block\": true, \"message\": \"in $(pwd -P)\"}"`)}
	dirs, want := []string{""}, []string{first}
	for range 3 {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		dirs, want = append(dirs, dir), append(want, dir)
	}
	var lines, out bytes.Buffer
	for n := range 20 {
		payload := fmt.Sprintf(`{"session_id":"s","cwd":%q,"tool_name":"Bash","tool_input":{"command":"ls"}}`, dirs[n%4])
		fmt.Fprintf(&lines, `{"id":%d,"event":"PreToolUse","payload":%s}`+"\n", n, payload)
	}
	claude, _ := agents.ByName("claude")
	h := bridge.NewHost(app.Options{Home: home(t, "", where)}, claude)
	defer h.Close()
	if err := h.ServeLines(t.Context(), &lines, &out); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(answers) != 20 {
		t.Fatalf("%d answers", len(answers))
	}
	for _, line := range answers {
		answer := gjson.Parse(line)
		got := gjson.Get(answer.Get("stdout").Str, "hookSpecificOutput.permissionDecisionReason").Str
		if n := answer.Get("id").Int(); !strings.HasPrefix(got, "in "+want[n%4]+"\n") {
			t.Errorf("%d: %s, want in %s", n, got, want[n%4])
		}
	}
}

// Whatever comes on a line, no answer is invented, and the error names the line.
func TestALineThatIsNotAnEventEndsTheHost(t *testing.T) {
	claude, _ := agents.ByName("claude")
	event := `{"id":1,"event":"PreToolUse","payload":{"tool_name":"Bash"}}` + "\n"
	for _, line := range []string{"", "[]", "{}", `{"event":"PreToolUse"}`, `{"payload":{}}`, strings.Repeat("[", 5000)} {
		h := bridge.NewHost(app.Options{Home: home(t, "", nil)}, claude)
		var out bytes.Buffer
		err := h.ServeLines(t.Context(), strings.NewReader(event+line+"\n"+event), &out)
		h.Close()
		if err == nil || !strings.HasPrefix(err.Error(), "line 2 is not an event") {
			t.Errorf("%.20s: %v", line, err)
		}
		if n := bytes.Count(out.Bytes(), []byte("\n")); n != 1 || !json.Valid(bytes.TrimSpace(out.Bytes())) {
			t.Errorf("%.20s: %s", line, out.Bytes())
		}
	}
}
