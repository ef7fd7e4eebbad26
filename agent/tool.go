package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// offer is the set of tool names that a request offered.
type offer map[string]bool

func newOffer(specs []tools.Spec) offer {
	o := offer{}
	for _, s := range specs {
		o[s.Name] = true
	}
	return o
}

// runCalls runs the calls of one response in order and stores each result.
// Calls over the bound are answered, but not run.
func (r *round) runCalls(ctx context.Context, calls []llm.ToolCall, offered offer) error {
	limit := bound(r.Settings.MaxCalls, DefaultMaxCalls)
	if len(calls) > limit {
		r.notice("the model called %d tools in one response; the first %d run, as max_calls_per_response says",
			len(calls), limit)
	}
	for i, call := range calls {
		if i >= limit {
			if err := r.finish(call, fmt.Sprintf("Error: not run: at most %d calls of one response are run",
				limit), nil); err != nil {
				return err
			}
			continue
		}
		if err := r.runCall(ctx, call, offered); err != nil {
			return err
		}
	}
	return nil
}

// runCall takes one call from pre_tool to post_tool.
func (r *round) runCall(ctx context.Context, call llm.ToolCall, offered offer) error {
	inv, out, err := r.execute(ctx, call, offered)
	if err != nil {
		return err
	}
	r.emit(Event{Kind: EventCall, Call: out.event(inv)})
	r.lastFailure = out.reason()
	if err := r.shape(ctx, inv, &out); err != nil {
		out.discard()
		return err
	}
	isBegin := out.file != nil
	final, err := r.show(ctx, inv, &out)
	if err != nil {
		return err
	}
	path := ""
	if isBegin {
		path = final.path
	}
	if _, err := plugin.Fire(ctx, r.Host, hookpoints.PostToolOutput, hookpoints.PostToolOutputPayload{
		ToolName: inv.ToolName, Arguments: inv.Arguments, Output: out.text, Truncated: isBegin, OutputPath: path,
		Status: out.status, BlockedBy: out.blockedBy, FinalOutput: final.text, Cached: final.cached, ToolCallID: call.ID,
	}); err != nil {
		return err
	}
	if err := r.finish(call, final.text, out.ranWith); err != nil {
		return err
	}
	_, err = plugin.Fire(ctx, r.Host, hookpoints.PostTool, hookpoints.PostToolPayload{
		ToolName: inv.ToolName, Arguments: inv.Arguments, Result: out.text, Truncated: isBegin, OutputPath: path,
		Status: out.status, BlockedBy: out.blockedBy, Cached: final.cached, ToolCallID: call.ID,
	})
	return err
}

// execute runs the tool if it was offered, the call makes sense and no plugin
// blocks it. Everything else is a result that tells the model why not.
func (r *round) execute(ctx context.Context, call llm.ToolCall,
	offered offer) (hookpoints.PreToolPayload, output, error) {
	args, unreadable := arguments(call.Arguments)
	inv := hookpoints.PreToolPayload{ToolName: call.Name, Arguments: args, ToolCallID: call.ID,
		Recipe: r.recipeName(), Nested: r.nested}
	tool, err := r.find(call.Name, offered)
	if err == nil && unreadable != nil {
		err = fmt.Errorf("the arguments of tool %q are %w; send one JSON object", call.Name, unreadable)
	}
	if err != nil {
		return inv, denied(err), nil
	}
	schema := r.schema(tool.Spec())
	var converted []string
	inv.Arguments, converted = schema.Convert(inv.Arguments)
	verdict, err := plugin.Fire(ctx, r.Host, hookpoints.PreTool, inv, refineArguments(schema))
	if err != nil {
		return inv, output{}, err
	}
	if verdict.Arguments != nil {
		inv.Arguments = verdict.Arguments
	}
	if verdict.Block {
		return inv, blocked(verdict).of(converted), nil
	}
	if err := r.permit(tool.Spec(), inv.Arguments); err != nil {
		return inv, denied(err).of(converted), nil
	}
	r.emit(Event{Kind: EventTool, Call: &CallEvent{ID: call.ID, Tool: call.Name, Arguments: inv.Arguments}})
	done, begun := r.waiting("tool "+call.Name), time.Now()
	result, err := tool.Call(ctx, tools.Call{ID: call.ID, Arguments: inv.Arguments, Context: r.Context.Name()})
	done()
	if result.Next != "" {
		r.next = result.Next
	}
	out := newOutput(result, tool.Spec().Kind)
	out.took, out.ranWith = time.Since(begun), verdict.Arguments
	return inv, out.of(converted), err
}

// find looks up the tool of a call. The filters of the request hold here too.
func (r *round) find(name string, offered offer) (tools.Tool, error) {
	tool, ok := r.Tools.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("there is no tool %q", name)
	}
	if !offered[name] {
		return nil, fmt.Errorf("tool %q is not available here", name)
	}
	return tool, nil
}

// permit holds a call against the tool's parameters and the recipe.
func (r *round) permit(spec tools.Spec, args json.RawMessage) error {
	err := r.check(spec, args)
	if err != nil {
		err = fmt.Errorf("tool %q did not run: %w", spec.Name, err)
	}
	return errors.Join(err, r.recipe.checkCommand(args))
}

// finish stores a call's result and adds it to the conversation, with the
// arguments that the tool ran with if plugins changed them.
func (r *round) finish(call llm.ToolCall, output string, ranWith json.RawMessage) error {
	r.messages = append(r.messages, llm.Message{Role: "tool", ToolCallID: call.ID, Content: output})
	result := contexts.ToolResult(r.Context.Name(), call.Name, call.ID, output)
	if ranWith != nil {
		result = result.RanWith(ranWith)
	}
	return r.store(result)
}

// arguments is a call's argument text as JSON in its one spelling, so that
// guards see what the tool reads; models send nothing for none. Text that is not
// JSON, or nests deeper than guards could read, becomes a JSON string, so that
// hooks can still see it, and the error says what is wrong with it.
func arguments(text string) (json.RawMessage, error) {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}"), nil
	}
	args, err := strictjson.Arguments([]byte(text))
	if err == nil {
		return args, nil
	}
	args, _ = plugin.JSON(text)
	if !errors.Is(err, strictjson.ErrDepth) {
		return args, errors.New("not valid JSON")
	}
	return args, fmt.Errorf("nested too deep (at most %d objects and arrays in each other)", strictjson.MaxArgumentDepth)
}

// CallTool runs one tool as a turn would, and returns what the model would see:
// pre_api_tools, pre_tool, pre_tool_output and the others fire, and a large
// output is cached. Nothing is stored in the conversation. failure says in a line
// why the call was refused, blocked or failed, and is "" if it was not. Errors are
// the end of ctx and what the store reports.
func (a *Agent) CallTool(ctx context.Context, name string, args json.RawMessage) (seen, failure string, err error) {
	r := newRound(a, 0)
	r.apart = true
	specs, err := r.offer(ctx)
	if err != nil {
		return "", "", err
	}
	if err := r.runCall(ctx, llm.ToolCall{ID: "call_1", Name: name, Arguments: string(args)},
		newOffer(specs)); err != nil {
		return "", "", err
	}
	return r.messages[len(r.messages)-1].Content, r.lastFailure, nil
}
