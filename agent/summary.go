package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
)

// maxToolText bounds, in bytes, what a summary is told of a tool's arguments or
// result.
const maxToolText = 2000

// summarize asks the model for a summary of entries, on top of the earlier one,
// with the prompt of the recipe "compact".
func (a *Agent) summarize(ctx context.Context, entries []contexts.Entry) (string, error) {
	recipe, err := a.prepared(ctx, CompactRecipe, nil)
	if err != nil {
		return "", err
	}
	known, err := a.known()
	if err != nil {
		return "", err
	}
	reply, err := a.request(ctx, "summary", "", about(known, entries, recipe.Prompt))
	text := strings.TrimSpace(reply.Text)
	switch why := cutShort(reply); {
	case err != nil:
	case text == "":
		err = errors.New("the model gave an empty summary")
	case why != "":
		err = fmt.Errorf("the model's summary is not whole: %s", why)
	}
	return text, err
}

// about is a prompt about a conversation, which stands before it.
func about(known string, entries []contexts.Entry, prompt string) string {
	return known + "--- CONVERSATION ---\n" + conversationText(entries) + "--- END OF THE CONVERSATION ---\n\n" + prompt
}

// known is what a summary builds on: the earlier one, the goals and todos.
func (a *Agent) known() (string, error) {
	var b strings.Builder
	for _, part := range []struct {
		title string
		read  func() (string, error)
	}{
		{"EARLIER SUMMARY", a.Context.Summary}, {"GOALS", a.Context.Goals}, {"TODOS", a.Context.Todos},
	} {
		text, err := part.read()
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(text) != "" {
			fmt.Fprintf(&b, "--- %s ---\n%s\n\n", part.title, strings.TrimSpace(text))
		}
	}
	return b.String(), nil
}

// request asks the model something beside the conversation. pre_api_request
// fires as for any request; nothing is stored or shown.
func (a *Agent) request(ctx context.Context, what, system, prompt string) (llm.Reply, error) {
	messages := []llm.Message{{Role: "user", Content: prompt}}
	if system != "" {
		messages = append([]llm.Message{{Role: "system", Content: system}}, messages...)
	}
	body, err := llm.Request{Model: a.Settings.Model, Messages: messages, Options: a.Settings.Options}.Body()
	if err != nil {
		return llm.Reply{}, err
	}
	patched, err := plugin.Fire(ctx, a.Host, hookpoints.PreAPIRequest,
		hookpoints.PreAPIRequestPayload{ContextName: a.Context.Name(), RequestBody: body})
	if err != nil {
		return llm.Reply{}, err
	}
	none := []string{}
	body = a.patched(&RequestEvent{For: what, Tools: none, Configured: none, Offered: none}, body, patched)
	done := a.waiting(what + " by model " + a.Settings.Model)
	defer done()
	return a.Model.Stream(ctx, body, func(string) {})
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
	return strings.ToValidUTF8(text[:most], "") + "... [truncated]"
}
