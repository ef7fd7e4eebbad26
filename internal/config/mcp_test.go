package config_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/google/go-cmp/cmp"
)

func TestAnMCPServerHasItsKeys(t *testing.T) {
	dir := home(t, map[string]string{"config.toml": `
[mcp.files]
command = "npx"
args = ["-y", "files"]
env.TOKEN = "$FILES_TOKEN"
cwd = "~/src"
timeout_ms = 5000
trusted = true
tools.exclude = ["delete"]
env.MODE = "read"

[mcp.files.tool.run]
category = "shell"
subject = "command"

[mcp.web]
URL = "https://example.com/mcp"
headers = { X-Key = "$KEY" }
`, "contexts/work/local.toml": "[mcp.files]\nenabled = false\ntools.include = ['read']\nenv.MODE = 'none'\n"})
	load := func(context string) map[string]config.MCPServer {
		t.Helper()
		c, err := config.Load(config.Sources{Home: dir, Local: localOf(t, dir, context),
			Env: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		return c.MCP
	}
	files := config.MCPServer{
		Where: filepath.Join(dir, "config.toml") + ":2", Command: "npx", Args: []string{"-y", "files"},
		Env: map[string]string{"TOKEN": "$FILES_TOKEN", "MODE": "read"}, Cwd: "~/src",
		TimeoutMS: 5000, StartTimeoutMS: 10_000, Enabled: true,
		Trusted: true, Tools: config.MCPTools{Exclude: []string{"delete"}},
		Tool: map[string]config.MCPTool{"run": {Category: "shell", Subject: "command"}},
	}
	web := config.MCPServer{
		Where: filepath.Join(dir, "config.toml") + ":16", URL: "https://example.com/mcp",
		Headers: map[string]string{"X-Key": "$KEY"}, TimeoutMS: 60_000, StartTimeoutMS: 10_000, Enabled: true,
	}
	if diff := cmp.Diff(map[string]config.MCPServer{"files": files, "web": web}, load("")); diff != "" {
		t.Errorf("config.toml alone (-want +got):\n%s", diff)
	}
	files.Enabled, files.Tools.Include, files.Env["MODE"] = false, []string{"read"}, "none"
	if diff := cmp.Diff(map[string]config.MCPServer{"files": files, "web": web}, load("work")); diff != "" {
		t.Errorf("with local.toml (-want +got):\n%s", diff)
	}
	if files.Timeout() != 5*time.Second {
		t.Errorf("a call may take %s", files.Timeout())
	}
}

func TestMistakesInMCPServers(t *testing.T) {
	for text, want := range map[string]string{
		"[mcp.a]\ncomand = 'x'\n":                  `config.toml:2: unknown key "mcp.a.comand"; did you mean "mcp.a.command"`,
		"[mcp]\ncommand = 'x'\n":                   "config.toml:2: mcp.command: want a table, got a string",
		"mcp = ['x']\n":                            "config.toml:1: mcp: want a table, got a list",
		"[[mcp.a]]\ncommand = 'x'\n":               "config.toml:1: mcp.a: want a table, got a list of tables",
		"[mcp.a__b]\ncommand = 'x'\n":              `config.toml:1: mcp.a__b: "a__b" is not a valid name of an MCP`,
		"[mcp.'a b']\n":                            `config.toml:1: mcp.'a b': "a b" is not a valid name of an MCP server`,
		"[mcp.a]\nenv = { A = 1 }\n":               "config.toml:2: mcp.a.env.A: want a string, got a whole number",
		"[mcp.a.env.A]\nB = 'x'\n":                 "config.toml:1: mcp.a.env.A: want a string, got a table",
		"[mcp.a.env]\nA.B = 'x'\n":                 "config.toml:2: mcp.a.env.A: want a string, got a table",
		"[mcp.a]\nenv = ['A=x']\n":                 "config.toml:2: mcp.a.env: want a table, got a list",
		"[mcp.a.env]\n'A=' = 'x'\n":                `config.toml:2: mcp.a.env.'A=': "A=" is not the name of a variable`,
		"[mcp.a.env]\nA = \"x\\u0000\"\n":          "config.toml:2: mcp.a.env.A has a line break or a NUL in it",
		"[mcp.a.headers]\n'X Y' = 'x'\n":           `config.toml:2: mcp.a.headers.'X Y': "X Y" is not the name of a header`,
		"[mcp.a.headers]\nX = \"a\\r\\nY: b\"\n":   "config.toml:2: mcp.a.headers.X has a line break or a NUL in it",
		"[mcp.a]\nargs = 'x'\n":                    "config.toml:2: mcp.a.args: want a list, got a string",
		"[mcp.a]\ntimeout_ms = 0\n":                "config.toml:2: mcp.a.timeout_ms is 0; want a number above 0",
		"[mcp.a.tool.t]\ncategory = 'shel'\n":      `config.toml:2: mcp.a.tool.t.category names "shel", which`,
		"[mcp.a.tool.t]\nsubjekt = 'x'\n":          `did you mean "mcp.a.tool.t.subject"?`,
		"[mcp.a.tools.t]\ncategory = 'shell'\n":    `config.toml:1: unknown key "mcp.a.tools.t"`,
		"[mcp.a]\ntools = { includ = ['read'] }\n": `unknown key "mcp.a.tools.includ"; did you mean "mcp.a.tools.include"?`,
	} {
		_, err := load(t, map[string]string{"config.toml": text})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error = %v\nwant    %s", text, err, want)
		}
	}
}

func TestAFlagNamesAnMCPServer(t *testing.T) {
	c, err := load(t, nil, "mcp.files.command=files", "mcp.files.env.MODE=read")
	if got := c.MCP["files"]; err != nil || got.Command != "files" || got.Env["MODE"] != "read" ||
		got.Where != "--set mcp.files.command=files" {
		t.Errorf("%+v, %v", got, err)
	}
}
