package mcpfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/mcpfile"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/google/go-cmp/cmp"
)

func TestServersOfAProject(t *testing.T) {
	const path = "/project/.mcp.json"
	servers, problems, err := mcpfile.Parse(path, []byte(`{"mcpServers": {
		"web": {"type": "http", "url": "https://${HOST:-example.com}/mcp", "headers": {"X-Key": "Bearer ${TOKEN}"}},
		"files": {"command": "npx", "args": ["-y", "files", "$HOME", "${HOME}", "a$"], "env": {"A": "$B"}, "allow": ["x"]},
		"own": {"type": "stdio", "command": "./bin/server", "cwd": "sub"},
		"off": {"command": "x", "disabled": true},
		"home": {"command": "${HOME}/server"},
		"there": {"command": "/usr/bin/server", "cwd": "/tmp"}
	}, "inputs": []}`))
	want := []mcp.Server{
		{Name: "files", Source: path, Command: "npx", Args: []string{"-y", "files", "$$HOME", "${HOME}", "a$$"},
			Env: map[string]string{"A": "$$B"}, Dir: "/project"},
		{Name: "home", Source: path, Command: "${HOME}/server", Dir: "/project"},
		{Name: "own", Source: path, Command: "/project/bin/server", Dir: "/project/sub"},
		{Name: "there", Source: path, Command: "/usr/bin/server", Dir: "/tmp"},
		{Name: "web", Source: path, URL: "https://${HOST:-example.com}/mcp",
			Headers: map[string]string{"X-Key": "Bearer ${TOKEN}"}},
	}
	if diff := cmp.Diff(want, servers); diff != "" || len(problems) > 0 || err != nil {
		t.Errorf("%v, %v (-want +got):\n%s", problems, err, diff)
	}
}

func TestAServerThatCannotBeUsedDoesNotConcernOthers(t *testing.T) {
	for text, want := range map[string]string{
		`{"type": "sse", "url": "https://example.com/sse"}`: "it speaks SSE, an older protocol; chibi needs the address",
		`{"type": "ws", "url": "wss://example.com"}`:        `chibi does not know its type "ws"; the types are stdio`,
		`{}`:                                   "it has neither command nor url",
		`{"command": "x", "url": "https://y"}`: "it has both command and url; keep one",
		`{"command": ["x"]}`:                   `command: must be a string, is an array`,
		`{"command": "x", "env": {"A": 1}}`:    `env.A: must be a string, is a number`,
		`[]`:                                   "object",
		`"x"`:                                  "object",
		`{"command": "x", "args": "y"}`:        `args: must be an array, is a string`,
		`{"Command": "x"}`:                     "it has neither command nor url",
		`{"command": "x", "command": null, "a": {}}`: "it has neither command nor url",
	} {
		file := `{"mcpServers": {"good": {"command": "g"}, "odd": ` + text + `}}`
		servers, problems, err := mcpfile.Parse("f", []byte(file))
		if err != nil || len(servers) != 1 || servers[0].Name != "good" || len(problems) != 1 ||
			problems[0].Server != "odd" || !strings.Contains(problems[0].Err.Error(), want) {
			t.Errorf("%s: %v, %v, %v; want %q", text, servers, problems, err, want)
		}
	}
	_, problems, _ := mcpfile.Parse("f", []byte(`{"mcpServers": {"a b": {"command": "g"}}}`))
	if len(problems) != 1 || !strings.Contains(problems[0].Err.Error(), `"a b" is not a valid name of an MCP server`) {
		t.Errorf("%v", problems)
	}
}

func TestATextThatIsNoSuchFile(t *testing.T) {
	many := `{"mcpServers": {`
	for i := range 101 {
		many += `"s` + strings.Repeat("x", i) + `": {},`
	}
	many = strings.TrimSuffix(many, ",") + "}}"
	for text, want := range map[string]string{
		"": "JSON", "nonsense": "JSON", `{"mcpServers": []}`: "mcpServers",
		many:                      "it has 101 servers, at most 100 are allowed",
		strings.Repeat("[", 2000): "too deep",
	} {
		if _, _, err := mcpfile.Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	if servers, problems, err := mcpfile.Parse("f", []byte(`{"other": 1}`)); len(servers)+len(problems) > 0 || err != nil {
		t.Errorf("without servers: %v, %v, %v", servers, problems, err)
	}
}

func TestReading(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, mcpfile.Name)
	if servers, problems, err := mcpfile.Read(path, nil); len(servers)+len(problems) > 0 || err != nil {
		t.Errorf("without a file: %v, %v, %v", servers, problems, err)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"a": {"command": "x"}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("not approved")
	checked := ""
	if servers, _, err := mcpfile.Read(path, func(p string, text []byte, mode fs.FileMode) error {
		checked = p + string(text)
		return refused
	}); err != refused || len(servers) > 0 || !strings.HasPrefix(checked, path+"{") {
		t.Errorf("%v, %v, %q was checked", servers, err, checked)
	}
	if servers, _, err := mcpfile.Read(path, nil); err != nil || len(servers) != 1 {
		t.Errorf("%v, %v", servers, err)
	}
	if err := os.WriteFile(path, make([]byte, mcpfile.MaxBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := mcpfile.Read(path, nil); err == nil || !strings.Contains(err.Error(), "larger than 1048576 bytes") {
		t.Errorf("%v", err)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := mcpfile.Read(path, nil); err == nil {
		t.Error("a directory was read")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"mcpServers": {"a": {"command": "x", "args": ["$"], "env": {"B": "${C}"}}, "b": {"url": "http://x"}}}`))
	f.Add([]byte(`{"mcpServers": {"a": {"command": null, "type": "sse"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzztest.Memory(t)
		servers, _, err := mcpfile.Parse("/project/.mcp.json", text)
		for _, s := range servers {
			if s.Check() != nil || err != nil {
				t.Errorf("%+v is returned, with %v", s, err)
			}
		}
	})
}
