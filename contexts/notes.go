package contexts

import (
	"cmp"
	"context"
	"fmt"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// notes implements the rules for a context's texts.
type notes struct {
	ref        *parts.Ref
	texts      parts.Texts
	transcript parts.EntryStore
}

// SystemPrompt returns the context's own system prompt, else the home's, else "".
func (n *notes) SystemPrompt(ctx context.Context) (string, error) {
	text, err := n.texts.Text(ctx, parts.TextSystemPrompt)
	if err != nil || text != "" {
		return text, err
	}
	return n.texts.Prompt(ctx, parts.PromptSystem)
}

// SetSystemPrompt gives the context its own system prompt.
func (n *notes) SetSystemPrompt(text string) error { return n.set(parts.TextSystemPrompt, text) }

// NoteSystemPrompt stores the final system prompt of a turn.
func (n *notes) NoteSystemPrompt(combined string) error {
	if err := n.transcript.NoteSystemPrompt(combined); err != nil {
		return fmt.Errorf("storing in context %q: %w", n.ref.Name, err)
	}
	return nil
}

// Prompt returns a prompt for all contexts of the home, "" if there is none.
func (n *notes) Prompt(ctx context.Context, name string) (string, error) {
	return n.texts.Prompt(ctx, name)
}

// Summary returns the summary of earlier conversation, "" if there is none.
func (n *notes) Summary(ctx context.Context) (string, error) {
	return n.texts.Text(ctx, parts.TextSummary)
}

// Todos returns the list of todos, "" if there is none.
func (n *notes) Todos(ctx context.Context) (string, error) { return n.texts.Text(ctx, parts.TextTodos) }

// SetTodos replaces the list of todos.
func (n *notes) SetTodos(text string) error { return n.setNote(parts.TextTodos, text) }

// Goals returns the list of goals, "" if there is none.
func (n *notes) Goals(ctx context.Context) (string, error) { return n.texts.Text(ctx, parts.TextGoals) }

// SetGoals replaces the list of goals.
func (n *notes) SetGoals(text string) error { return n.setNote(parts.TextGoals, text) }

// Reflection returns the model's notes about itself, for all contexts of the home.
func (n *notes) Reflection(ctx context.Context) (string, error) {
	return n.texts.Prompt(ctx, parts.PromptReflection)
}

// SetReflection replaces the model's notes about itself.
func (n *notes) SetReflection(text string) error {
	if err := cmp.Or(checkNote(n.ref.Settings.Limits, text), parts.CheckText(text)); err != nil {
		return fmt.Errorf("writing prompts/%s.md: %w", parts.PromptReflection, err)
	}
	if err := n.texts.SetPrompt(parts.PromptReflection, text); err != nil {
		return fmt.Errorf("writing prompts/%s.md: %w", parts.PromptReflection, err)
	}
	return nil
}

// setNote is like set, for texts that the model writes.
func (n *notes) setNote(name, text string) error {
	if err := checkNote(n.ref.Settings.Limits, text); err != nil {
		return writing(n.ref, name, err)
	}
	return n.set(name, text)
}

func (n *notes) set(name, text string) error {
	if err := parts.CheckText(text); err != nil {
		return writing(n.ref, name, err)
	}
	return writing(n.ref, name, n.texts.SetText(name, text))
}

// checkNote rejects a note that is too large to be sent with every request.
func checkNote(l Limits, text string) error {
	if most := l.WithDefaults().Note; len(text) > most {
		return fmt.Errorf("the text has %d bytes, and at most %d are kept (limits.note_bytes); make it shorter",
			len(text), most)
	}
	return nil
}

// writing says which text of a context could not be written.
func writing(r *parts.Ref, name string, err error) error {
	if err != nil {
		return fmt.Errorf("writing %s of context %q: %w", name, r.Name, err)
	}
	return nil
}
