package contexttest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
)

// mailRules are the rules of messages between contexts.
type mailRules struct{ suite }

func (s mailRules) rules() []rule {
	return []rule{
		{"a message arrives as it was sent, and says who sent it", s.messages},
		{"a message that an answered prompt delivered is delivered once, even if the inbox was not emptied", s.deliveredOnce},
		{"a prompt that got no answer delivers nothing", s.notDelivered},
		{"an entry that is not a prompt delivers at once", func(t *testing.T) {
			c := s.work(t)
			must(t, c.Send("work", "other", "one"))
			must(t, c.Append(contexts.UserMessage("ann", "work", "x").Delivering(arrived(t, c))))
			equal(t, "waiting", "", waiting(t, c))
		}},
		{"what arrives in the meantime stays", s.comesMeanwhile},
		{"what was delivered before the window began is not delivered again", func(t *testing.T) {
			c := s.work(t)
			must(t, c.Send("work", "other", "one"))
			must(t, c.Append(contexts.UserMessage("ann", "work", "x").Delivering(arrived(t, c))))
			must(t, c.Archive())
			equal(t, "waiting", "", waiting(t, c))
		}},
		{"what was delivered is not delivered again when a clock was set back", func(t *testing.T) {
			c := in(t, s.open(t, at(time.Now().Add(time.Hour)))(), "work")
			must(t, c.Send("work", "other", "one"))
			must(t, c.Append(asking(t, c, "read"), contexts.AssistantMessage("work", "done")))
			equal(t, "waiting", "", waiting(t, c))
		}},
		{"what was delivered is removed when whoever has the lock reads the inbox", s.removedLater},
		{"one prompt takes as many messages as the limit allows, at least one", s.inboxLimit},
		{"a message that is too large is rejected, and nothing is sent", func(t *testing.T) {
			o := at(start())
			o.Limits.Message = 10
			c := in(t, s.open(t, o)(), "work")
			must(t, c.CheckMessage("0123456789"))
			for _, err := range []error{c.CheckMessage("0123456789x"), c.Send("work", "other", "0123456789x")} {
				if err == nil || !strings.Contains(err.Error(), "at most 10 are sent") {
					t.Error(err)
				}
			}
			equal(t, "waiting", "", waiting(t, c))
		}},
		{"sending makes the context, which has no transcript", func(t *testing.T) {
			h := s.home(t)
			must(t, in(t, h, "work").Send("new", "work", "hi"))
			if !h.Exists(t.Context(), "new") || !h.HasMail(t.Context(), "new") || h.HasMail(t.Context(), "work") {
				t.Error("the context was not made, or has no mail")
			}
			equal(t, "transcript", 0, len(transcript(t, in(t, h, "new"))))
		}},
		{"a watcher of an inbox hears of mail, until it stops", s.watching},
		{"a context in use receives mail", func(t *testing.T) {
			h := s.home(t)
			_, unlock, err := in(t, h, "work").Lock(t.Context())
			must(t, err)
			defer unlock()
			must(t, in(t, h, "other").Send("work", "other", "hi"))
			equal(t, "waiting", "hi", waiting(t, in(t, h, "work")))
		}},
	}
}

// arrived returns the waiting mail.
func arrived(t *testing.T, c *contexts.Context) []contexts.Mail {
	t.Helper()
	mail, err := c.Mail(t.Context())
	must(t, err)
	return mail
}

// asking returns a prompt that delivers the waiting mail.
func asking(t *testing.T, c *contexts.Context, text string) contexts.Entry {
	return contexts.UserMessage("ann", c.Name(), "mail: "+text).Delivering(arrived(t, c)).Asking(text, "")
}

func (s mailRules) messages(t *testing.T) {
	h := s.home(t)
	sender := in(t, h, "sender")
	must(t, sender.Send("work", "sender", "line\nline <é>"))
	must(t, sender.Send("work", "bot", "two"))
	mail := arrived(t, in(t, h, "work"))
	if len(mail) != 2 || mail[0].ID == "" || mail[0].ID == mail[1].ID {
		t.Fatalf("mail = %+v", mail)
	}
	want := []contexts.Mail{
		{ID: mail[0].ID, Timestamp: start().Unix(), From: "sender", To: "work", Content: "line\nline <é>"},
		{ID: mail[1].ID, Timestamp: start().Unix(), From: "bot", To: "work", Content: "two", SentBy: "sender"},
	}
	equal(t, "mail", want, mail)
}

