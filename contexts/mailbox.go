package contexts

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/google/uuid"
)

// mailbox implements the rules for a context's mail.
type mailbox struct {
	store        *Store
	ref          *parts.Ref
	inbox        parts.Inbox
	texts        parts.Texts
	conversation *conversation
}

// Send puts a message into the inbox of another context.
func (b *mailbox) Send(to, from, text string) error {
	if err := cmp.Or(ValidName(to), b.CheckMessage(text)); err != nil {
		return fmt.Errorf("sending to context %q: %w", to, err)
	}
	mail := Mail{ID: uuid.NewString(), Timestamp: b.store.Now().Unix(), From: from, To: to, Content: text}
	if from != b.ref.Name {
		mail.SentBy = b.ref.Name
	}
	if err := b.store.open(to).Inbox.Put(mail); err != nil {
		return fmt.Errorf("sending to context %q: %w", to, err)
	}
	return nil
}

// CheckMessage returns an error for a message that is too large to be sent.
func (b *mailbox) CheckMessage(text string) error { return parts.CheckMessage(b.store.Limits, text) }

// Mail returns the messages in the inbox that no prompt has delivered and answered to the end.
func (b *mailbox) Mail(ctx context.Context) ([]Mail, error) {
	all, waiting, err := b.waiting(ctx)
	if err != nil {
		return nil, err
	}
	if len(waiting) < len(all) && b.ref.Held {
		// A crash has left what it had answered. It is removed while that is among the recent
		// entries, so that no clock matters.
		answered := func(mail []Mail) ([]Mail, error) { return b.sort(ctx, mail, isWaiting) }
		if err := b.inbox.Change(answered); err != nil {
			return nil, fmt.Errorf("emptying the inbox of context %q: %w", b.ref.Name, err)
		}
	}
	return b.forOnePrompt(waiting), nil
}

// waiting returns the messages in the inbox, and the ones that no prompt has delivered and
// answered to the end.
func (b *mailbox) waiting(ctx context.Context) (all, waiting []Mail, err error) {
	if all, err = b.inbox.Waiting(ctx); err != nil {
		return nil, nil, fmt.Errorf("reading the inbox of context %q: %w", b.ref.Name, err)
	}
	if waiting, err = b.sort(ctx, all, isWaiting); err != nil {
		return nil, nil, fmt.Errorf("reading the inbox of context %q: %w", b.ref.Name, err)
	}
	return all, waiting, nil
}

// isWaiting reports whether a message waits for a prompt: it was not delivered, or the run that took
// it ended before it was answered.
func isWaiting(m Mail, isDelivered bool) bool { return !isDelivered || m.Tries > 0 }

func isUndelivered(_ Mail, isDelivered bool) bool { return !isDelivered }

// forOnePrompt returns the first messages, as many as one prompt delivers.
func (b *mailbox) forOnePrompt(waiting []Mail) []Mail {
	size, most := 0, b.store.Limits.WithDefaults().Inbox
	for i, m := range waiting {
		size += len(m.Content) + len(m.From)
		if i > 0 && size > most {
			parts.Report(b.ref.Settings, "context %q: %d messages come with this prompt, %d more with the next ones",
				b.ref.Name, i, len(waiting)-i)
			return waiting[:i]
		}
	}
	return waiting
}

// RemoveMail removes the messages from the inbox that are part of the conversation, answered to the
// end or not.
func (b *mailbox) RemoveMail() error {
	ctx := context.Background() // delivered messages are removed even if the turn was cancelled
	err := b.inbox.Change(func(mail []Mail) ([]Mail, error) { return b.sort(ctx, mail, isUndelivered) })
	if err != nil {
		return fmt.Errorf("emptying the inbox of context %q: %w", b.ref.Name, err)
	}
	return nil
}

// clockDifference is how far the clocks of machines may be apart that share a store.
const clockDifference = 2 * time.Hour

// recentEntries is the least number of latest entries that are searched for mail
// that they delivered.
const recentEntries = 200

// sort returns the mail that stays, by whether an entry of the transcript has delivered it. No
// entry from before the mail can have done that, but a clock may have been set
// back, so some older entries are searched too.
func (b *mailbox) sort(ctx context.Context, mail []Mail, stays func(m Mail, isDelivered bool) bool) (list []Mail,
	err error) {
	if len(mail) == 0 {
		return nil, nil
	}
	oldest := slices.MinFunc(mail, func(a, b Mail) int { return int(a.Timestamp - b.Timestamp) }).Timestamp
	if b.store.IsShared() {
		oldest -= int64(clockDifference / time.Second)
	}
	delivered := parts.Deliveries{}
	seen := 0
	err = b.conversation.transcript.Each(ctx, parts.Wanted{Backward: true}, func(e Entry) bool {
		seen++
		delivered.Add(e)
		return e.Timestamp >= oldest || seen < recentEntries
	})
	for _, m := range mail {
		m.Tries = delivered.Tries(m.ID)
		if stays(m, delivered.Has(m.ID)) {
			list = append(list, m)
		}
	}
	return list, err
}
