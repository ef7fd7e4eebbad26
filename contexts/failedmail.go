package contexts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/uuid"
)

// Messages that a run took and did not answer, because it died, are kept beside the inbox, as lines
// of JSON in a text of the context, until a person has seen them.

// maxFailed bounds the messages that are kept so, in bytes; maxFailedContent each of them. The
// transcript has all of each.
const (
	maxFailed        = 512 << 10
	maxFailedContent = 64 << 10
)

// Fail takes a message out of the inbox, and keeps it among those that failed.
func (b *mailbox) Fail(m Mail) error {
	m.Content = clip.Bytes(m.Content, maxFailedContent)
	err := b.changeFailed(func(failed []Mail) []Mail {
		if hasMessage(failed, m.ID) {
			return failed // by a run that died before it had emptied the inbox
		}
		return append(failed, m)
	})
	if err != nil {
		return fmt.Errorf("keeping a message to context %q that was not answered: %w", b.ref.Name, err)
	}
	stays := func(mail []Mail) ([]Mail, error) {
		return slices.DeleteFunc(slices.Clone(mail), func(w Mail) bool { return w.ID == m.ID }), nil
	}
	if err := b.inbox.Change(stays); err != nil {
		return fmt.Errorf("emptying the inbox of context %q: %w", b.ref.Name, err)
	}
	return nil
}

// Report sends a text about a message that failed to the context that sent it.
func (b *mailbox) Report(failed Mail, text string) (isSent bool, err error) {
	to := failed.Sender()
	if ValidName(to) != nil {
		return false, nil
	}
	report := Mail{ID: uuid.NewString(), Timestamp: b.store.Now().Unix(), From: b.ref.Name, To: to, Content: text,
		Failure: failed.ID}
	if err := b.store.open(to).Inbox.Put(report); err != nil {
		return false, fmt.Errorf("sending to context %q: %w", to, err)
	}
	return true, nil
}

// Failed returns the messages that runs took and did not answer, the oldest first.
func (b *mailbox) Failed(ctx context.Context) ([]Mail, error) {
	text, err := b.texts.Text(ctx, parts.TextFailedMail)
	if err != nil {
		return nil, fmt.Errorf("reading the messages to context %q that were not answered: %w", b.ref.Name, err)
	}
	failed, _ := b.failedIn(text)
	return failed, nil
}

// SendFailedAgain puts messages that failed into the inbox once more, as new ones, and then removes
// them from those that failed: what dies in between sends a message twice and loses none.
func (b *mailbox) SendFailedAgain(failed ...Mail) error {
	for _, m := range failed {
		m.ID, m.Timestamp = uuid.NewString(), b.store.Now().Unix()
		if err := b.inbox.Put(m); err != nil {
			return fmt.Errorf("sending to context %q: %w", b.ref.Name, err)
		}
	}
	return b.ForgetFailed(failed...)
}

// ForgetFailed removes messages from those that failed. What failed in the meantime stays.
func (b *mailbox) ForgetFailed(seen ...Mail) error {
	return b.changeFailed(func(failed []Mail) []Mail {
		return slices.DeleteFunc(failed, func(f Mail) bool { return hasMessage(seen, f.ID) })
	})
}

func hasMessage(mail []Mail, id string) bool {
	return slices.ContainsFunc(mail, func(m Mail) bool { return m.ID == id })
}

// changeFailed replaces the list, and what the registry says of it.
func (b *mailbox) changeFailed(change func([]Mail) []Mail) error {
	count := 0
	err := b.texts.ChangeText(parts.TextFailedMail, func(old string) (string, error) {
		failed, _ := b.failedIn(old)
		failed = change(failed)
		text, err := failedText(failed)
		for err == nil && len(text) > maxFailed {
			failed = failed[1:]
			text, err = failedText(failed)
		}
		count = len(failed)
		return text, err
	})
	if err != nil {
		return err
	}
	return b.store.backend.Change(b.ref.Name, func(e *registry.Context) { e.FailedMail = count })
}

func failedText(failed []Mail) (string, error) {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	for _, m := range failed {
		if err := lines.Encode(m); err != nil {
			return "", err
		}
	}
	return text.String(), nil
}

// failedIn reads the list. A line that is not a message is bad: it is left out, and said.
func (b *mailbox) failedIn(text string) (failed []Mail, bad []string) {
	for line := range strings.Lines(text) {
		var m Mail
		if err := strictjson.Decode([]byte(line), &m); err != nil {
			parts.Report(b.ref.Settings, "%s of context %q has a line that is not a message: %v", parts.TextFailedMail,
				b.ref.Name, err)
			bad = append(bad, line)
			continue
		}
		failed = append(failed, m)
	}
	return failed, bad
}

// setFailedAside takes lines out of the list that are not messages, after keep has kept them.
func (b *mailbox) setFailedAside(ctx context.Context, keep parts.Mender, each func(parts.Aside)) error {
	text, err := b.texts.Text(ctx, parts.TextFailedMail)
	_, bad := b.failedIn(text)
	if err != nil || len(bad) == 0 {
		return err
	}
	for _, line := range bad {
		path, err := keep.Keep(parts.TextFailedMail, []byte(line))
		if err != nil {
			return err
		}
		each(parts.Aside{What: fmt.Sprintf("context %q, %s: a line that is not a message", b.ref.Name, parts.TextFailedMail),
			Path: path})
	}
	return b.changeFailed(func(failed []Mail) []Mail { return failed })
}
