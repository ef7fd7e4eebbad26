package cli_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/terminaltest"
	"golang.org/x/sys/unix"
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

// TestWhatIsTypedDuringAnAnswerIsForTheNextPrompt, and not seen before.
func TestWhatIsTypedDuringAnAnswerIsForTheNextPrompt(t *testing.T) {
	home := t.TempDir()
	model := newSlowModel(t, home)
	p, cmd := atTerminal(t, home, "--raw")
	p.Sees(t, "> ")
	p.WriteString("hello\r")
	model.piece <- "one word"
	p.Sees(t, "one word")
	p.WriteString("next prompx\x7ft")
	model.piece <- " more"
	p.Sees(t, " more")
	model.piece <- ""
	p.Sees(t, "> next prom")
	p.WriteString("\r")
	model.piece <- "an answer"
	p.Sees(t, "an answer")
	p.WriteString("lost\x03")
	p.Sees(t, "interrupted; chibi keeps the part that has arrived")
	p.Sees(t, "> ")
	p.WriteString("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("chibi ended with %v", err)
	}
	text := p.Screen().Text()
	want := "> hello\none word more\n> next prompt\nan answer\n" +
		"chibi: interrupted; chibi keeps the part that has arrived\n>"
	if !strings.HasSuffix(text, want) {
		t.Errorf("the screen is\n%s\nwant\n%s", text, want)
	}
}

// TestCtrlZLeavesTheTerminalAsItWas, and the conversation goes on as it was.
func TestCtrlZLeavesTheTerminalAsItWas(t *testing.T) {
	home := t.TempDir()
	model := newSlowModel(t, home)
	p, cmd := atShell(t, home)
	echoes(t, p, true)
	p.WriteString("chibi\r")
	p.Sees(t, "> ")
	p.WriteString("hello\r")
	model.piece <- "one"
	p.Sees(t, "one")
	echoes(t, p, false)
	p.WriteString("\x1a")
	p.Sees(t, "shell: ")
	echoes(t, p, true)
	p.WriteString("fg\r")
	echoes(t, p, false)
	model.piece <- " two"
	p.Sees(t, " two")
	p.WriteString("next")
	model.piece <- ""
	p.Sees(t, "> next")
	p.WriteString("\x03\x04")
	p.Sees(t, "shell: ")
	echoes(t, p, true)
	p.WriteString("exit\r")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if strings.Contains(p.Screen().Text(), "twonext") {
		t.Errorf("the screen is\n%s", p.Screen().Text())
	}
}

// atShell starts a shell with job control that does not set the terminal's modes itself.
func atShell(t *testing.T, home string) (*terminaltest.Person, *exec.Cmd) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "--noediting", "-i")
	cmd.Env = append(os.Environ(), "CHIBI_HOME="+home, "TERM=xterm", "HOME="+home, "PS1=shell: ")
	p := startAtTerminal(t, 60, cmd)
	p.Sees(t, "shell: ")
	return p, cmd
}

// echoes waits until a terminal shows what is typed, or does not.
func echoes(t *testing.T, p *terminaltest.Person, want bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		modes, err := unix.IoctlGetTermios(int(p.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		if (modes.Lflag&unix.ECHO != 0) == want {
			return
		}
	}
	t.Fatalf("what is typed is shown: %v", !want)
}
