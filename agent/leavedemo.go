package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/contexts"
)

// errDemoSummary keeps the demo model from summarizing: its summary is not sent to another model, so what that
// model said would be lost.
var errDemoSummary = errors.New("the demo model does not summarize what another model said; set its api_key and " +
	"model again, or archive the conversation with chibi -a")

// maySummarize returns an error if the demo model would summarize what another model said.
func (c compaction) maySummarize(ctx context.Context) error {
	if !c.agent.Settings.Demo {
		return nil
	}
	window, err := c.agent.Context.Window(ctx)
	if err != nil {
		return err
	}
	summary, err := c.agent.Context.Summary(ctx)
	isOthers := func(e contexts.Entry) bool { return !contexts.ByDemo(e) }
	if slices.ContainsFunc(slices.Concat(exchanges(window)...), isOthers) || summary != "" && isOthers(window[0]) {
		return errDemoSummary
	}
	return err
}

// leaveDemo takes what the demo model was asked and answered out of a conversation that another
// model goes on with, and returns the window. Its summary goes too.
func (c compaction) leaveDemo(ctx context.Context, window []contexts.Entry) ([]contexts.Entry, error) {
	if c.agent.Settings.Demo || !slices.ContainsFunc(window, contexts.ByDemo) {
		return window, nil
	}
	kept := slices.DeleteFunc(slices.Concat(exchanges(window)...), contexts.ByDemo)
	replace := c.agent.Context.Replace
	if contexts.ByDemo(window[0]) {
		replace = c.agent.Context.Supersede
	}
	name, into := c.agent.Context.Name(), fmt.Sprintf("of which %d are not of the demo model and stay", len(kept))
	if err := c.replaceWindow(ctx, into, func() error { return replace(kept) }); err != nil {
		return nil, fmt.Errorf("context %q has a part of the demo model, which chibi sends to no other model; chibi -a "+
			"archives it: %w", name, err)
	}
	c.agent.Output.notice("chibi no longer sends the demo model's part of context %q; the transcript keeps it", name)
	return kept, nil
}
