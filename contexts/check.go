package contexts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// Aside is something damaged that [Check] took out of a context.
type Aside = parts.Aside

// Checked counts the things that [Check] has read.
type Checked struct {
	Contexts, Entries, Messages int
}

// Checking says what [Check] does with damage that it finds.
type Checking struct {
	// Damaged is called with a sentence about each thing that cannot be used.
	Damaged func(text string)
	// SetAside is called with each thing that was taken out of a context, so that the rest can be used;
	// nil: Check takes nothing out.
	SetAside func(Aside)
	// Each is called with the name of a context when Check has read it; it may be nil.
	Each func(name string) error
}

// Check reads all conversations, messages and texts of a store. An error says why it did not go on.
// Nobody else may use the Store meanwhile: its reports go to how.Damaged.
func Check(ctx context.Context, s *Store, how Checking) (c Checked, err error) {
	defer func(report func(string)) { s.Report = report }(s.Report)
	s.Report = how.Damaged
	names, err := s.Names(ctx)
	if err != nil {
		return c, err
	}
	if b, ok := s.backend.(parts.Sharing); ok {
		if err := b.Check(ctx, how.Damaged); err != nil {
			return c, err
		}
	}
	for _, name := range names {
		read, damage, err := checkContext(ctx, s, name)
		if err == nil && len(damage) > 0 && how.SetAside != nil {
			read, damage, err = mend(ctx, s, name, how.SetAside)
		}
		if s.Report = how.Damaged; err != nil {
			return c, err
		}
		for _, text := range damage {
			how.Damaged(text)
		}
		c.Entries, c.Messages, c.Contexts = c.Entries+read.Entries, c.Messages+read.Messages, c.Contexts+1
		if how.Each != nil {
			if err := how.Each(name); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// checkContext reads everything that belongs to a context, and says once what is damaged.
func checkContext(ctx context.Context, s *Store, name string) (c Checked, damage []string, err error) {
	s.Report = func(text string) {
		if !slices.Contains(damage, text) {
			damage = append(damage, text)
		}
	}
	h := s.handle(name)
	h.conversation.ref.Around = true
	for _, read := range []func() error{
		func() error { return h.History(ctx, Query{}, c.add) },
		func() error { _, err := h.Window(ctx); return err },
		func() error { return c.countMail(ctx, h) },
		func() error { _, err := h.Failed(ctx); return err },
		func() error { return readAll(ctx, h.Summary, h.Todos, h.Goals, h.SystemPrompt, h.LocalConfig) },
	} {
		err := read()
		if endsAll(ctx, err) {
			return c, damage, err
		}
		if err != nil {
			s.Report(fmt.Sprintf("context %q: %v", name, err))
		}
	}
	return c, damage, nil
}

func (c *Checked) add(e Entry) bool {
	if e.Type != TypeSetAside {
		c.Entries++
	}
	return true
}

func (c *Checked) countMail(ctx context.Context, h *Context) error {
	if !h.inbox.HasMail(ctx) {
		return nil
	}
	mail, err := h.inbox.Waiting(ctx)
	c.Messages = len(mail)
	return err
}

func readAll(ctx context.Context, texts ...func(context.Context) (string, error)) (err error) {
	for _, text := range texts {
		if !endsAll(ctx, err) {
			_, failed := text(ctx)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// mend takes damaged entries out of a context, and reads it again. Entries that it cannot take out
// are still damaged.
func mend(ctx context.Context, s *Store, name string, each func(Aside)) (c Checked, damage []string, err error) {
	err = setAside(ctx, s, name, each)
	if endsAll(ctx, err) {
		return c, damage, err
	}
	c, damage, failed := checkContext(ctx, s, name)
	if err != nil {
		damage = append(damage, fmt.Sprintf("context %q cannot be repaired: %v", name, err))
	}
	return c, damage, failed
}

// setAside takes what is damaged out of a context while it has its lock.
func setAside(ctx context.Context, s *Store, name string, each func(Aside)) error {
	s.Report = nil // the report has the damage already
	h := s.handle(name)
	h.conversation.ref.Around = true
	held, unlock, err := h.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if h.keeper.Mender.SetAside == nil {
		return nil
	}
	if err := h.keeper.Mender.SetAside(held, each); err != nil {
		return err
	}
	return h.setFailedAside(held, h.keeper.Mender, each)
}
