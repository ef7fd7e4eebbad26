package agent

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
)

func TestPost(t *testing.T) {
	sent := func(from, to string) hookpoints.PreSendMessagePayload {
		return hookpoints.PreSendMessagePayload{From: from, To: to, Content: "news", ContextName: "work"}
	}
	for _, test := range []struct {
		name, from, to string
		claim          hookpoints.PreSendMessageAnswer
		asked          []hookpoints.PreSendMessagePayload
		result, inbox  string
		failure        string
	}{
		{"to a context", "", "other", hookpoints.PreSendMessageAnswer{},
			[]hookpoints.PreSendMessagePayload{sent("work", "other")},
			"Message delivered to 'other' via local inbox", "[From: work] news", ""},
		{"under another name", "boss", "other", hookpoints.PreSendMessageAnswer{},
			[]hookpoints.PreSendMessagePayload{sent("boss", "other")},
			"Message delivered to 'other' via local inbox", "[From: boss, sent by work] news", ""},
		{"a plugin delivers it", "", "ops@example.org", hookpoints.PreSendMessageAnswer{Delivered: true, Via: "SMTP"},
			[]hookpoints.PreSendMessagePayload{sent("work", "ops@example.org")},
			"Message delivered to 'ops@example.org' via SMTP", "", ""},
		{"nobody delivers it", "", "ops@example.org", hookpoints.PreSendMessageAnswer{},
			[]hookpoints.PreSendMessagePayload{sent("work", "ops@example.org")}, "", "",
			`no plugin delivers to "ops@example.org", and it is not a context`},
		{"to nobody", "", "", hookpoints.PreSendMessageAnswer{}, nil, "", "", `"to" must be one line of 1 to 1024 bytes`},
		{"to two lines", "", "a\nb", hookpoints.PreSendMessageAnswer{}, nil, "", "", `"to" must be one line`},
		{"from a name that is too long", strings.Repeat("x", 257), "other", hookpoints.PreSendMessageAnswer{}, nil, "", "",
			`"from" must be one line of 1 to 256 bytes`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t)
			h.plug("p", answerAt(hookpoints.PreSendMessage, test.claim))
			pres, posts := observe(h, hookpoints.PreSendMessage), observe(h, hookpoints.PostSendMessage)
			result, err := h.Post(t.Context(), test.from, test.to, "news")
			if result != test.result || (err == nil) != (test.failure == "") ||
				err != nil && !strings.HasPrefix(err.Error(), test.failure) {
				t.Errorf("%q, %v; want %q, %q", result, err, test.result, test.failure)
			}
			same(t, "pre_send_message", *pres, test.asked)
			mail, err := h.context("other").Mail(t.Context())
			if inbox := inboxText(mail); err != nil || !strings.Contains(inbox, test.inbox) ||
				(inbox == "") != (test.inbox == "") {
				t.Errorf("the inbox holds %q, %v; want %q", inbox, err, test.inbox)
			}
			if (len(*posts) == 1) != (test.failure == "") || len(*posts) == 1 && (*posts)[0].DeliveryResult != test.result {
				t.Errorf("post_send_message %+v", *posts)
			}
		})
	}
}

// TestAMessageThatIsTooLongIsNotOffered to plugins either.
func TestAMessageThatIsTooLongIsNotOffered(t *testing.T) {
	h := newHarness(t)
	h.home.Limits.Message = 3
	if _, err := h.Post(t.Context(), "", "other", "news"); err == nil || len(h.log) > 0 {
		t.Errorf("%v, %q", err, h.log)
	}
}

// TestMailComesWithThePrompt, before it, and leaves the inbox with the answer.
func TestMailComesWithThePrompt(t *testing.T) {
	h := newHarness(t, says("done"))
	if err := h.context("other").Send("work", "other", "news"); err != nil {
		t.Fatal(err)
	}
	frame := inboxText([]contexts.Mail{{From: "other", Content: "news"}})
	seen := observe(h, hookpoints.PostMessage)
	h.prompt("hi")
	same(t, "sent", h.model.requests[0].sent(), "user:"+frame+"hi")
	if (*seen)[0].Prompt != "hi" {
		t.Errorf("post_message is told %q", (*seen)[0].Prompt)
	}
	if mail, err := h.Context.Mail(t.Context()); len(mail) > 0 || err != nil {
		t.Errorf("mail %v, %v", mail, err)
	}
}
