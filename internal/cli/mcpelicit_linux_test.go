package cli_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chibi-host/chibi/internal/terminaltest"
)

// askedBy starts chibi at a terminal with an MCP server that asks which city.
func askedBy(t *testing.T, args ...string) (*terminaltest.Person, *exec.Cmd) {
	t.Helper()
	dir := project(t, map[string]string{"trip.json": `{"tools": [{"name": "city", "answer": "{}", "asks": {"message":
		"Which city?", "requestedSchema": {"type": "object", "properties": {"city": {"type": "string"}}}}}]}`})
	return codingIn(t, dir, t.TempDir(), append([]string{"--set", "mcp.trip.command=mcp-server", "--set",
		`mcp.trip.args=["` + filepath.Join(dir, "trip.json") + `"]`, "--allow", "mcp__trip__city"}, args...)...)
}

// TestCtrlCEndsACallThatAsks: the question goes with the turn.
func TestCtrlCEndsACallThatAsks(t *testing.T) {
	p, cmd := askedBy(t, `@tool mcp__trip__city {}`)
	p.Sees(t, "MCP server trip asks you:")
	p.Sees(t, "\n> ")
	p.WriteString("\x03")
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("chibi ended with %v: %s", err, p.Raw())
	}
}

// TestAPersonsOwnCallIsAskedAboutToo, and the model's next call takes its turn at the terminal.
func TestAPersonsOwnCallIsAskedAboutToo(t *testing.T) {
	p, cmd := askedBy(t, "mcp", "call", "trip", "city", "{}")
	p.Sees(t, "\n> ")
	p.WriteString("y\n")
	p.Sees(t, "\n> ")
	p.WriteString("Kyoto\n")
	p.Sees(t, `accept {"city":"Kyoto"}`)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	p, cmd = askedBy(t, "@tool mcp__trip__city {}\n"+`@tool shell_exec {"command": "echo one; echo two"}`)
	p.Sees(t, "MCP server trip asks you:")
	p.Sees(t, "\n> ")
	p.WriteString("\n")
	p.Sees(t, "shell_exec wants to run:")
	p.Sees(t, question)
	p.WriteString("n\n")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
