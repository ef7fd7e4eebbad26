package contexts

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// Checked is what [Check] has read.
type Checked struct {
	Contexts, Entries, Messages int
}

// Check reads all conversations, messages and texts of a store. It calls damaged with a
// sentence about each thing that cannot be used, and each with the name of a context when
// that was read. An error is why it did not go on. Nobody else may use the Store meanwhile:
// its reports go to damaged.
func Check(ctx context.Context, s *Store, damaged func(text string), each func(name string) error) (c Checked,
	err error) {
	defer func(report func(string)) { s.Report = report }(s.Report)
	s.Report = damaged
	names, err := s.Names(ctx)
	if err != nil {
		return c, err
	}
	if b, ok := s.backend.(parts.Sharing); ok {
		if err := b.Check(ctx, damaged); err != nil {
			return c, err
		}
	}
	for _, name := range names {
		err := checkContext(ctx, s, name, &c)
		if endsAll(ctx, err) {
			return c, err
		}
		if err != nil {
			damaged(fmt.Sprintf("context %q: %v", name, err))
		}
		if c.Contexts++; each != nil {
			if err := each(name); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// checkContext reads everything that belongs to a context.
func checkContext(ctx context.Context, s *Store, name string, c *Checked) error {
	h := s.handle(name)
	err := h.History(ctx, Query{}, func(Entry) bool { c.Entries++; return true })
	if endsAll(ctx, err) {
		return err
	}
	if _, failed := h.Window(ctx); failed != nil {
		err = errors.Join(err, failed)
	}
	if h.inbox.HasMail(ctx) {
		mail, failed := h.inbox.Waiting(ctx)
		c.Messages, err = c.Messages+len(mail), errors.Join(err, failed)
	}
	for _, read := range []func(context.Context) (string, error){h.Summary, h.Todos, h.Goals, h.SystemPrompt,
		h.LocalConfig} {
		if !endsAll(ctx, err) {
			_, failed := read(ctx)
			err = errors.Join(err, failed)
		}
	}
	return err
}
