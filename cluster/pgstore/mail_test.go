//go:build unix

package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
)

// TestAMessageWhoseAnswerIsLostIsNotDeliveredTwice: it was stored, answered and removed by another
// machine before the one that sent it tries again and stores it once more. The conversation knows
// that it was delivered.
func TestAMessageWhoseAnswerIsLostIsNotDeliveredTwice(t *testing.T) {
	s := server(t)
	url, proxy := home(t, s, "mailed"), pgtest.NewProxy(t, s)
	machine := func(url string) *contexts.Store {
		return contexts.OpenShared(open(t, store.Options{URL: url, Timeout: time.Minute}), t.TempDir())
	}
	reader, work := machine(url), func(s *contexts.Store) *contexts.Context {
		c, err := s.Context("work")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if err := work(reader).Append(contexts.UserMessage("ann", "work", "one")); err != nil {
		t.Fatal(err)
	}
	delivered := 0
	handle := func() bool { // what is in the inbox
		c, ctx := work(reader), context.Background()
		_, unlock, err := c.WaitLock(ctx)
		if err != nil {
			t.Error(err)
			return false
		}
		defer unlock()
		mail, err := c.Mail(ctx)
		if err == nil && len(mail) > 0 {
			delivered += len(mail)
			err = c.Append(contexts.UserMessage("ann", "work", "read").Delivering(mail).Asking("read", ""),
				contexts.AssistantMessage("work", "done"))
		}
		if err == nil {
			err = c.RemoveMail()
		}
		if err != nil {
			t.Error(err)
		}
		return len(mail) > 0
	}
	sender := machine(proxy.Through(url))
	proxy.LoseAnswer(handle)
	if err := work(sender).Send("work", "work", "hello"); err != nil {
		t.Errorf("sending: %v", err)
	}
	proxy.LoseAnswer(nil)
	handle() // what is there once more
	if isLeft := reader.HasMail(t.Context(), "work"); delivered != 1 || isLeft {
		t.Errorf("it was delivered %d times; mail is left: %t", delivered, isLeft)
	}
}
