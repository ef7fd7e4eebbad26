package contexts

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// notes copies the texts of the context, but for its settings and the summary.
func (c textCopy) notes(ctx context.Context) (err error) {
	for _, name := range []string{parts.TextSystemPrompt, parts.TextTodos, parts.TextGoals, parts.TextFailedMail} {
		if endsAll(ctx, err) {
			break
		}
		err = errors.Join(err, c.text(ctx, name))
	}
	return err
}

// text makes a text of the target equal.
func (c textCopy) text(ctx context.Context, name string) error {
	text, err := c.source.notes.texts.Text(ctx, name)
	if err != nil {
		return err
	}
	if there, err := c.target.notes.texts.Text(ctx, name); err != nil || there == text {
		return err
	}
	return writing(c.target.owner.ref, name, c.target.notes.texts.SetText(name, text))
}

// noted copies the system prompts of the last turn, so that the next one does not add the
// context's own one to the transcript once more. The texts are there.
func (c textCopy) noted(ctx context.Context) error {
	noted, err := c.fromTape.Noted(ctx)
	if err != nil {
		return err
	}
	if there, err := c.tape.Noted(ctx); err != nil || there == noted {
		return err
	}
	return c.tape.SetNoted(noted)
}

// localConfig copies the settings of the context, if the target may have them.
func (c textCopy) localConfig(ctx context.Context) error {
	text, err := c.settings(ctx)
	if err != nil {
		return err
	}
	if there, err := c.target.LocalConfig(ctx); err != nil || there == text {
		return err
	}
	return c.target.ChangeLocalConfig(func(string) (string, error) { return text, nil })
}

// settings returns the settings of the context. It is an error if the target must not have
// them.
func (c textCopy) settings(ctx context.Context) (text string, err error) {
	text, err = c.source.LocalConfig(ctx)
	if err == nil && text != "" && c.LocalConfig != nil {
		if err = c.LocalConfig(c.done.Name, text); err != nil {
			err = fmt.Errorf("context %q is copied without its %s: %w", c.done.Name, parts.TextLocalConfig, err)
		}
	}
	return text, err
}

// summary makes the summary of the target equal, if it can be changed by itself.
func (c textCopy) summary(ctx context.Context) error {
	text, err := c.source.Summary(ctx)
	if err != nil {
		return err
	}
	if there, err := c.target.Summary(ctx); err != nil || there == text {
		return err
	}
	return c.tape.SetSummary(text)
}
