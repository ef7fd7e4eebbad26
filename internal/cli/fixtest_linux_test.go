package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// scriptedCall is a tool call of a scripted model.
type scriptedCall struct {
	tool string
	args map[string]any
}

// scriptedModel calls one tool in each response, whatever it is told, then says "done".
type scriptedModel struct {
	address string

	mu       sync.Mutex
	requests []string
}

func newScriptedModel(t *testing.T, calls []scriptedCall) *scriptedModel {
	t.Helper()
	m := &scriptedModel{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		m.mu.Lock()
		n := len(m.requests)
		m.requests = append(m.requests, string(body))
		m.mu.Unlock()
		delta := map[string]any{"content": "done"}
		if n < len(calls) {
			args, _ := json.Marshal(calls[n].args)
			delta = map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": fmt.Sprint("call_", n),
				"function": map[string]any{"name": calls[n].tool, "arguments": string(args)}}}}
		}
		data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": delta}}})
		fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", data)
	}))
	t.Cleanup(server.Close)
	m.address = server.URL + "/v1"
	return m
}

// results are what the model was told about its calls, in order.
func (m *scriptedModel) results(t *testing.T) (results []string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	var last struct {
		Messages []struct{ Role, Content string } `json:"messages"`
	}
	if err := json.Unmarshal([]byte(m.requests[len(m.requests)-1]), &last); err != nil {
		t.Fatal(err)
	}
	for _, message := range last.Messages {
		if message.Role == "tool" {
			results = append(results, message.Content)
		}
	}
	return results
}

// failing is a module whose test fails, and what a model does about it.
func failing(t *testing.T) (dir string, calls []scriptedCall) {
	t.Helper()
	dir = project(t, map[string]string{
		"go.mod": "module example.org/sum\n\ngo 1.24\n",
		"sum.go": "package sum\n\n// Sum adds two numbers.\nfunc Sum(a, b int) int { return a - b }\n",
		"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n" +
			"\tif got := Sum(1, 2); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n",
	})
	test := map[string]any{"command": "go test ./..."}
	return dir, []scriptedCall{
		{"shell_exec", test},
		{"grep_files", map[string]any{"pattern": `func Sum`}},
		{"read_file", map[string]any{"path": "sum.go"}},
		{"file_edit", map[string]any{"path": "sum.go", "old_string": "a - b", "new_string": "a + b"}},
		{"shell_exec", test},
	}
}

// TestAModelFixesATestAndThePersonIsAsked about each command and the edit.
func TestAModelFixesATestAndThePersonIsAsked(t *testing.T) {
	dir, calls := failing(t)
	home, model := t.TempDir(), newScriptedModel(t, calls)
	p, cmd := codingIn(t, dir, home, "--set", "model=m", "--set", "base_url="+model.address, "fix the test")
	p.Sees(t, "shell_exec wants to run:\r\n  | go test ./...\r\n")
	p.Sees(t, question)
	p.WriteString("r\n") // also for the second time
	p.Sees(t, "file_edit wants to change:")
	p.Sees(t, "  | -func Sum(a, b int) int { return a - b }\r\n  | +func Sum(a, b int) int { return a + b }\r\n")
	p.Sees(t, question)
	p.WriteString("y\n")
	p.Sees(t, "done")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	results := model.results(t)
	for i, want := range []string{"exit status 1", "sum.go", "return a - b", "Replaced", "ok  \texample.org/sum"} {
		if len(results) != 5 || !strings.Contains(results[i], want) {
			t.Fatalf("result %d should have %q: %q", i, want, results)
		}
	}
	holdsPermissions(t, home, dir, []string{
		"allowed by the person (for this run), who was asked because of the default for shell",
		"allowed by the default for search inside the roots", "allowed by the default for read inside the roots",
		"allowed by the person (once), who was asked because of the default for edit",
		`allowed by the person, who allowed "shell_exec(go test ./...)" for this run`,
	})
}

// TestAModelIsRefusedWithoutATerminal: it reads, but neither runs nor changes anything, and
// each refusal says how to allow it.
func TestAModelIsRefusedWithoutATerminal(t *testing.T) {
	dir, calls := failing(t)
	home, model := t.TempDir(), newScriptedModel(t, calls)
	binary, err := exec.LookPath("chibi")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "--home", home, "--coding", "--set", "model=m", "--set",
		"base_url="+model.address, "fix the test")
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, rule := range []string{"shell_exec(go test ./...)", "file_edit(/sum.go)"} {
		line := fmt.Sprintf("was refused: a person must allow it, and there is no terminal to ask at; --allow '%s' allows "+
			"it for one run, [permissions] allow in config.toml always\n", rule)
		if !strings.Contains(string(out), line) {
			t.Errorf("no line says %q:\n%s", line, out)
		}
	}
	results := model.results(t)
	for i, want := range []string{"Permission denied: ", "sum.go", "return a - b", "Permission denied: ",
		"Permission denied: "} {
		if len(results) != 5 || !strings.Contains(results[i], want) {
			t.Fatalf("result %d should have %q: %q", i, want, results)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "sum.go")); !strings.Contains(string(text), "a - b") {
		t.Errorf("sum.go was changed:\n%s", text)
	}
}

// holdsPermissions holds that the trace says of each call who allowed it.
func holdsPermissions(t *testing.T, home, dir string, want []string) {
	t.Helper()
	binary, err := exec.LookPath("chibi")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "--home", home, "trace")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rest := string(out)
	for _, line := range want {
		var found bool
		if _, rest, found = strings.Cut(rest, line); !found {
			t.Errorf("the trace does not say %q in its place:\n%s", line, out)
			return
		}
	}
}
