package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/terminaltest"
)

// slowModel is a server whose answers come in pieces, each when the test says so.
type slowModel struct{ piece chan string }

// newSlowModel starts a server that a home is configured for. An empty piece ends
// an answer; a piece that begins with "@tool NAME " calls a tool and ends it.
func newSlowModel(t *testing.T, home string) slowModel {
	t.Helper()
	m := slowModel{make(chan string)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			select {
			case piece := <-m.piece:
				if m.send(w, piece) {
					return
				}
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	config := fmt.Sprintf("base_url = %q\nmodel = \"slow\"\n", server.URL+"/v1")
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return m
}

// send sends a piece, and reports whether it was the last.
func (m slowModel) send(w http.ResponseWriter, piece string) (last bool) {
	delta, reason := map[string]any{"content": piece}, any(nil)
	if call, isCall := strings.CutPrefix(piece, "@tool "); isCall {
		name, arguments, _ := strings.Cut(call, " ")
		delta = map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": "call_1",
			"function": map[string]any{"name": name, "arguments": arguments}}}}
		reason = "tool_calls"
	} else if piece == "" {
		reason = "stop"
	}
	data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": delta, "finish_reason": reason}}})
	fmt.Fprintf(w, "data: %s\n\n", data)
	if reason != nil {
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
	w.(http.Flusher).Flush()
	return reason != nil
}

// inShell starts a shell command at a terminal of so many columns.
func inShell(t *testing.T, columns int, home, command string) (*terminaltest.Person, *exec.Cmd) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Env = append(os.Environ(), "CHIBI_HOME="+home, "TERM=xterm", "HOME="+home)
	cmd.Dir = t.TempDir()
	return startAtTerminal(t, columns, cmd), cmd
}

// TestAPipedAnswerStaysOnTheTerminal: cat prints each piece of a slow answer when
// it comes, and nothing of it is erased or overwritten.
func TestAPipedAnswerStaysOnTheTerminal(t *testing.T) {
	home := t.TempDir()
	m := newSlowModel(t, home)
	writePlugin(t, home, "look", `{"name":"look"}`, `echo looked`)
	p, cmd := inShell(t, 40, home, `chibi "what is it?" | cat; echo END`)
	p.Sees(t, "waiting for model slow")
	for _, piece := range []string{"The answer ", "has ", "a\nfew lines, ", "and goes on."} {
		m.piece <- piece
		p.Sees(t, strings.ReplaceAll(piece, "\n", "\r\n"))
	}
	m.piece <- "@tool look {}"
	m.piece <- "After "
	p.Sees(t, "After ")
	m.piece <- "a tool."
	m.piece <- ""
	p.Sees(t, "END")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if want := "The answer has a\nfew lines, and goes on.\nAfter a tool.\nEND"; p.Screen().Text() != want {
		t.Errorf("the terminal shows\n%s\nwant\n%s", p.Screen().Text(), want)
	}
}

// TestAnAnswerInAFile holds nothing but the answer.
func TestAnAnswerInAFile(t *testing.T) {
	home := t.TempDir()
	m := newSlowModel(t, home)
	p, cmd := inShell(t, 40, home, `chibi -a "what is it?" > file; cat file; echo END`)
	p.Sees(t, "waiting for model slow")
	for _, piece := range []string{"It ", "is\n", "so.", ""} {
		m.piece <- piece
	}
	p.Sees(t, "END")
	if n := strings.Count(p.Raw(), "waiting for model"); n != 1 {
		t.Errorf("the status line was drawn %d times: %q", n, p.Raw())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(filepath.Join(cmd.Dir, "file"))
	if want := "Context 'default' archived (history saved to transcript)\nIt is\nso.\n"; string(data) != want {
		t.Errorf("the file holds %q, %v; want %q", data, err, want)
	}
}

// TestNothingIsDrawnFromTheBackground, where the line is the shell's.
func TestNothingIsDrawnFromTheBackground(t *testing.T) {
	home := t.TempDir()
	m := newSlowModel(t, home)
	p, cmd := inShell(t, 40, home, `set -m; chibi "what is it?" > file 2>&1 &
		printf 'typed '; chibi -C other hello >> file 2>&1 &
		chibi -C third hello & wait %1; wait; echo END`)
	p.Sees(t, "typed ")
	for range 3 {
		m.piece <- "done."
		m.piece <- ""
	}
	p.Sees(t, "END")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if strings.Contains(p.Raw(), "waiting") || !strings.HasPrefix(p.Screen().Text(), "typed ") {
		t.Errorf("the terminal shows\n%s", p.Screen().Text())
	}
}
