package cli_test

import (
	"strings"
	"testing"
)

// TestWordsAreSeenAsTheyArrive at a terminal, and how they look when the paragraph is
// complete; Ctrl-C within the next one leaves a clean screen.
func TestWordsAreSeenAsTheyArrive(t *testing.T) {
	home := t.TempDir()
	model := newSlowModel(t, home)
	p, cmd := atTerminal(t, home, "hello")
	for _, piece := range []string{"Some *wor", "ds* are", " here"} {
		model.piece <- piece
		p.Sees(t, strings.TrimSpace(piece))
	}
	model.piece <- ".\n\nThe **ne"
	p.Sees(t, "\x1b[3mwords\x1b[0m are here.")
	p.Sees(t, "The **ne")
	model.piece <- "xt** one `is"
	p.Sees(t, "one `is")
	p.WriteString("\x03")
	p.Sees(t, "interrupted")
	cmd.Wait()
	if got := p.Screen().Text(); !strings.HasPrefix(got, "Some words are here.\n\nThe next one `is\nchibi: interrupted") {
		t.Errorf("the screen is\n%s", got)
	}
}
