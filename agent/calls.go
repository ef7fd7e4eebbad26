package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"golang.org/x/sync/errgroup"
)

// maxTogether bounds how many calls run at the same time.
const maxTogether = 8

// runCalls runs the calls of a step and stores their results, in order. Calls that follow
// each other and can run at the same time do. Calls beyond the bound are answered, but not
// run.
func (s *step) runCalls(ctx context.Context) error {
	limit, calls := s.turn.agent.Settings.maxCalls(), s.reply.ToolCalls
	if len(calls) > limit {
		s.turn.agent.Output.notice("the model called %d tools in one response; the first %d run, as max_calls_per_response "+
			"says", len(calls), limit)
	}
	beyond := calls[min(len(calls), limit):]
	for calls = calls[:len(calls)-len(beyond)]; len(calls) > 0; {
		n := s.together(calls)
		if _, err := s.runTogether(ctx, calls[:n]); err != nil {
			return err
		}
		if calls = calls[n:]; s.ending != "" {
			return s.refuse(slices.Concat(calls, beyond), "the turn ended before: "+s.ending)
		}
	}
	return s.refuse(beyond, fmt.Sprintf("at most %d calls of one response are run", limit))
}

// together returns how many of the calls, from the first, run at the same time: one, unless
// their tools say that calls of them can.
func (s *step) together(calls []llm.ToolCall) (n int) {
	for n < len(calls) {
		tool, ok := s.turn.agent.Tools.Lookup(calls[n].Name)
		if !ok || !tool.Spec().Parallel {
			break
		}
		n++
	}
	return max(1, n)
}

// runTogether takes calls from pre_tool to post_tool. Everything but the tools themselves
// happens in the order of the calls: all are prepared, with their permissions, before the
// first one runs, and finished when the last one has run.
func (s *step) runTogether(ctx context.Context, wanted []llm.ToolCall) (results []callResult, err error) {
	calls := make([]*toolCall, len(wanted))
	for i := range wanted {
		calls[i] = newToolCall(s, wanted[i])
		defer calls[i].close()
	}
	for _, c := range calls {
		if err := c.prepare(ctx); err != nil {
			return nil, err
		}
	}
	if err := performAll(ctx, calls); err != nil {
		return nil, err
	}
	for _, c := range calls {
		result, err := c.finish(ctx)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// performAll runs the tools of the calls that were not refused, at the same time if there are
// several.
func performAll(ctx context.Context, calls []*toolCall) error {
	failures := make([]error, len(calls))
	var g errgroup.Group
	g.SetLimit(maxTogether)
	for i, c := range calls {
		if c.plan == nil {
			continue
		}
		done := c.begin()
		perform := func() error {
			defer done()
			failures[i] = c.perform(ctx)
			return nil
		}
		if len(calls) == 1 {
			perform()
			continue
		}
		g.Go(perform)
	}
	g.Wait()
	return errors.Join(failures...)
}

// refuse answers calls that are not run.
func (s *step) refuse(calls []llm.ToolCall, why string) error {
	for _, call := range calls {
		text := "Error: not run: " + why
		if err := s.storeResult(call, callResult{text: text}); err != nil {
			return err
		}
		args, _ := arguments(call.Arguments)
		s.finished = append(s.finished, hookpoints.FinishedCall{ToolName: call.Name, Arguments: args, ToolCallID: call.ID,
			Status: hookpoints.StatusDenied, Output: text})
	}
	return nil
}
