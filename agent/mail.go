package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// Post sends a message to another context: plugins may deliver it at
// pre_send_message, otherwise it goes to the inbox there. It returns how it was
// delivered. from is this context if it is empty.
func (a *Agent) Post(ctx context.Context, from, to, text string) (string, error) {
	if from == "" {
		from = a.Context.Name()
	}
	for _, name := range []string{from, to} {
		if err := contexts.ValidName(name); err != nil {
			return "", err
		}
	}
	mail := hookpoints.Mail{From: from, To: to, Content: text, ContextName: a.Context.Name()}
	claim, err := plugin.Fire(ctx, a.Host, hookpoints.PreSendMessage, mail)
	if err != nil {
		return "", err
	}
	via := "local inbox"
	if claim.Delivered {
		via = claim.Via
	} else if err := a.deliver(mail); err != nil {
		return "", err
	}
	result := fmt.Sprintf("Message delivered to '%s' via %s", to, via)
	_, err = plugin.Fire(ctx, a.Host, hookpoints.PostSendMessage, hookpoints.DeliveredMail{
		From: mail.From, To: mail.To, Content: mail.Content, ContextName: mail.ContextName, DeliveryResult: result,
	})
	return result, err
}

// deliver puts a message into the other context's inbox.
func (a *Agent) deliver(mail hookpoints.Mail) error {
	to, err := a.Context.Store().Context(mail.To)
	if err != nil {
		return err
	}
	return to.Send(mail.From, mail.Content)
}

// MailPrompt is the prompt of a turn whose purpose is the mail that waits.
const MailPrompt = "Process the messages in your inbox."

// storePrompt stores a prompt with the mail that waits, which leaves the inbox
// when the prompt is answered.
func (r *round) storePrompt(prompt string) error {
	mail, err := r.Context.Mail()
	if err != nil {
		return err
	}
	entry := contexts.UserMessage(r.userName(), r.Context.Name(), inboxText(mail)+prompt)
	if len(mail) > 0 {
		entry, r.delivers = entry.Delivering(mail), true
	}
	return r.ask(prompt, entry)
}

// inboxText is how the model sees its mail.
func inboxText(mail []contexts.Mail) string {
	if len(mail) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("--- INBOX MESSAGES ---\n")
	for _, m := range mail {
		fmt.Fprintf(&b, "[From: %s] %s\n", m.From, m.Content)
	}
	b.WriteString("--- END INBOX ---\n\n")
	return b.String()
}
