package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// finish takes a call that has an output to post_tool.
func (c *toolCall) finish(ctx context.Context) (callResult, error) {
	if c.next != "" {
		c.step.turn.note = c.next
	}
	c.agent.Output.emit(Event{Kind: EventCall, Call: c.event()})
	result := callResult{ranWith: c.out.ranWith, failure: c.out.reason(), agents: c.agents}
	if err := c.filterOutput(ctx); err != nil {
		c.out.discard()
		return result, err
	}
	if c.out.status.DidRun() {
		c.agent.Output.emit(Event{Kind: EventOutput, Call: c.written()})
	}
	seen, err := c.render(ctx)
	if err != nil {
		return result, err
	}
	if c.out.note != "" {
		seen.text += "\n[" + c.out.note + "]"
	}
	seen.text += c.step.noteRepeat(c, seen)
	if blocks := contextBlocks(c.contexts); blocks != "" {
		seen.text += "\n\n" + blocks
	}
	if _, err := plugin.Fire(ctx, c.agent.Host, hookpoints.PostToolOutput, hookpoints.PostToolOutputPayload{
		ToolName: c.inv.ToolName, Arguments: c.inv.Arguments, Output: c.out.text, Extent: seen.extent(),
		FinalOutput: seen.text, Cached: seen.cached, Outcome: c.out.outcome(), ToolCallID: c.wanted.ID,
		Nesting: c.inv.Nesting,
	}); err != nil {
		return result, err
	}
	result.text = seen.text
	if err := c.step.storeResult(c.wanted, result); err != nil {
		return result, err
	}
	c.step.finished = append(c.step.finished, hookpoints.FinishedCall{ToolName: c.inv.ToolName,
		Arguments: c.inv.Arguments, ToolCallID: c.wanted.ID, Status: c.out.status, Output: seen.text,
		Category: c.inv.Category, Subject: c.inv.Subject})
	_, err = plugin.Fire(ctx, c.agent.Host, hookpoints.PostTool, hookpoints.PostToolPayload{
		ToolName: c.inv.ToolName, Arguments: c.inv.Arguments, Result: c.out.text, Extent: seen.extent(),
		Cached: seen.cached, Outcome: c.out.outcome(), ToolCallID: c.wanted.ID, Nesting: c.inv.Nesting,
	})
	return result, err
}

// prepare finds the tool of a call and decides whether it runs: it must have been offered,
// the call must be valid and permitted, and no plugin may block it. Otherwise the output
// tells the model why not.
func (c *toolCall) prepare(ctx context.Context) error {
	args, unreadable := arguments(c.wanted.Arguments)
	c.inv = hookpoints.PreToolPayload{ToolName: c.wanted.Name, Arguments: args, ToolCallID: c.wanted.ID,
		InRecipe: c.agent.inner.toldIn(c.step.turn.recipe)}
	if c.step.ending != "" { // while the calls with which it would run were prepared
		c.out = denied(fmt.Errorf("not run: the turn ended before: %s", c.step.ending))
		return nil
	}
	tool, err := c.lookup()
	if err == nil && unreadable != nil {
		err = fmt.Errorf("the arguments of tool %q are %w; send one JSON object", c.wanted.Name, unreadable)
	}
	if err != nil {
		c.out = denied(err)
		return nil
	}
	sayUnseen(c.agent, tool.Spec())
	schema := c.agent.schemas.of(tool.Spec(), c.agent.Output)
	c.inv.Arguments, c.converted = schema.Convert(c.inv.Arguments)
	spec := tools.SpecFor(tool, c.inv.Arguments)
	c.inv.Category, c.inv.Subject = string(spec.Category), spec.Subject
	verdict, err := plugin.Fire(ctx, c.agent.Host, hookpoints.PreTool, c.inv, refineArguments(schema))
	if err != nil {
		return err
	}
	if verdict.Arguments != nil {
		c.inv.Arguments, c.rewritten = verdict.Arguments, verdict.Arguments
	}
	c.contexts = verdict.Contexts
	c.decided = judgementBy(verdict.Decision, verdict.DecidedBy, verdict.Reason)
	halt(c.step, verdict.Halted)
	if verdict.Block || verdict.Halt {
		c.out = blocked(verdict)
		return nil
	}
	if err := c.permit(tools.SpecFor(tool, c.inv.Arguments)); err != nil {
		c.out = denied(err)
		return nil
	}
	c.kind = spec.Kind
	return c.askPermission(ctx, tool)
}

