package editor_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/term/editor"
	"github.com/chibi-host/chibi/internal/terminaltest"
)

func TestTabCompletesTheLine(t *testing.T) {
	words := []string{"/context", "/contexts", "/日本語", "/日本人", "/\x1b[2Jx"}
	for typed, want := range map[string]string{
		"/cont\ts\r":         "/contexts",
		"/cont\t\t\r":        "/context",
		"/日\t人\r":            "/日本人",
		"/x\t\r":             "/x",
		"say /c\tx\r":        "say /cx",
		"one\\\r/cont\tx\r":  "one\n/contx",
		"/cont\x1b[D\tx\r":   "/conxt",
		"/\t\x7f/contexts\r": "/contexts",
	} {
		terminal, p := terminaltest.New(t)
		e := &editor.Editor{In: terminal, Out: terminal, Complete: func(line string) (list []string) {
			for _, word := range words {
				if strings.HasPrefix(word, line) {
					list = append(list, word)
				}
			}
			return list
		}}
		seen := make(chan string)
		go func() {
			p.Sees(t, "> ")
			p.WriteString(typed)
			p.Sees(t, "END")
			seen <- p.Raw()
		}()
		got, err := e.Read(t.Context(), "> ")
		if got != want || err != nil {
			t.Errorf("typing %q gives %q, %v; want %q", typed, got, err, want)
		}
		terminal.WriteString("END")
		if text := <-seen; strings.Contains(text, "[2J") {
			t.Errorf("typing %q drives the terminal: %q", typed, text)
		}
	}
}
