package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/llm"
)

// compaction puts summaries of the model in the place of conversation.
type compaction struct{ agent *Agent }

// maxToolText bounds, in bytes, the part of a tool's arguments or result that a
// summary is made from.
const maxToolText = 2000

// summarize asks the model for a summary of the earlier summary and of entries,
// with the prompt of the recipe "compact".
func (c compaction) summarize(ctx context.Context, entries []contexts.Entry) (string, error) {
	if err := c.maySummarize(ctx); err != nil {
		return "", err
	}
	recipe, err := c.agent.findRecipe(ctx, CompactRecipe, nil)
	if err != nil {
		return "", err
	}
	prompt, err := promptAbout(ctx, c.agent.Context, entries, recipe.Prompt)
	if err != nil {
		return "", err
	}
	reply, err := c.askModel(ctx, "summary", prompt)
	text := strings.TrimSpace(reply.Text)
	switch why := incomplete(reply); {
	case err != nil:
	case text == "":
		err = errors.New("the model's summary is empty")
	case why != "":
		err = fmt.Errorf("the model's summary is incomplete: %s", why)
	}
	return text, err
}

// promptAbout returns a prompt preceded by the conversation that it is about.
func promptAbout(ctx context.Context, c Context, entries []contexts.Entry, prompt string) (string, error) {
	known, err := notes(ctx, c)
	return known + "--- CONVERSATION ---\n" + conversationText(entries) +
		"--- END OF THE CONVERSATION ---\n\n" + prompt, err
}

// notes returns what a summary builds on: the earlier summary, the goals and the
// todos.
func notes(ctx context.Context, c Context) (string, error) {
	var b strings.Builder
	for _, part := range []struct {
		title string
		read  func(context.Context) (string, error)
	}{
		{"EARLIER SUMMARY", c.Summary}, {"GOALS", c.Goals}, {"TODOS", c.Todos},
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

// excerpt returns the beginning of a text, at most so many bytes, in whole
// characters.
func excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return clip.Bytes(text, most) + "... [truncated]"
}

// askModel asks the model something detached from the conversation, with hooks as for
// any request; nothing is stored or shown. purpose names it for people.
func (c compaction) askModel(ctx context.Context, purpose, prompt string) (llm.Reply, error) {
	none := []string{}
	body, err := c.agent.requestBody(ctx, modelRequest{
		messages: []llm.Message{{Role: "user", Content: prompt}},
		event:    RequestEvent{For: purpose, Tools: none, Configured: none, Offered: none},
	})
	if err != nil {
		return llm.Reply{}, err
	}
	done := c.agent.Output.waiting(purpose + " by model " + c.agent.Settings.Model)
	defer done()
	return c.agent.Model.Stream(ctx, body, func(string) {})
}

// findRecipe finds a recipe and fills in its arguments.
func (a *Agent) findRecipe(ctx context.Context, name string, args map[string]string) (Recipe, error) {
	if a.Recipes == nil {
		return Recipe{}, fmt.Errorf("there is no recipe %q", name)
	}
	return a.Recipes(ctx, name, args)
}