// begin reports that the tool is about to run, and returns what ends waiting for it.
func (c *toolCall) begin() (done func()) {
	if c.inv.Category == string(tools.CategoryAgent) {
		c.agentID = newAgentID(c.agent) // in the order of the calls
	}
	c.agent.Output.emit(Event{Kind: EventTool, Call: &CallEvent{ID: c.inv.ToolCallID, Tool: c.inv.ToolName,
		Arguments: c.inv.Arguments, Change: changeOf(c.plan.Access())}})
	return c.agent.Output.waiting("tool " + c.inv.ToolName)
}

// perform runs the tool of a call that was not refused. It is the only part of a call that may
// happen at the same time as others.
func (c *toolCall) perform(ctx context.Context) error {
	begun := time.Now()
	result, err := c.plan.Run(context.WithValue(ctx, callKey{}, c))
	c.out, c.next = newOutput(result, c.kind), result.Next
	c.out.took, c.out.ranWith = time.Since(begun), c.rewritten
	return err
}

// close releases what the plan and the output hold.
func (c *toolCall) close() {
	c.out.discard()
	if c.plan != nil {
		c.plan.Close()
	}
}

// lookup finds the tool of a call. A tool that the request did not offer is not
// found.
func (c *toolCall) lookup() (tools.Tool, error) {
	name := c.wanted.Name
	tool, ok := c.agent.Tools.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("there is no tool %q", name)
	}
	if err := tooDeep(c.agent); err != nil && isSpawnTool(tool.Spec()) {
		return nil, err
	}
	if !c.step.offered[name] {
		return nil, fmt.Errorf("tool %q is not available here", name)
	}
	return tool, nil
}

// permit checks a call against the tool's parameters, the filters and the recipe.
func (c *toolCall) permit(spec tools.Spec) error {
	var err error
	if !c.step.undeclared {
		err = c.agent.schemas.check(spec, c.inv.Arguments, c.agent.Output)
	}
	if err = cmp.Or(err, c.checkCategory(spec)); err != nil {
		err = fmt.Errorf("tool %q did not run: %w", spec.Name, err)
	}
	for _, recipe := range recipesAround(c.step.turn) {
		err = errors.Join(err, recipe.checkCommand(spec, c.inv.Arguments))
	}
	return err
}

// checkCategory refuses a call of a tool with several categories: if its own category is
// filtered out, and if plugins changed the arguments so that it has another category than the
// plugins before them saw.
func (c *toolCall) checkCategory(spec tools.Spec) error {
	switch {
	case c.inv.Category != string(spec.Category):
		return fmt.Errorf("plugins changed its arguments so that the call has the category %q, but plugins that "+
			"look for such calls saw %q", spec.Category, c.inv.Category)
	case c.agent.Settings.excluded(spec) != "":
		return excludedCategory(c.agent.Settings.excluded(spec))
	}
	return nil
}

// storeResult stores a call's result and adds it to the conversation, with the
// arguments that the tool ran with if plugins changed them.
func (s *step) storeResult(call llm.ToolCall, result callResult) error {
	s.turn.addResult(call.ID, result.text)
	entry := contexts.ToolResult(s.turn.contextName(), call.Name, call.ID, result.text)
	if result.ranWith != nil {
		entry = entry.RanWith(result.ranWith)
	}
	if result.agents != nil {
		entry = contexts.WithAgents(entry, result.agents)
	}
	return s.store(entry)
}

// UnseenBy describes a tool that the guards and rules of an agent do not see although it seems to
// do something that they are about; false for any other tool.
func UnseenBy(a *Agent, spec tools.Spec) (plugin.Unseen, bool) {
	var rules func(tools.Spec, tools.Category) []string
	if a.Gate != nil {
		rules = a.Gate.WouldJudge
	}
	return a.Host.Unseen(spec, rules)
}

// sayUnseen tells the person at the first call of such a tool in a run.
func sayUnseen(a *Agent, spec tools.Spec) {
	if _, isKnown := a.schemas.known[spec.Name]; isKnown {
		return
	}
	if unseen, ok := UnseenBy(a, spec); ok {
		outermost(a).Output.notice("%v %v; to see what to do: chibi plugin check %s", spec, unseen, spec.Owner)
	}
}
