package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/llm"
)

// ask stores messages that ask for an answer; the first of them ends with the
// prompt.
func (r *round) ask(prompt string, first contexts.Entry, more ...contexts.Entry) error {
	first = first.Asking(prompt, r.recipeName())
	if err := r.store(append([]contexts.Entry{first}, more...)...); err != nil {
		return err
	}
	r.asking = first.ID
	return nil
}

// answered stores entries of a response, if there are any: the prompt has its
// answer then, and the mail that came with it leaves the inbox.
func (r *round) answered(entries ...contexts.Entry) error {
	if err := r.store(entries...); err != nil || len(entries) == 0 {
		return err
	}
	r.asking = ""
	if !r.delivers {
		return nil
	}
	r.delivers = false
	return r.Context.RemoveMail()
}

// failure adds to an error of the model what a person can do.
func (r *round) failure(err error) error {
	if !errors.Is(err, llm.ErrTooLong) {
		return err
	}
	size, limit, advice := r.sending.Bytes/4, r.Settings.window(), ""
	if size < limit {
		advice = "; if the server takes less than that, set context_window_limit to what it takes"
	}
	return fmt.Errorf("%w; the request has about %d tokens, context_window_limit is %d: make the conversation "+
		"shorter with chibi -z, or empty it with chibi -a%s", err, size, limit, advice)
}

// Retry answers the latest prompt once more, if it got no answer. It takes the
// way of any other prompt, from pre_message on, with the text as it was stored;
// mail that came with it comes again.
func (a *Agent) Retry(ctx context.Context) (string, error) {
	entries, err := a.Context.Unanswered()
	if err != nil {
		return "", err
	}
	if len(entries) == 0 {
		return "", fmt.Errorf("there is nothing to send again in context %q: its latest prompt was answered, at least in "+
			"part, or there is none", a.Context.Name())
	}
	if name := entries[0].Recipe(); name != "" {
		return "", fmt.Errorf("the latest prompt in context %q came from the recipe %q, which says what it may use; run "+
			"that again: chibi recipe run %s",
			a.Context.Name(), name, name)
	}
	var texts []string
	for _, e := range entries {
		texts = append(texts, e.PromptText())
	}
	return a.Prompt(ctx, strings.Join(texts, "\n\n"))
}
