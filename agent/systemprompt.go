package agent

import (
	"context"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// systemPrompt builds the system prompt: what plugins put first, the context's
// own text, what is known about the person and the conversation, what plugins
// put last.
func (r *round) systemPrompt(ctx context.Context) (string, error) {
	known, err := r.knowledge()
	if err != nil {
		return "", err
	}
	payload := hookpoints.SystemPromptPayload{ContextName: r.Context.Name(), Summary: known.summary,
		Todos: known.todos, Goals: known.goals}
	first, err := plugin.Fire(ctx, r.Host, hookpoints.PreSystemPrompt, payload)
	if err != nil {
		return "", err
	}
	sections := append([]string{first.Inject}, r.sections(known)...)
	last, err := plugin.Fire(ctx, r.Host, hookpoints.PostSystemPrompt, payload)
	if err != nil {
		return "", err
	}
	return joinSections(append(sections, last.Inject)), nil
}

// knowledge is what the context's files say.
type knowledge struct{ prompt, continuation, summary, todos, goals, reflection string }

func (r *round) knowledge() (k knowledge, err error) {
	files := []struct {
		read func() (string, error)
		into *string
	}{
		{r.Context.SystemPrompt, &k.prompt},
		{func() (string, error) { return r.Context.Store().Prompt("continuation") }, &k.continuation},
		{r.Context.Summary, &k.summary},
		{r.Context.Todos, &k.todos},
		{r.Context.Goals, &k.goals},
	}
	if r.Settings.Reflection {
		files = append(files, struct {
			read func() (string, error)
			into *string
		}{r.Context.Reflection, &k.reflection})
	}
	for _, f := range files {
		if *f.into, err = f.read(); err != nil {
			return k, err
		}
	}
	if own := r.Settings.SystemPrompt; own != nil {
		k.prompt = *own
	}
	return k, nil
}

// sections lists chibi's own parts of the system prompt in order.
func (r *round) sections(k knowledge) []string {
	user := ""
	if r.Settings.UserName != "" && r.Settings.UserName != DefaultUserName {
		user = "The user speaking to you is called: " + r.Settings.UserName
	}
	return []string{
		k.prompt,
		user,
		r.summarySection(k),
		titled("--- CURRENT GOALS ---", k.goals),
		titled("--- CURRENT TODOS ---", k.todos),
		k.reflection,
	}
}

// summarySection is the summary, after what prompts/continuation.md says about
// going on with one.
func (r *round) summarySection(k knowledge) string {
	section := titled("--- CONVERSATION SUMMARY ---", k.summary)
	if section == "" {
		return ""
	}
	return joinSections([]string{k.continuation, section})
}

func titled(title, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return title + "\n" + text
}

// joinSections puts a blank line between the sections that say something.
func joinSections(sections []string) string {
	var kept []string
	for _, s := range sections {
		if strings.TrimSpace(s) != "" {
			kept = append(kept, strings.TrimRight(s, "\n"))
		}
	}
	return strings.Join(kept, "\n\n")
}