func (s mailRules) deliveredOnce(t *testing.T) {
	for _, isEmptied := range []bool{false, true} {
		h := s.open(t, at(start()))
		c := in(t, h(), "work")
		must(t, c.Send("work", "other", "one"))
		must(t, c.Append(asking(t, c, "read"), contexts.AssistantMessage("work", "done")))
		if isEmptied {
			must(t, c.RemoveMail())
		}
		equal(t, "waiting", "", waiting(t, in(t, h(), "work")))
		must(t, c.RemoveMail())
		if h().HasMail(t.Context(), "work") {
			t.Error("the inbox is not empty")
		}
	}
}

// watching has two that watch, and one more than that many messages.
func (s mailRules) watching(t *testing.T) {
	h := s.open(t, at(start()))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var watched [2]<-chan struct{}
	for i := range watched {
		var err error
		watched[i], err = h().WatchMail(ctx, "work")
		must(t, err)
	}
	for _, text := range []string{"one", "two", "three"} {
		must(t, in(t, h(), "other").Send("work", "other", text))
		for _, arrived := range watched {
			if _, open := <-arrived; !open {
				t.Fatal("watching has ended")
			}
		}
	}
	equal(t, "waiting", "one two three", waiting(t, in(t, h(), "work")))
	stop()
	for _, arrived := range watched {
		for range arrived { // until it is closed
		}
	}
	if _, err := h().WatchMail(t.Context(), "no/name"); err == nil {
		t.Error("a name that no context can have was taken")
	}
}

func (s mailRules) removedLater(t *testing.T) {
	h := s.open(t, at(time.Now().Add(time.Hour)))()
	c := in(t, h, "work")
	must(t, c.Send("work", "other", "one"))
	must(t, c.Append(asking(t, c, "read"), contexts.AssistantMessage("work", "done")))
	equal(t, "mail before", true, h.HasMail(t.Context(), "work"))
	_, unlock, err := c.Lock(t.Context())
	must(t, err)
	defer unlock()
	equal(t, "waiting", "", waiting(t, c))
	equal(t, "mail after", false, h.HasMail(t.Context(), "work"))
}

func (s mailRules) notDelivered(t *testing.T) {
	c := s.work(t)
	must(t, c.Send("work", "other", "one"))
	for range 2 {
		must(t, c.Append(asking(t, c, "read")))
		must(t, c.RemoveMail())
		equal(t, "waiting", "one", waiting(t, c))
	}
	must(t, c.Append(contexts.AssistantMessage("work", "done")))
	equal(t, "waiting", "", waiting(t, c))
}

func (s mailRules) comesMeanwhile(t *testing.T) {
	c := s.work(t)
	must(t, c.Send("work", "other", "one"))
	prompt := asking(t, c, "read")
	must(t, c.Send("work", "other", "two"))
	must(t, c.Append(prompt, contexts.AssistantMessage("work", "done")))
	must(t, c.RemoveMail())
	equal(t, "waiting", "two", waiting(t, c))
}

func (s mailRules) inboxLimit(t *testing.T) {
	o := at(start())
	o.Limits.Inbox = 20
	var said []string
	o.Report = func(text string) { said = append(said, text) }
	c := in(t, s.open(t, o)(), "work")
	for _, text := range []string{strings.Repeat("x", 30), "22222", "33333", "44444"} {
		must(t, c.Send("work", "b", text))
	}
	for _, want := range []string{strings.Repeat("x", 30), "22222 33333 44444", ""} {
		equal(t, "waiting", want, waiting(t, c))
		must(t, c.Append(asking(t, c, "read"), contexts.AssistantMessage("work", "done")))
		must(t, c.RemoveMail())
	}
	if len(said) == 0 || !strings.Contains(said[0], `context "work": 1 messages come with this prompt, 3 more with the`) {
		t.Errorf("said %q", said)
	}
}
