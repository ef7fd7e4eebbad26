package contexts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// conversation implements the rules for the entries of a context.
type conversation struct {
	ref        *parts.Ref
	transcript parts.EntryStore
	views      parts.Viewer
}

// Name returns the context's name.
func (c *conversation) Name() string { return c.ref.Name }

// Append adds entries to the conversation.
func (c *conversation) Append(entries ...Entry) error {
	return c.storing(c.transcript.Append(c.marked(entries)))
}

// marked returns new entries with the mark of the model that answers.
func (c *conversation) marked(entries []Entry) []Entry {
	if c.ref.Settings.Demo {
		return parts.OfDemo(entries)
	}
	return entries
}

// Archive empties the window and removes the summary.
func (c *conversation) Archive() error {
	return c.begin(TypeArchival, "Context archived/cleared", Metadata{})
}

// Compact makes the given entries the whole window, and summary the summary.
func (c *conversation) Compact(summary string, keep []Entry) error {
	if strings.TrimSpace(summary) == "" {
		return fmt.Errorf("compacting context %q: the summary is empty; nothing was changed", c.ref.Name)
	}
	return c.begin(TypeCompaction, "Context compacted", Metadata{Summary: summary, Replacement: keep,
		Demo: c.ref.Settings.Demo})
}

// Replace makes the given entries the whole window.
func (c *conversation) Replace(entries []Entry) error {
	return c.begin(TypeCompaction, "Conversation replaced", Metadata{Replacement: c.marked(entries)})
}

// Supersede is like Replace, and removes the summary.
func (c *conversation) Supersede(entries []Entry) error {
	return c.begin(TypeCompaction, "Conversation replaced", Metadata{Replacement: c.marked(entries), Superseded: true})
}

// begin starts a new window. One entry holds everything that it starts with: a
// crash leaves either the old window or the new one.
func (c *conversation) begin(kind Type, content string, meta Metadata) error {
	return c.storing(c.transcript.Begin(parts.NewAnchor(kind, c.ref.Name, content, meta)))
}

func (c *conversation) storing(err error) error {
	if err != nil {
		return fmt.Errorf("storing in context %q: %w", c.ref.Name, err)
	}
	return nil
}

// Window returns the part of the conversation that is sent to the model.
func (c *conversation) Window(ctx context.Context) ([]Entry, error) {
	entries, err := c.transcript.Window(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading context %q: %w", c.ref.Name, err)
	}
	return entries, nil
}

// KeepView makes the context keep a view of its window, as long as this handle is used, and
// returns its path; "" if the store has no files. The view is brought up to date.
func (c *conversation) KeepView(ctx context.Context, v View) (path string, err error) {
	if c.views == nil {
		return "", nil
	}
	if path, err = c.views.Keep(ctx, v); err != nil {
		return "", fmt.Errorf("writing the view of context %q: %w", c.ref.Name, err)
	}
	return path, nil
}

// Session returns which conversation the context has. Its cost depends neither on the
// length of the window nor of the transcript.
func (c *conversation) Session(ctx context.Context) (Session, error) {
	begins, err := c.transcript.Begins(ctx)
	if err != nil {
		return Session{}, fmt.Errorf("reading context %q: %w", c.ref.Name, err)
	}
	if len(begins) == 0 {
		return Session{ID: c.ref.FirstID(), Empty: true}, nil
	}
	return SessionOf(begins), nil
}

// Unanswered returns the messages of the latest prompt if it got no answer.
func (c *conversation) Unanswered(ctx context.Context) (prompt []Entry, err error) {
	err = c.transcript.Each(ctx, parts.Wanted{Backward: true}, func(e Entry) bool {
		if parts.IsUsers(e) {
			prompt = append(prompt, e)
		}
		return !parts.IsPrompt(e) && !parts.IsAnswer(e)
	})
	if err != nil || len(prompt) == 0 || !parts.IsPrompt(prompt[len(prompt)-1]) {
		return nil, err
	}
	slices.Reverse(prompt)
	return prompt, nil
}
