package contexttest

import (
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
)

// failedMailRules are the rules of messages whose run died.
type failedMailRules struct{ suite }

func (s failedMailRules) rules() []rule {
	return []rule{
		{"a message waits again if its run died after a call, and says how often it was tried", s.diedMidway},
		{"a message that failed is kept and counted until it is sent again", s.failed},
		{"removing failed messages, or sending them again, keeps those that failed since", s.failedMeanwhile},
		{"whoever sent a message that failed gets a report, and the report says of what", s.reported},
	}
}

// tries returns how often the first waiting message was tried, -1 if none waits.
func tries(t *testing.T, c *contexts.Context) int {
	t.Helper()
	mail := arrived(t, c)
	if len(mail) == 0 {
		return -1
	}
	return mail[0].Tries
}

func (s failedMailRules) diedMidway(t *testing.T) {
	h := s.open(t, at(time.Now()))
	c := in(t, h(), "work")
	must(t, c.Send("work", "other", "one"))
	for n := range 3 {
		equal(t, "tries", n, tries(t, c))
		prompt := asking(t, c, "read")
		equal(t, "attempts", n > 0, prompt.Metadata.Attempts != nil)
		must(t, c.Append(prompt, contexts.ToolCall("work", "ls", "1", "{}")))
		_, unlock, err := c.Lock(t.Context()) // the next run does not take it for answered
		must(t, err)
		equal(t, "waiting", "one", waiting(t, c))
		unlock()
	}
	must(t, c.Append(asking(t, c, "read"), contexts.ToolCall("work", "ls", "1", "{}"),
		contexts.ToolResult("work", "ls", "1", "file"), contexts.AssistantMessage("work", "done")))
	equal(t, "tries of what was answered", -1, tries(t, in(t, h(), "work")))

	must(t, c.Send("work", "other", "two"))
	must(t, c.Append(asking(t, c, "read"), contexts.ToolCall("work", "ls", "1", "{}")))
	must(t, c.RemoveMail()) // by the run that has ended
	equal(t, "waiting", "", waiting(t, c))
}

func (s failedMailRules) failed(t *testing.T) {
	h := s.open(t, at(time.Now()))()
	c := in(t, h, "work")
	must(t, c.Send("work", "other", "one"))
	must(t, c.Send("work", "other", "two"))
	for _, m := range arrived(t, c) {
		must(t, c.Fail(m))
		must(t, c.Fail(m)) // it is kept once
	}
	equal(t, "mail", false, h.HasMail(t.Context(), "work"))
	count := func() int {
		info, err := h.Info(t.Context(), "work")
		must(t, err)
		return info.FailedMail
	}
	equal(t, "count", 2, count())
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	failed, err := c.Failed(t.Context())
	must(t, err)
	equal(t, "failed", 2, len(failed))
	must(t, c.SendFailedAgain(failed...))
	unlock()
	equal(t, "count", 0, count())
	equal(t, "waiting", "one two", waiting(t, c))
	if again := arrived(t, c)[0]; again.ID == failed[0].ID || again.From != "other" {
		t.Errorf("sent again: %+v", again)
	}
	failed, err = c.Failed(t.Context())
	must(t, err)
	equal(t, "failed", 0, len(failed))
}

func (s failedMailRules) failedMeanwhile(t *testing.T) {
	h := s.home(t)
	c := in(t, h, "work")
	fail := func(text string) []contexts.Mail {
		must(t, c.Send("work", "other", text))
		must(t, c.Fail(arrived(t, c)[0]))
		failed, err := c.Failed(t.Context())
		must(t, err)
		return failed
	}
	removed := fail("one")
	sent := fail("two")[1:]
	fail("three")
	must(t, c.ForgetFailed(removed...))
	must(t, c.SendFailedAgain(sent...))
	equal(t, "waiting", "two", waiting(t, c))
	failed, err := c.Failed(t.Context())
	must(t, err)
	if len(failed) != 1 || failed[0].Content != "three" {
		t.Errorf("failed still: %+v", failed)
	}
}

func (s failedMailRules) reported(t *testing.T) {
	h := s.home(t)
	c := in(t, h, "work")
	must(t, in(t, h, "boss").Send("work", "the boss", "one"))
	m := arrived(t, c)[0]
	isSent, err := c.Report(m, "it failed")
	must(t, err)
	equal(t, "sent", true, isSent)
	report := arrived(t, in(t, h, "boss"))[0]
	equal(t, "report", "work it failed "+m.ID, report.From+" "+report.Content+" "+report.Failure)
	m.SentBy, m.From = "", "a program"
	isSent, err = c.Report(m, "it failed")
	must(t, err)
	equal(t, "sent to a program", false, isSent)
}
