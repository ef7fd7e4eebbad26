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
	c := compaction{a}
	if window, err = c.leaveDemo(ctx, window); err != nil {
		return "", err
	}
	window = contexts.Answered(window, "")
	switch messages := len(contexts.Messages(window)); {
	case messages == 0:
		return CompactEmpty, nil
	case messages <= 2:
		return CompactSmall, nil
	}
	return CompactDone, c.replaceWindow(ctx, "into a summary", func() error { return c.compact(ctx, window) })
}

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

// Clear archives the context: afterwards the window is empty, and the transcript
// keeps everything. It fires pre_clear and post_clear, both with the cleared entries.
func (a *Agent) Clear(ctx context.Context) error {
	ctx = identified(ctx, a, "")
	cleared, err := contextPayload(ctx, a.Context)
	if err != nil {
		return err
	}
	if _, err := plugin.Fire(ctx, a.Host, hookpoints.PreClear, cleared); err != nil {
		return err
	}
	if err := a.Context.Archive(); err != nil {
		return err
	}
	a.session.unknown()
	emitChange(a, ContextCleared, "context %q was cleared", a.Context.Name())
	_, err = plugin.Fire(ctx, a.Host, hookpoints.PostClear, cleared)
	return err
}

// contextPayload describes the context for hooks.
func contextPayload(ctx context.Context, c Context) (hookpoints.ContextPayload, error) {
	window, err := c.Window(ctx)
	if err != nil {
		return hookpoints.ContextPayload{}, err
	}
	summary, err := c.Summary(ctx)
	return hookpoints.ContextPayload{ContextName: c.Name(),
		MessageCount: len(contexts.Messages(window)), Summary: summary}, err
}

// emitChange reports what happened to the agent's context.
func emitChange(a *Agent, change ContextChange, format string, args ...any) {
	a.Output.emit(Event{Kind: EventContext, Text: fmt.Sprintf(format, args...), Change: change,
		Contexts: []string{a.Context.Name()}})
}

// exchange is a message of the user with everything up to the next one: answers,
// tool calls, results. It is removed from the window as a whole, so that no call
// loses its result.
type exchange []contexts.Entry

// exchanges splits a window into exchanges. Entries that are not conversation, such
// as anchors, belong to none.
func exchanges(window []contexts.Entry) []exchange {
	var list []exchange
	for _, e := range window {
		switch e.Type {
		case contexts.TypeMessage, contexts.TypeToolCall, contexts.TypeToolResult:
		default:
			continue
		}
		if len(list) == 0 || e.Type == contexts.TypeMessage && e.Role() == "user" {
			list = append(list, nil)
		}
		last := len(list) - 1
		list[last] = append(list[last], e)
	}
	return list
}
