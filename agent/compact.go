package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

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
// model fails or its answer is empty, or a plugin blocks it (*RefusedError), the error says so
// and nothing has changed.
// Compact fires pre_compact and, when it is done, post_compact.
func (a *Agent) Compact(ctx context.Context) (Compacted, error) {
	ctx = identified(ctx, a, "")
	window, err := a.Context.Window(ctx)
	if err != nil {
		return "", err
	}
	window = contexts.Answered(window, "")
	switch messages := len(contexts.Messages(window)); {
	case messages == 0:
		return CompactEmpty, nil
	case messages <= 2:
		return CompactSmall, nil
	}
	c := compaction{a}
	return CompactDone, c.replaceWindow(ctx, "into a summary", func() error { return c.compact(ctx, window) })
}

// compaction puts summaries of the model in the place of conversation.
type compaction struct{ agent *Agent }

// compact replaces the conversation by a summary of it.
func (c compaction) compact(ctx context.Context, conversation []contexts.Entry) error {
	summary, err := c.summarize(ctx, conversation)
	if errors.Is(err, llm.ErrTooLong) {
		err = fmt.Errorf("%w; the conversation is also too long to be summarized: chibi -a empties it, the "+
			"transcript keeps everything", err)
	}
	if err != nil {
		return fmt.Errorf("context %q was not compacted, nothing has changed: %w", c.agent.Context.Name(), err)
	}
	if err := c.agent.Context.Compact(summary, nil); err != nil {
		return err
	}
	emitChange(c.agent, ContextCompacted, "context %q was compacted: a summary replaced the conversation",
		c.agent.Context.Name())
	return nil
}

// replaceWindow replaces the window between pre_compact and post_compact. into
// describes, for a person, what the conversation becomes.
func (c compaction) replaceWindow(ctx context.Context, into string, replace func() error) error {
	before, err := contextPayload(ctx, c.agent.Context)
	if err != nil {
		return err
	}
	window, err := c.agent.Context.Window(ctx)
	if err != nil {
		return err
	}
	answer, err := plugin.Fire(ctx, c.agent.Host, hookpoints.PreCompact, before)
	if err = cmp.Or(err, refusedCompaction(answer)); err != nil {
		return err
	}
	if err := replace(); err != nil {
		return err
	}
	c.emitCompacted(countEntries(window), into)
	after, err := contextPayload(ctx, c.agent.Context)
	if err != nil {
		return err
	}
	_, err = plugin.Fire(ctx, c.agent.Host, hookpoints.PostCompact, after)
	return err
}

// refusedCompaction returns the error of a compaction that a plugin blocked, nil if none did.
func refusedCompaction(answer hookpoints.CompactAnswer) error {
	if !answer.Block {
		return nil
	}
	return &RefusedError{What: "the compaction", Message: withAuthor(answer.Message, answer.BlockedBy)}
}

// withAuthor adds a plugin's name to its message, unless that has it.
func withAuthor(message, name string) string {
	if by := fmt.Sprintf("plugin %q", name); !strings.Contains(message, by) {
		return fmt.Sprintf("%s (%s)", message, by)
	}
	return message
}

// emitCompacted notes that the conversation was compacted, and reports what a number of
// entries became.
func (c compaction) emitCompacted(entries int, into string) {
	c.agent.session.compacted()
	c.agent.Output.emit(Event{Kind: EventCompacted, Text: english.Plural(entries, "entry", "entries") + " " + into})
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
func (c compaction) maybeCompact(ctx context.Context, window []contexts.Entry) ([]contexts.Entry, error) {
	limit, size := c.agent.Settings.contextWindow(), tokens(window)
	used := float64(size) * 100 / float64(limit)
	if warn := c.agent.Settings.WarnPercent; warn > 0 && used >= warn {
		c.agent.Output.notice("the context window of %q is %.0f%% full, about %d tokens are left",
			c.agent.Context.Name(), used, max(0, limit-size))
	}
	if !c.agent.Settings.AutoCompact || used < c.agent.Settings.CompactPercent {
		return window, nil
	}
	if err := c.compactRolling(ctx, window); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.agent.Output.notice("context %q could not be compacted and continues as it is: %v", c.agent.Context.Name(), err)
		return window, nil
	}
	return c.agent.Context.Window(ctx)
}
