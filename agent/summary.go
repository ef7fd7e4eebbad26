package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/clip"
)

// maxToolText bounds, in bytes, what a summary is told of a tool's arguments or
// result.
const maxToolText = 2000

// summarize asks the model for a summary of entries, on top of the earlier one,
// with the prompt of the recipe "compact".
func (a *Agent) summarize(ctx context.Context, entries []contexts.Entry) (string, error) {
	recipe, err := a.findRecipe(ctx, CompactRecipe, nil)
	if err != nil {
		return "", err
	}
	prompt, err := a.promptAbout(ctx, entries, recipe.Prompt)
	if err != nil {
		return "", err
	}
	reply, err := a.askModel(ctx, "summary", prompt)
	text := strings.TrimSpace(reply.Text)
	switch why := incomplete(reply); {
	case err != nil:
	case text == "":
		err = errors.New("the model gave an empty summary")
	case why != "":
		err = fmt.Errorf("the model's summary is not whole: %s", why)
	}
	return text, err
}

// promptAbout is a prompt about a conversation, which stands before it.
func (a *Agent) promptAbout(ctx context.Context, entries []contexts.Entry, prompt string) (string, error) {
	notes, err := a.notes(ctx)
	return notes + "--- CONVERSATION ---\n" + conversationText(entries) +
		"--- END OF THE CONVERSATION ---\n\n" + prompt, err
}

// notes are what a summary builds on: the earlier one, the goals and todos.
func (a *Agent) notes(ctx context.Context) (string, error) {
	var b strings.Builder
	for _, part := range []struct {
		title string
		read  func(context.Context) (string, error)
	}{
		{"EARLIER SUMMARY", a.Context.Summary}, {"GOALS", a.Context.Goals}, {"TODOS", a.Context.Todos},
	} {
		text, err := part.read(ctx)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(text) != "" {
			fmt.Fprintf(&b, "--- %s ---\n%s\n\n", part.title, strings.TrimSpace(text))
		}
	}
	return b.String(), nil
}

// conversationText is a conversation for a model to read about.
func conversationText(entries []contexts.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		switch e.Type {
		case contexts.TypeMessage:
			fmt.Fprintf(&b, "[%s]: %s\n\n", strings.ToUpper(e.Role()), e.Content)
		case contexts.TypeToolCall:
			fmt.Fprintf(&b, "[TOOL CALL %s]: %s\n\n", e.To, excerpt(e.Content, maxToolText))
		case contexts.TypeToolResult:
			fmt.Fprintf(&b, "[TOOL RESULT %s]: %s\n\n", e.From, excerpt(e.Content, maxToolText))
		}
	}
	return b.String()
}

// excerpt is the beginning of a text of at most so many bytes, in whole characters.
func excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return clip.Bytes(text, most) + "... [truncated]"
}
