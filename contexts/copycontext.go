package contexts

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// contextCopy copies one context.
type contextCopy struct {
	*copying
	done           Copied
	source, target *Context
	fromTape, tape parts.Tape
}

// Parts of a copy.
type (
	entryCopy struct{ *contextCopy }
	textCopy  struct{ *contextCopy }
	mailCopy  struct{ *contextCopy }
)

func newContextCopy(c *copying, done Copied) *contextCopy {
	source, target := c.from.handle(done.Name), c.to.handle(done.Name)
	return &contextCopy{copying: c, done: done, source: source, target: target, fromTape: source.keeper.Tape,
		tape: target.keeper.Tape}
}

// run copies the context. Mail is read before the entries: what is delivered meanwhile is
// then in both, and counts as delivered, instead of in none.
func (c *contextCopy) run(ctx context.Context) error {
	mail, err := mailCopy{c}.waiting(ctx)
	if err != nil {
		return err
	}
	if c.DryRun {
		return c.compare(ctx, mail)
	}
	held, unlock, err := c.target.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := (entryCopy{c}).copy(held); err != nil {
		return err
	}
	if err := (mailCopy{c}).copy(held, mail); err != nil {
		return err
	}
	texts := textCopy{c}
	for _, step := range []func(context.Context) error{texts.notes, texts.noted, texts.localConfig, texts.summary,
		c.outputs} {
		if !endsAll(held, err) { // else one does not keep the others
			err = errors.Join(err, step(held))
		}
	}
	return err
}

// compare counts what would be copied.
func (c *contextCopy) compare(ctx context.Context, mail []Mail) error {
	if err := (entryCopy{c}).compare(ctx); err != nil {
		return err
	}
	missing, err := mailCopy{c}.missing(ctx, mail)
	c.done.Mail = len(missing)
	_, refused := textCopy{c}.settings(ctx)
	return errors.Join(err, refused, c.outputs(ctx))
}

// progress tells how far the context is.
func (c *contextCopy) progress() {
	if c.Progress != nil {
		c.Progress(c.done)
	}
}

func (c *contextCopy) outputs(ctx context.Context) (err error) {
	if c.Outputs == nil {
		return nil
	}
	if c.done.Outputs, err = c.Outputs(ctx, c.done.Name); err != nil {
		return fmt.Errorf("copying the outputs of context %q: %w", c.done.Name, err)
	}
	return nil
}
