package agent

import (
	"context"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// dies has a run that took the mail of the context and died while a tool ran.
func (h *harness) dies(t *testing.T) {
	t.Helper()
	mail, err := h.Context.Mail(t.Context())
	if err == nil {
		prompt := contexts.UserMessage("user", "work", "read").Delivering(mail).Asking("read", "")
		err = h.Context.Append(prompt, contexts.ToolCall("work", "echo", "1", "{}"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAReportOfFailedMailGoesWhereThePluginsDeliver, before the message leaves the inbox.
func TestAReportOfFailedMailGoesWhereThePluginsDeliver(t *testing.T) {
	h := newHarness(t, yes)
	var sent []hookpoints.PreSendMessagePayload
	h.plug("carrier", plugin.HandlePoint(hookpoints.PreSendMessage,
		func(_ context.Context, p hookpoints.PreSendMessagePayload) (hookpoints.PreSendMessageAnswer, error) {
			sent = append(sent, p)
			return hookpoints.PreSendMessageAnswer{Delivered: true, Via: "pigeon"}, nil
		}))
	if err := h.context("other").Send("work", "other", "hello"); err != nil {
		t.Fatal(err)
	}
	h.dies(t)
	h.Prompt(t.Context(), "hi")
	if len(sent) != 1 || sent[0].To+" "+sent[0].From != "other work" || !strings.HasSuffix(sent[0].Content, "\nhello") {
		t.Errorf("sent %+v", sent)
	}
	same(t, "prompts", []string{h.sent()[0]}, []string{"user:read assistant: tool:" + lostResult + " user:hi"})
	if mail, err := h.context("other").Mail(t.Context()); len(mail) > 0 || err != nil {
		t.Errorf("the sender has %v too, %v", mail, err)
	}
}

// TestMailIsGivenAgainAsOftenAsTheSettingsSay, by a turn for mail only, and plugins are told.
func TestMailIsGivenAgainAsOftenAsTheSettingsSay(t *testing.T) {
	h := newHarness(t, yes, yes)
	h.Settings.MailRetry = 2
	var attempts []int
	h.plug("p", plugin.HandlePoint(hookpoints.PreMessage,
		func(_ context.Context, p hookpoints.PreMessagePayload) (hookpoints.PreMessageAnswer, error) {
			attempts = append(attempts, p.Attempt)
			return hookpoints.PreMessageAnswer{}, nil
		}))
	if err := h.context("other").Send("work", "other", "hello"); err != nil {
		t.Fatal(err)
	}
	h.dies(t)
	h.dies(t)
	h.Prompt(t.Context(), "hi")
	mail, err := h.Mail(t.Context())
	if len(mail) != 1 || mail[0].Tries != 2 || err != nil {
		t.Fatalf("the mail that waits is %+v, %v", mail, err)
	}
	if _, err := h.AnswerMail(t.Context(), mail); err != nil {
		t.Error(err)
	}
	same(t, "attempts", attempts, []int{0, 3})
	if mail, err := h.Mail(t.Context()); len(mail) > 0 || err != nil {
		t.Errorf("it waits again: %+v, %v", mail, err)
	}
}
