package agent

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// Bounds of addresses, in bytes: plugins may route to more than contexts.
const (
	maxTo   = 1024
	maxFrom = 256
)

// Post sends a message to another context: plugins may deliver it at
// pre_send_message, otherwise it goes to the inbox there. It returns how it was
// delivered. from is this context if it is empty. Plugins are asked first, so that
// they can route to addresses that no context can have.
func (a *Agent) Post(ctx context.Context, from, to, text string) (string, error) {
	if from == "" {
		from = a.Context.Name()
	}
	mail := hookpoints.PreSendMessagePayload{From: from, To: to, Content: text, ContextName: a.Context.Name()}
	if err := checkMail(a.Context, mail); err != nil {
		return "", err
	}
	ctx = identified(ctx, a, "")
	claim, err := plugin.Fire(ctx, a.Host, hookpoints.PreSendMessage, mail)
	if err != nil {
		return "", err
	}
	via := "local inbox"
	if claim.Delivered {
		via = claim.Via
	} else if err := deliver(a.Context, mail); err != nil {
		return "", err
	}
	result := fmt.Sprintf("Message delivered to '%s' via %s", to, via)
	_, err = plugin.Fire(ctx, a.Host, hookpoints.PostSendMessage, hookpoints.PostSendMessagePayload{
		PreSendMessagePayload: mail, DeliveryResult: result,
	})
	return result, err
}

// checkMail rejects what cannot be an address, and a text that is too long.
func checkMail(c contexts.Mailbox, mail hookpoints.PreSendMessagePayload) error {
	for _, address := range []struct {
		what, text string
		most       int
	}{{"to", mail.To, maxTo}, {"from", mail.From, maxFrom}} {
		if address.text == "" || len(address.text) > address.most || strings.ContainsFunc(address.text, isControl) {
			return fmt.Errorf("%q must be one line of 1 to %d bytes without control characters", address.what, address.most)
		}
	}
	return c.CheckMessage(mail.Content)
}

// deliver puts a message into the other context's inbox.
func deliver(c contexts.Mailbox, mail hookpoints.PreSendMessagePayload) error {
	if err := contexts.ValidName(mail.To); err != nil {
		return fmt.Errorf("no plugin delivers to %q, and it is not a context: %w", mail.To, err)
	}
	return c.Send(mail.To, mail.From, mail.Content)
}

// MailPrompt is the prompt of a turn whose purpose is to process the waiting mail.
const MailPrompt = "Process the messages in your inbox."

// storePrompt stores a prompt with the waiting mail, which is removed from the
// inbox when the prompt is answered.
// Contexts of plugins stand before it.
func (t *turn) storePrompt(ctx context.Context, prompt string, beside []hookpoints.Text) error {
	mail, err := t.agent.Context.Mail(ctx)
	if err != nil {
		return err
	}
	before := inboxText(mail)
	if blocks := contextBlocks(beside); blocks != "" {
		before += blocks + "\n\n"
	}
	entry := t.userMessage(before + prompt)
	if len(mail) > 0 {
		entry, t.hasMail = entry.Delivering(mail), true
	}
	return t.storeUnanswered(prompt, entry)
}

// inboxText returns the mail as the model sees it. Further lines of a message are
// indented, so that no message can end the inbox or start another message.
func inboxText(mail []contexts.Mail) string {
	if len(mail) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("--- INBOX MESSAGES ---\n")
	for _, m := range mail {
		fmt.Fprintf(&b, "[From: %s] %s\n", sender(m), strings.Join(splitLines(m.Content), "\n  "))
	}
	b.WriteString("--- END INBOX ---\n\n")
	return b.String()
}

// sender returns who sent a message. If the sender chose another name, the real one
// follows.
func sender(m contexts.Mail) string {
	from := bracketName(m.From)
	if m.SentBy != "" && m.SentBy != m.From {
		from += ", sent by " + bracketName(m.SentBy)
	}
	return from
}

// bracketName returns a name as one line within brackets: characters that could end
// them are replaced.
func bracketName(text string) string {
	return strings.Map(func(r rune) rune {
		if isControl(r) || r == '[' || r == ']' || r == ',' {
			return '_'
		}
		return r
	}, text)
}

// isControl reports whether a character is invisible or ends a line.
func isControl(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// splitLines splits a text at everything that may be shown as the end of a line.
func splitLines(text string) []string {
	ends := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n",
		"\u2028", "\n", "\u2029", "\n")
	return strings.Split(ends.Replace(text), "\n")
}
