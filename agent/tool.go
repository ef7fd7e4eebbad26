package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// toolNames is the set of tools that a request offered.
type toolNames map[string]bool

func toolNamesOf(specs []tools.Spec) toolNames {
	names := toolNames{}
	for _, s := range specs {
		names[s.Name] = true
	}
	return names
}

// callResult is what the model is told about a call.
type callResult struct {
	text string
	// ranWith are the arguments that the tool ran with, if plugins changed them.
	ranWith json.RawMessage
	// failure is a line about why the call did not run or failed; "" if it ran and
	// succeeded.
	failure string
}

// runCalls runs the calls of a step in order and stores each result. Calls beyond
// the bound are answered, but not run.
func (t *turn) runCalls(ctx context.Context, s *step) error {
	limit, calls := t.agent.Settings.maxCalls(), s.reply.ToolCalls
	if len(calls) > limit {
		t.agent.notice("the model called %d tools in one response; the first %d run, as max_calls_per_response says",
			len(calls), limit)
	}
	for i, call := range calls {
		if i < limit {
			if _, err := t.runCall(ctx, s, call); err != nil {
				return err
			}
			continue
		}
		text := fmt.Sprintf("Error: not run: at most %d calls of one response are run", limit)
		if err := t.storeResult(s, call, callResult{text: text}); err != nil {
			return err
		}
	}
	return nil
}

// runCall takes one call from pre_tool to post_tool.
func (t *turn) runCall(ctx context.Context, s *step, call llm.ToolCall) (callResult, error) {
	inv, out, err := t.execute(ctx, s, call)
	if err != nil {
		return callResult{}, err
	}
	t.agent.emit(Event{Kind: EventCall, Call: out.event(inv)})
	result := callResult{ranWith: out.ranWith, failure: out.reason()}
	if err := t.filterOutput(ctx, inv, &out); err != nil {
		out.discard()
		return result, err
	}
	seen, err := t.render(ctx, inv, &out)
	if err != nil {
		return result, err
	}
	if _, err := plugin.Fire(ctx, t.agent.Host, hookpoints.PostToolOutput, hookpoints.PostToolOutputPayload{
		ToolName: inv.ToolName, Arguments: inv.Arguments, Output: out.text, Truncated: seen.truncated,
		OutputPath: seen.outputPath(), Status: out.status, BlockedBy: out.blockedBy, FinalOutput: seen.text,
		Cached: seen.cached, ToolCallID: call.ID,
	}); err != nil {
		return result, err
	}
	result.text = seen.text
	if err := t.storeResult(s, call, result); err != nil {
		return result, err
	}
	_, err = plugin.Fire(ctx, t.agent.Host, hookpoints.PostTool, hookpoints.PostToolPayload{
		ToolName: inv.ToolName, Arguments: inv.Arguments, Result: out.text, Truncated: seen.truncated,
		OutputPath: seen.outputPath(), Status: out.status, BlockedBy: out.blockedBy, Cached: seen.cached, ToolCallID: call.ID,
	})
	return result, err
}

// execute runs the tool if it was offered, the call is valid and no plugin blocks
// it. Otherwise the output tells the model why not.
func (t *turn) execute(ctx context.Context, s *step, call llm.ToolCall) (hookpoints.PreToolPayload, output, error) {
	args, unreadable := arguments(call.Arguments)
	inv := hookpoints.PreToolPayload{ToolName: call.Name, Arguments: args, ToolCallID: call.ID,
		Recipe: t.recipeName(), Nested: t.nested}
	tool, err := t.lookup(call.Name, s.offered)
	if err == nil && unreadable != nil {
		err = fmt.Errorf("the arguments of tool %q are %w; send one JSON object", call.Name, unreadable)
	}
	if err != nil {
		return inv, denied(err), nil
	}
	schema := t.agent.schema(tool.Spec())
	var converted []string
	inv.Arguments, converted = schema.Convert(inv.Arguments)
	verdict, err := plugin.Fire(ctx, t.agent.Host, hookpoints.PreTool, inv, refineArguments(schema))
	if err != nil {
		return inv, output{}, err
	}
	if verdict.Arguments != nil {
		inv.Arguments = verdict.Arguments
	}
	if verdict.Block {
		return inv, blocked(verdict).withConverted(converted), nil
	}
	if err := t.permit(tool.Spec(), inv.Arguments); err != nil {
		return inv, denied(err).withConverted(converted), nil
	}
	out, err := t.call(ctx, tool, inv)
	out.ranWith = verdict.Arguments
	return inv, out.withConverted(converted), err
}

// call runs the tool.
func (t *turn) call(ctx context.Context, tool tools.Tool, inv hookpoints.PreToolPayload) (output, error) {
	t.agent.emit(Event{Kind: EventTool, Call: &CallEvent{ID: inv.ToolCallID, Tool: inv.ToolName,
		Arguments: inv.Arguments}})
	done, begun := t.agent.waiting("tool "+inv.ToolName), time.Now()
	result, err := tool.Call(ctx, tools.Call{ID: inv.ToolCallID, Arguments: inv.Arguments, Context: t.contextName()})
	done()
	if result.Next != "" {
		t.note = result.Next
	}
	out := newOutput(result, tool.Spec().Kind)
	out.took = time.Since(begun)
	return out, err
}

// lookup finds the tool of a call. A tool that the request did not offer is not
// found.
func (t *turn) lookup(name string, offered toolNames) (tools.Tool, error) {
	tool, ok := t.agent.Tools.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("there is no tool %q", name)
	}
	if !offered[name] {
		return nil, fmt.Errorf("tool %q is not available here", name)
	}
	return tool, nil
}

// permit checks a call against the tool's parameters and the recipe.
func (t *turn) permit(spec tools.Spec, args json.RawMessage) error {
	err := t.agent.checkArguments(spec, args)
	if err != nil {
		err = fmt.Errorf("tool %q did not run: %w", spec.Name, err)
	}
	return errors.Join(err, t.recipe.checkCommand(args))
}

// storeResult stores a call's result and adds it to the conversation, with the
// arguments that the tool ran with if plugins changed them.
func (t *turn) storeResult(s *step, call llm.ToolCall, result callResult) error {
	t.addResult(call.ID, result.text)
	entry := contexts.ToolResult(t.contextName(), call.Name, call.ID, result.text)
	if result.ranWith != nil {
		entry = entry.RanWith(result.ranWith)
	}
	return t.store(s, entry)
}

// CallTool runs one tool as a turn would, and returns what the model would see:
// pre_api_tools, pre_tool, pre_tool_output and the other points fire, and a large
// output is cached. Nothing is stored in the conversation. failure is a line about
// why the call was refused or blocked or failed, "" if it succeeded. Errors are the
// end of ctx and errors of the store.
func (a *Agent) CallTool(ctx context.Context, name string, args json.RawMessage) (seen, failure string, err error) {
	t := detached(a, 0)
	offer, err := t.offerTools(ctx)
	if err != nil {
		return "", "", err
	}
	s := step{offered: toolNamesOf(offer.specs)}
	result, err := t.runCall(ctx, &s, llm.ToolCall{ID: "call_1", Name: name, Arguments: string(args)})
	if err != nil {
		return "", "", err
	}
	return result.text, result.failure, nil
}
