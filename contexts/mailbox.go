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

// Mail returns the messages in the inbox that are not part of the conversation yet.
func (b *mailbox) Mail(ctx context.Context) ([]Mail, error) {
	all, waiting, err := b.waiting(ctx)
	if err != nil {
		return nil, err
	}
	if len(waiting) < len(all) && b.ref.Held {
		// A crash has left what it had delivered. It is removed while that is among the recent
		// entries, so that no clock matters.
		if err := b.RemoveMail(); err != nil {
			return nil, err
		}
	}
	return b.forOnePrompt(waiting), nil
}

// waiting returns the messages in the inbox, and those of them that are not delivered yet.
func (b *mailbox) waiting(ctx context.Context) (all, undelivered []Mail, err error) {
	if all, err = b.inbox.Waiting(ctx); err != nil {
		return nil, nil, fmt.Errorf("reading the inbox of context %q: %w", b.ref.Name, err)
	}
	if undelivered, err = b.undelivered(ctx, all); err != nil {
		return nil, nil, fmt.Errorf("reading the inbox of context %q: %w", b.ref.Name, err)
	}
	return all, undelivered, nil
}

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

// RemoveMail removes the messages from the inbox that are part of the conversation.
func (b *mailbox) RemoveMail() error {
	ctx := context.Background() // delivered messages are removed even if the turn was cancelled
	err := b.inbox.Change(func(waiting []Mail) ([]Mail, error) { return b.undelivered(ctx, waiting) })
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

// undelivered leaves out mail that an entry of the transcript has delivered. No
// entry from before the mail can have done that, but a clock may have been set
// back, so some older entries are searched too.
func (b *mailbox) undelivered(ctx context.Context, mail []Mail) ([]Mail, error) {
	if len(mail) == 0 {
		return nil, nil
	}
	oldest := slices.MinFunc(mail, func(a, b Mail) int { return int(a.Timestamp - b.Timestamp) }).Timestamp
	if b.store.IsShared() {
		oldest -= int64(clockDifference / time.Second)
	}
	delivered := parts.Deliveries{}
	seen := 0
	err := b.conversation.transcript.Each(ctx, parts.Wanted{Backward: true}, func(e Entry) bool {
		seen++
		delivered.Add(e)
		return e.Timestamp >= oldest || seen < recentEntries
	})
	return slices.DeleteFunc(slices.Clone(mail), func(m Mail) bool { return delivered.Has(m.ID) }), err
}
