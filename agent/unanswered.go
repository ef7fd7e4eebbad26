package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
)

// storeUnanswered stores messages that need an answer; the first of them ends with
// the prompt.
func (t *turn) storeUnanswered(prompt string, first contexts.Entry, more ...contexts.Entry) error {
	first = first.Asking(prompt, t.recipe.name())
	if err := t.recorder.record(append([]contexts.Entry{first}, more...)...); err != nil {
		return err
	}
	t.unanswered = first.ID
	return nil
}

func (t *turn) userMessage(text string) contexts.Entry {
	return contexts.UserMessage(t.agent.Settings.userName(), t.contextName(), text)
}

// Retry answers the latest prompt again, if it got no answer. It is processed like
// any other prompt, from pre_message on, with the text as it was stored; mail that
// came with it is included again.
func (a *Agent) Retry(ctx context.Context) (string, error) {
	entries, err := a.Context.Unanswered(ctx)
	if err != nil {
		return "", err
	}
	if len(entries) == 0 {
		return "", fmt.Errorf("there is nothing to send again in context %q: its latest prompt was answered, at least in "+
			"part, or there is none", a.Context.Name())
	}
	if name := entries[0].Recipe(); name != "" {
		return "", fmt.Errorf("the latest prompt in context %q came from the recipe %q, which says what it may use; run "+
			"that again: chibi recipe run %s", a.Context.Name(), name, name)
	}
	var texts []string
	for _, e := range entries {
		texts = append(texts, e.PromptText())
	}
	return a.Prompt(ctx, strings.Join(texts, "\n\n"))
}
