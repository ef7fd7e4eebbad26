package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
)

// Compacted is the result of a compaction.
type Compacted string

// The results of a compaction.
const (
	CompactDone  Compacted = "Context compacted (history saved to transcript)"
	CompactEmpty Compacted = "Context is already empty"
	CompactSmall Compacted = "Context is already compact (2 or fewer messages)"
)

// Compact replaces the conversation by a summary that the model writes. If the
// model fails or its answer is empty, the error says so and nothing has changed.
// Compact fires pre_compact and, when it is done, post_compact.
func (a *Agent) Compact(ctx context.Context) (Compacted, error) {
	window, err := a.Context.Window(ctx)
	if err != nil {
		return "", err
	}
	window = contexts.Answered(window, "")
	switch messages := len(slices.DeleteFunc(slices.Clone(window),
		func(e contexts.Entry) bool { return e.Type != contexts.TypeMessage })); {
	case messages == 0:
		return CompactEmpty, nil
	case messages <= 2:
		return CompactSmall, nil
	}
	return CompactDone, a.replaceWindow(ctx, "into a summary", func() error { return a.compact(ctx, window) })
}

// compact replaces the conversation by a summary of it.
func (a *Agent) compact(ctx context.Context, conversation []contexts.Entry) error {
	summary, err := a.summarize(ctx, conversation)
	if errors.Is(err, llm.ErrTooLong) {
		err = fmt.Errorf("%w; the conversation is also too long to be summarized: chibi -a empties it, the "+
			"transcript keeps everything", err)
	}
	if err != nil {
		return fmt.Errorf("context %q was not compacted, nothing has changed: %w", a.Context.Name(), err)
	}
	if err := a.Context.Compact(summary, nil); err != nil {
		return err
	}
	a.emitChange(ContextCompacted, "context %q was compacted: a summary replaced the conversation",
		a.Context.Name())
	return nil
}

// replaceWindow replaces the window between pre_compact and post_compact. into
// describes, for a person, what the conversation becomes.
func (a *Agent) replaceWindow(ctx context.Context, into string, replace func() error) error {
	before, err := a.contextPayload(ctx)
	if err != nil {
		return err
	}
	window, err := a.Context.Window(ctx)
	if err != nil {
		return err
	}
	if _, err := plugin.Fire(ctx, a.Host, hookpoints.PreCompact, before); err != nil {
		return err
	}
	if err := replace(); err != nil {
		return err
	}
	a.emitCompacted(countEntries(window), into)
	after, err := a.contextPayload(ctx)
	if err != nil {
		return err
	}
	_, err = plugin.Fire(ctx, a.Host, hookpoints.PostCompact, after)
	return err
}

// emitCompacted reports what a number of entries became.
func (a *Agent) emitCompacted(entries int, into string) {
	a.emit(Event{Kind: EventCompacted, Text: english.Plural(entries, "entry", "entries") + " " + into})
}

// countEntries counts the entries of a window that are conversation.
func countEntries(window []contexts.Entry) (n int) {
	for _, x := range exchanges(window) {
		n += len(x)
	}
	return n
}

// tokens estimates the tokens of entries as the original does: four bytes are one
// token.
func tokens(entries []contexts.Entry) int {
	sum := 0
	for _, e := range entries {
		sum += (len(e.Content) + len(e.Role())) / 4
	}
	return sum
}

// maybeCompact warns when the window fills up, and compacts its oldest part if that
// is configured. The prompt is answered in any case: a failure is reported, and the
// conversation continues as it is. It returns the window.
func (a *Agent) maybeCompact(ctx context.Context, window []contexts.Entry) ([]contexts.Entry, error) {
	limit := a.Settings.contextWindow()
	used := float64(tokens(window)) * 100 / float64(limit)
	if warn := a.Settings.WarnPercent; warn > 0 && used >= warn {
		a.notice("the context window of %q is %.0f%% full, about %d tokens are left", a.Context.Name(), used,
			max(0, limit-tokens(window)))
	}
	if !a.Settings.AutoCompact || used < a.Settings.CompactPercent {
		return window, nil
	}
	if err := a.compactRolling(ctx, window); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a.notice("context %q could not be compacted and continues as it is: %v", a.Context.Name(), err)
		return window, nil
	}
	return a.Context.Window(ctx)
}
