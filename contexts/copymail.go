package contexts

import (
	"cmp"
	"context"
	"fmt"
)

// waiting returns the messages that the source has not delivered.
func (c mailCopy) waiting(ctx context.Context) ([]Mail, error) {
	if !c.source.inbox.HasMail(ctx) {
		return nil, nil
	}
	mail, err := c.source.inbox.Waiting(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the inbox of context %q: %w", c.done.Name, err)
	}
	return c.source.sort(ctx, mail, isUndelivered)
}

// copy copies the messages that wait and that the target does not have, and removes from
// its inbox what was delivered since it got them.
func (c mailCopy) copy(ctx context.Context, mail []Mail) error {
	if err := c.target.RemoveMail(); err != nil {
		return err
	}
	missing, err := c.missing(ctx, mail)
	for _, m := range missing {
		if err != nil || ctx.Err() != nil {
			break
		}
		if err = c.target.inbox.Put(m); err == nil {
			c.done.Mail++
		}
	}
	if err := cmp.Or(err, context.Cause(ctx)); err != nil {
		return fmt.Errorf("copying the mail of context %q: %w", c.done.Name, err)
	}
	return nil
}

// missing returns the messages that the target neither has nor has delivered.
func (c mailCopy) missing(ctx context.Context, mail []Mail) (missing []Mail, err error) {
	if len(mail) == 0 {
		return nil, nil
	}
	there := map[string]bool{}
	if c.target.inbox.HasMail(ctx) {
		waiting, err := c.target.inbox.Waiting(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range waiting {
			there[m.ID] = true
		}
	}
	for _, m := range mail {
		if !there[m.ID] {
			missing = append(missing, m)
		}
	}
	return c.target.sort(ctx, missing, isUndelivered)
}
