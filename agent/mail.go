package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
// delivered. from is this context if it is empty. Post asks the plugins first, so that
// they can route to addresses that no context can have.
func (a *Agent) Post(ctx context.Context, from, to, text string) (string, error) {
	from = cmp.Or(from, a.Context.Name())
	mail := hookpoints.PreSendMessagePayload{From: from, To: to, Content: text, ContextName: a.Context.Name()}
	if err := checkMail(a.Context, mail); err != nil {
		return "", err
	}
	return a.send(identified(ctx, a, ""), mail, func() error { return deliver(a.Context, mail) })
}

// send asks plugins to deliver a message, and does so itself if none does.
func (a *Agent) send(ctx context.Context, mail hookpoints.PreSendMessagePayload, deliver func() error) (string, error) {
	claim, err := plugin.Fire(ctx, a.Host, hookpoints.PreSendMessage, mail)
	if err != nil {
		return "", err
	}
	via := "local inbox"
	if claim.Delivered {
		via = claim.Via
	} else if err := deliver(); err != nil {
		return "", err
	}
	result := fmt.Sprintf("Message delivered to '%s' via %s", mail.To, via)
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

// AnswerMail answers [MailPrompt], together with the mail of the context that [Agent.Mail] has returned.
func (a *Agent) AnswerMail(ctx context.Context, mail []contexts.Mail) (string, error) {
	attempt := 1
	for _, m := range mail {
		attempt = max(attempt, m.Tries+1)
	}
	return a.prompt(ctx, MailPrompt, attempt)
}

// Mail returns the mail that waits. It leaves out messages that runs took and did not answer as
// often as the settings allow: they have failed, and their senders get a message.
func (a *Agent) Mail(ctx context.Context) ([]contexts.Mail, error) {
	for {
		mail, err := a.Context.Mail(ctx)
		if err != nil {
			return nil, err
		}
		waiting := len(mail)
		for _, m := range mail {
			if m.Tries <= a.Settings.MailRetry {
				continue
			}
			if err := a.failMail(ctx, m); err != nil {
				return nil, err
			}
			waiting--
		}
		if waiting == len(mail) {
			return mail, nil
		}
	}
}

// failMail tells whoever sent a message that it was not answered, and keeps it. Nobody gets a
// report about a report that fails itself.
func (a *Agent) failMail(ctx context.Context, m contexts.Mail) error {
	told := "no context here has sent it"
	if m.Failure == "" {
		mail := hookpoints.PreSendMessagePayload{From: a.Context.Name(), To: m.Sender(), ContextName: a.Context.Name(),
			Content: fmt.Sprintf("Your message to context %q was not answered: %s. Its work until then is in "+
				"the transcript of that context. The message was:\n%s", a.Context.Name(), diedTimes(m.Tries), m.Content)}
		isSent := true
		_, err := a.send(identified(ctx, a, ""), mail, func() (err error) {
			isSent, err = a.Context.Report(m, mail.Content)
			return err
		})
		if err != nil {
			return err
		}
		if isSent {
			told = fmt.Sprintf("%q is told", m.Sender())
		}
	}
	a.Output.notice("context %q: a message from %q was not answered: %s; %s, and chibi context failed %s shows it",
		a.Context.Name(), m.Sender(), diedTimes(m.Tries), told, a.Context.Name())
	return a.Context.Fail(m)
}

func diedTimes(n int) string {
	if n == 1 {
		return "the run that took it died"
	}
	return fmt.Sprintf("%d runs took it, and each of them died", n)
}

// toldAttempt is the attempt in payloads: nothing for the first one.
func (t *turn) toldAttempt() int {
	if t.attempt == 1 {
		return 0
	}
	return t.attempt
}

// removeMail removes the mail from the inbox that came with the prompt of a turn that has ended, if
// that was answered, at least in part.
func (t *turn) removeMail() error {
	if !t.hasMail || t.unanswered != "" {
		return nil
	}
	return t.agent.Context.RemoveMail()
}

// storePrompt stores a prompt with the waiting mail, which is removed from the
// inbox when the turn ends. Messages that an earlier run took come only with a prompt that says so to
// plugins.
// Contexts of plugins stand before it.
func (t *turn) storePrompt(ctx context.Context, prompt string, beside []hookpoints.Text) error {
	mail, err := t.agent.Mail(ctx)
	if err != nil {
		return err
	}
	mail = slices.DeleteFunc(mail, func(m contexts.Mail) bool { return m.Tries >= t.attempt })
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
	if m.Tries > 0 {
		from += fmt.Sprintf(", attempt %d", m.Tries+1)
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
