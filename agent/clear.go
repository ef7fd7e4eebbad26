package agent

import (
	"context"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
)

// Clear archives the context: afterwards the window is empty, and the transcript
// keeps everything. It fires pre_clear and post_clear, both with the entries that
// are cleared.
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
