package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFilterOfGeminiSeesTheRequest: one that offers the tools for which the person asks, as Gemini CLI's
// documentation teaches it, and one that looks at the request of a response.
func TestAFilterOfGeminiSeesTheRequest(t *testing.T) {
	h := newAgentHome(t, "")
	h.write("filter.py", `import json, sys
request = json.load(sys.stdin)["llm_request"]
print(json.dumps(request), file=open("requests", "a"))
request["config"].get("temperature")
asked = [m for m in request["messages"] if m["role"] == "user"][-1]["content"]
names = ["read_file"] if "read only" in asked else ["run_shell_command"]
print(json.dumps({"hookSpecificOutput": {"hookEventName": "BeforeToolSelection",
  "toolConfig": {"mode": "ANY", "allowedFunctionNames": names}}}))
`)
	h.write("after.py", `import json, sys
event = json.load(sys.stdin)
print(json.dumps(event["llm_request"]), file=open("requests", "a"))
`)
	hook := func(file string) string {
		return fmt.Sprintf(`[{"hooks": [{"type": "command", "command": "python3 %s"}]}]`, file)
	}
	h.write("gemini.json", fmt.Sprintf(`{"hooks": {"BeforeToolSelection": %s, "AfterModel": %s}}`, hook("filter.py"),
		hook("after.py")))
	dir, _ := os.Getwd()
	on := fmt.Sprintf("foreign.gemini.files=[%q]", filepath.Join(dir, "gemini.json"))
	for prompt, ran := range map[string]bool{`@tool shell_exec {"command": "echo ran; # read only"}`: false, call: true} {
		a := h.ask(prompt, trusting(on))
		if strings.Contains(a.answer, "ran\n") != ran || a.notices != "" {
			t.Errorf("%s: %q\n%s", prompt, a.answer, a.notices)
		}
		requests, err := os.ReadFile("requests")
		lines := strings.Split(strings.TrimSpace(string(requests)), "\n")
		if err != nil || len(lines) < 2 || lines[0] != lines[1] || !strings.Contains(lines[0], `"model": "`) {
			t.Errorf("%s: the filter and the hook after the model were not told the same request: %v\n%s", prompt, err, requests)
		}
		os.Remove("requests")
	}
}
