package contexts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
)

func TestWhatIsTooLargeIsRefusedAndChangesNothing(t *testing.T) {
	home := t.TempDir()
	s := homeOf(t, home, nil)
	c, err := s.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 256<<10+1)
	for name, set := range map[string]func(string) error{
		"todos": c.SetTodos, "goals": c.SetGoals, "reflection": c.SetReflection,
		"a message": func(text string) error { return c.Send(c.Name(), "other", text) },
	} {
		if err := set("kept"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := set(large); err == nil || !strings.Contains(err.Error(), "at most 262144 are") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, read := range map[string]func(context.Context) (string, error){"todos": c.Todos, "goals": c.Goals,
		"reflection": c.Reflection} {
		if text, err := read(t.Context()); text != "kept" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if err := c.SetSystemPrompt(strings.Repeat("x", MaxText+1)); err == nil {
		t.Error("a system prompt is kept that cannot be read again")
	}
}

func TestAPromptTakesAsMuchMailAsItMayAndTheRestComesNext(t *testing.T) {
	s := homeOf(t, t.TempDir(), nil)
	s.Limits = Limits{Message: 1 << 20}
	var said []string
	s.Report = func(text string) { said = append(said, text) }
	c, err := s.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", 400<<10)
	for range 5 {
		if err := c.Send(c.Name(), "other", text); err != nil {
			t.Fatal(err)
		}
	}
	var counts []int
	for range 4 {
		mail, err := c.Mail(t.Context())
		if err == nil && len(mail) > 0 {
			err = c.Append(UserMessage("user", "work", "prompt").Delivering(mail))
		}
		if err == nil {
			err = c.RemoveMail()
		}
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, len(mail))
	}
	if counts[0] != 2 || counts[1] != 2 || counts[2] != 1 || counts[3] != 0 {
		t.Errorf("the prompts took %v messages", counts)
	}
	if len(said) != 2 || !strings.Contains(said[0], "2 messages come with this prompt, 3 more with the next ones") {
		t.Errorf("said %q", said)
	}
}

func TestAFullInboxRefusesMessagesAndOneThatIsTooLargeIsNotRead(t *testing.T) {
	home := t.TempDir()
	s := homeOf(t, home, map[string]string{"contexts/work/inbox.jsonl": strings.Repeat("x", parts.MaxInbox-10) + "\n"})
	c, err := s.Context("work")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Send(c.Name(), "other", "hi"); err == nil || !strings.Contains(err.Error(), "its inbox is full") {
		t.Errorf("Send = %v", err)
	}
	path := filepath.Join(home, "contexts/work/inbox.jsonl")
	if err := os.Truncate(path, parts.MaxInbox+1); err != nil {
		t.Fatal(err)
	}
	var large *disk.TooLargeError
	if _, err := c.Mail(t.Context()); !errors.As(err, &large) || !strings.Contains(err.Error(), path) {
		t.Errorf("Mail = %v", err)
	}
}
