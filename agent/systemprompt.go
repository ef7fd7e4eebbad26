package agent

import (
	"context"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// systemPrompt builds the system prompt: what plugins add before, the context's own
// text, what is known about the person and the conversation, what plugins add
// after.
func (a *Agent) systemPrompt(ctx context.Context) (string, error) {
	parts, err := readPromptParts(ctx, a.Context, a.Settings)
	if err != nil {
		return "", err
	}
	payload := hookpoints.SystemPromptPayload{ContextName: a.Context.Name(), Summary: parts.summary,
		Todos: parts.todos, Goals: parts.goals, Nesting: a.inner.told()}
	first, err := plugin.Fire(ctx, a.Host, hookpoints.PreSystemPrompt, payload)
	if err != nil {
		return "", err
	}
	sections := append([]string{first.Inject}, parts.sections(a.Settings)...)
	last, err := plugin.Fire(ctx, a.Host, hookpoints.PostSystemPrompt, payload)
	if err != nil {
		return "", err
	}
	return joinSections(append(sections, last.Inject)), nil
}

// promptParts are the texts of the context that are a part of the system prompt.
type promptParts struct{ prompt, continuation, summary, todos, goals, reflection string }

// readPromptParts reads the texts of a context. The system prompt of the settings, if
// there is one, replaces the context's own.
func readPromptParts(ctx context.Context, c Context, settings Settings) (p promptParts, err error) {
	type source struct {
		read func(context.Context) (string, error)
		into *string
	}
	sources := []source{
		{c.SystemPrompt, &p.prompt},
		{func(ctx context.Context) (string, error) { return c.Prompt(ctx, "continuation") }, &p.continuation},
		{c.Summary, &p.summary},
		{c.Todos, &p.todos},
		{c.Goals, &p.goals},
	}
	if settings.Reflection {
		sources = append(sources, source{c.Reflection, &p.reflection})
	}
	for _, s := range sources {
		if *s.into, err = s.read(ctx); err != nil {
			return p, err
		}
	}
	if own := settings.SystemPrompt; own != nil {
		p.prompt = *own
	}
	return p, nil
}

// sections lists chibi's own parts of the system prompt in order.
func (p promptParts) sections(settings Settings) []string {
	user := ""
	if settings.UserName != "" && settings.UserName != DefaultUserName {
		user = "The user speaking to you is called: " + settings.UserName
	}
	return []string{
		p.prompt,
		titled("--- INSTRUCTIONS ---", settings.Instructions),
		user,
		summarySection(p),
		titled("--- CURRENT GOALS ---", p.goals),
		titled("--- CURRENT TODOS ---", p.todos),
		p.reflection,
	}
}

// summarySection returns the summary, preceded by prompts/continuation.md, which
// says how to continue from one.
func summarySection(p promptParts) string {
	section := titled("--- CONVERSATION SUMMARY ---", p.summary)
	if section == "" {
		return ""
	}
	return joinSections([]string{p.continuation, section})
}

func titled(title, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return title + "\n" + text
}

// joinSections joins the sections that are not empty, with blank lines between
// them.
func joinSections(sections []string) string {
	var kept []string
	for _, s := range sections {
		if strings.TrimSpace(s) != "" {
			kept = append(kept, strings.TrimRight(s, "\n"))
		}
	}
	return strings.Join(kept, "\n\n")
}
