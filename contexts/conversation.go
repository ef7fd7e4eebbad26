package contexts

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// conversation implements the rules for the entries of a context.
type conversation struct {
	ref        *ref
	transcript entryStore
	views      viewer
}

// Name returns the context's name.
func (c *conversation) Name() string { return c.ref.name }

// Append adds entries to the conversation.
func (c *conversation) Append(entries ...Entry) error { return c.storing(c.transcript.append(entries)) }

// Archive empties the window and removes the summary.
func (c *conversation) Archive() error {
	return c.begin(TypeArchival, "Context archived/cleared", Metadata{})
}

// Compact makes the given entries the whole window, and summary the summary.
func (c *conversation) Compact(summary string, keep []Entry) error {
	if strings.TrimSpace(summary) == "" {
		return fmt.Errorf("compacting context %q: the summary is empty; nothing was changed", c.ref.name)
	}
	return c.begin(TypeCompaction, "Context compacted", Metadata{Summary: summary, Replacement: keep})
}

// Replace makes the given entries the whole window.
func (c *conversation) Replace(entries []Entry) error {
	return c.begin(TypeCompaction, "Conversation replaced", Metadata{Replacement: entries})
}

// Supersede is like Replace, and removes the summary.
func (c *conversation) Supersede(entries []Entry) error {
	return c.begin(TypeCompaction, "Conversation replaced", Metadata{Replacement: entries, Superseded: true})
}

// begin starts a new window. One entry holds everything that it starts with: a
// crash leaves either the old window or the new one.
func (c *conversation) begin(kind Type, content string, meta Metadata) error {
	return c.storing(c.transcript.begin(newAnchor(kind, c.ref.name, content, meta)))
}

func (c *conversation) storing(err error) error {
	if err != nil {
		return fmt.Errorf("storing in context %q: %w", c.ref.name, err)
	}
	return nil
}

// Window returns the part of the conversation that is sent to the model.
func (c *conversation) Window(ctx context.Context) ([]Entry, error) {
	entries, err := c.transcript.window(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading context %q: %w", c.ref.name, err)
	}
	return entries, nil
}

// Messages returns the messages among entries.
func Messages(entries []Entry) []Entry {
	var list []Entry
	for _, e := range entries {
		if e.Type == TypeMessage {
			list = append(list, e)
		}
	}
	return list
}

// dropped returns the messages of a window that are not kept.
func dropped(window, keep []Entry) []Entry {
	kept := map[string]bool{}
	for _, e := range keep {
		kept[e.ID] = true
	}
	var list []Entry
	for _, e := range Messages(window) {
		if !kept[e.ID] {
			list = append(list, e)
		}
	}
	return list
}

// windowBuilder builds a window from the entries of a transcript, which are added
// from the last one backward.
type windowBuilder struct {
	anchor   *Entry // with which the window begins, nil if there is none
	reversed []Entry
}

// add adds an entry and reports whether more are needed.
func (b *windowBuilder) add(e Entry) (more bool) {
	if e.isAnchor() {
		b.anchor = &e
	}
	if e.Type == TypeSystemPrompt {
		return true
	}
	for _, kept := range slices.Backward(e.replacement()) {
		b.reversed = append(b.reversed, kept)
	}
	b.reversed = append(b.reversed, e.withoutReplacement())
	return b.anchor == nil
}

// window returns the window, from its first entry on.
func (b *windowBuilder) window() []Entry {
	slices.Reverse(b.reversed)
	return b.reversed
}

// windowOf returns the window of a transcript.
func windowOf(entries []Entry) []Entry {
	var b windowBuilder
	for _, e := range slices.Backward(entries) {
		if !b.add(e) {
			break
		}
	}
	return b.window()
}

// summaryOf returns the summary that an anchor sets; isSet is false if the anchor
// keeps the previous summary.
func summaryOf(anchor Entry) (summary string, isSet bool) {
	switch {
	case anchor.Type == TypeArchival, anchor.Metadata != nil && anchor.Metadata.Superseded:
		return "", true
	case anchor.Metadata != nil && anchor.Metadata.Summary != "":
		return anchor.Metadata.Summary, true
	}
	return "", false
}
