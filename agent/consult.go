package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// Consulted is a call of a tool that another agent makes itself.
type Consulted struct {
	// Tool is the tool, as chibi describes such tools.
	Tool tools.Spec
	// ID is the model's identifier of the call, Arguments are its arguments, an object.
	ID        string
	Arguments json.RawMessage
	// AskedElsewhere says that the permission points fire at another event of that agent.
	AskedElsewhere bool
	// Takes says what that agent does with arguments that plugins changed, or with an output: it
	// returns the value that the agent takes in its place, null for the original one, and a text
	// about the loss; "" without a loss. nil: the agent takes all.
	Takes func(changed json.RawMessage) (taken json.RawMessage, lost string)
	// Nesting says in which sub-agent of that agent it is made.
	Nesting hookpoints.Nesting
}

// Opinion is the opinion of the configuration and the plugins about a call. The zero value means no opinion.
type Opinion struct {
	// Arguments are the arguments for the tool; nil: they are unchanged.
	Arguments json.RawMessage
	// Decision is undecided if nobody says anything, Reason why, for the model.
	Decision permissions.Decision
	Reason   string
	// Context is for the model beside the result, Halted ends the turn.
	Context string
	Halted  *HaltedError
}

// Consult asks the plugins about a call before another agent makes it, as it asks about a call of
// chibi's own: filters and pre_api_tools, pre_tool, then the rules and the
// permission points of the tool's category on the arguments as plugins left them and that agent
// takes them, so on the call that will run. It asks no person, and a call that nothing decides stays
// undecided. Errors come from Fire.
func Consult(ctx context.Context, a *Agent, call Consulted) (o Opinion, err error) {
	c := consulted(a, call)
	if err := c.checkOffer(ctx); err != nil || c.out.text != "" {
		return c.refusal(), err
	}
	verdict, err := plugin.Fire(ctx, a.Host, hookpoints.PreTool, c.inv, call.refine("arguments")...)
	if err != nil {
		return o, err
	}
	c.contexts = verdict.Contexts
	halt(c.step, verdict.Halted)
	if verdict.Block || verdict.Halt {
		c.out = blocked(verdict)
		return c.refusal(), nil
	}
	decided := judgementBy(verdict.Decision, verdict.DecidedBy, verdict.Reason)
	if verdict.Arguments != nil {
		c.inv.Arguments, o.Arguments = verdict.Arguments, verdict.Arguments
	}
	var judged permissions.Judgement
	if !call.AskedElsewhere {
		judged, err = c.consult(ctx)
	}
	return c.opinion(o, permissions.Strictest(decided, judged)), err
}

// ConsultPermission asks the permission points alone.
func ConsultPermission(ctx context.Context, a *Agent, call Consulted) (Opinion, error) {
	c := consulted(a, call)
	judged, err := c.consult(ctx)
	if err != nil {
		return Opinion{}, err
	}
	return c.opinion(Opinion{}, judged), nil
}

// ConsultAsked lets plugins answer a question of another agent in the place of the person; by
// is the agent that asks.
func ConsultAsked(ctx context.Context, a *Agent, call Consulted, by string) (Opinion, error) {
	c := consulted(a, call)
	if a.Gate == nil {
		return Opinion{}, nil
	}
	asked := judgedCall{toolCall: c.toolCall}
	why := permissions.Judgement{Decision: permissions.Ask, By: by}
	judged, err := asked.fireAsked(ctx, permissions.Question{Why: why})
	if err != nil || judged.Decision == permissions.Undecided {
		return Opinion{}, err
	}
	asked.report(permissions.Outcome{Judgement: judged})
	return c.opinion(Opinion{}, judged), nil
}

// refine lets plugins rewrite only what the other agent takes.
func (c Consulted) refine(field string) []plugin.Refine {
	if c.Takes == nil {
		return nil
	}
	return []plugin.Refine{{Field: field, Value: c.Takes, Loses: true}}
}

// consultation is a call of another agent that needs an opinion.
type consultation struct {
	*toolCall
	call Consulted
}

// consulted returns the call as calls of chibi's own are.
func consulted(a *Agent, call Consulted) consultation {
	c := newToolCall(&step{turn: detached(a, 0)}, llm.ToolCall{ID: call.ID, Name: call.Tool.Name,
		Arguments: string(call.Arguments)})
	c.inv = hookpoints.PreToolPayload{ToolName: call.Tool.Name, Arguments: call.Arguments, ToolCallID: call.ID,
		Category: string(call.Tool.Category), Subject: call.Tool.Subject,
		InRecipe: hookpoints.InRecipe{Nesting: call.Nesting}}
	return consultation{c, call}
}

// checkOffer sets the output of a call whose tool the configuration or plugins filter out.
func (c consultation) checkOffer(ctx context.Context) error {
	spec := c.call.Tool
	kept, without := configured(c.agent, nil, []tools.Spec{spec})
	if len(kept) == 0 {
		c.out = denied(fmt.Errorf("tool %q is not available here: %s", spec.Name, without[spec.Name]))
		return nil
	}
	filter, err := plugin.Fire(plugin.OfPart(ctx), c.agent.Host, hookpoints.PreAPITools, hookpoints.PreAPIToolsPayload{
		ContextName: c.step.turn.contextName(), Nesting: c.inv.Nesting,
		Tools: []hookpoints.ListedTool{{Name: spec.Name, Type: string(spec.Kind)}}})
	if err == nil && len(filterSpecs(kept, filter.Include, filter.Exclude)) == 0 {
		c.out = denied(fmt.Errorf("tool %q is not available here: plugins filter it out", spec.Name))
	}
	return err
}

// consult returns what rules and plugins say about what a call would do.
func (c consultation) consult(ctx context.Context) (judged permissions.Judgement, err error) {
	gate := c.agent.Gate
	if gate == nil {
		return judged, nil
	}
	c.judged = permissions.Call{Tool: c.call.Tool, ID: c.call.ID, Agent: c.call.Nesting.AgentID,
		Arguments: c.inv.Arguments, Access: gate.AccessOf(c.call.Tool, c.inv.Arguments, gate.Dir)}
	asked := judgedCall{toolCall: c.toolCall}
	if judged, err = permissions.Opinion(ctx, gate.Policy, c.judged, asked.fire); err == nil &&
		judged.Decision != permissions.Undecided {
		asked.report(permissions.Outcome{Judgement: judged})
	}
	return judged, err
}

// opinion adds a judgement to an opinion.
func (c consultation) opinion(o Opinion, judged permissions.Judgement) Opinion {
	o.Context = contextBlocks(c.contexts)
	switch o.Decision = judged.Decision; judged.Decision {
	case permissions.Deny:
		c.out = refused(judged)
		return c.refusal()
	case permissions.Ask, permissions.Allow:
		o.Reason = cmp.Or(judged.Reason, fmt.Sprintf("%s says: %s", judged.By, judged.Decision))
	}
	return o
}

// refusal reports a call that does not run, and returns the answer to its model.
func (c consultation) refusal() Opinion {
	c.agent.Output.emit(Event{Kind: EventCall, Call: c.event()})
	return Opinion{Decision: permissions.Deny, Reason: c.out.text, Context: contextBlocks(c.contexts), Halted: c.halted()}
}

// halted is why plugins end the turn, nil if they do not.
func (c consultation) halted() *HaltedError {
	if by := c.step.turn.halted; by.Plugin != "" {
		return &HaltedError{Plugin: by.Plugin, Message: by.Message}
	}
	return nil
}

// ConsultedResult is how a call of a tool of another agent ended.
type ConsultedResult struct {
	Consulted
	// Output is the tool's answer. Failed says that it failed, Exit is its exit status.
	Output string
	Failed bool
	Exit   int
	Took   time.Duration
}

// ResultOpinion is the opinion of plugins about the result of a call.
type ResultOpinion struct {
	// Instead is the text for the model in place of the output; nil: the output.
	Instead *string
	// Context is for the model beside the result, Halted ends the turn.
	Context string
	Halted  *HaltedError
}

// ConsultResult tells the plugins how a call of another agent ended. Errors come from Fire.
func ConsultResult(ctx context.Context, a *Agent, r ConsultedResult) (o ResultOpinion, err error) {
	c := consulted(a, r.Consulted)
	c.out = output{text: r.Output, status: hookpoints.StatusRan, exit: r.Exit, took: r.Took}
	if r.Failed {
		c.out.status, c.out.exit = hookpoints.StatusFailed, max(1, r.Exit)
	}
	a.Output.emit(Event{Kind: EventCall, Call: c.event()})
	if err := c.filterOutput(ctx, r.refine("output")...); err != nil {
		return o, err
	}
	if c.out.text != r.Output {
		o.Instead = &c.out.text
	}
	o.Context, o.Halted = contextBlocks(c.contexts), c.halted()
	if _, err := plugin.Fire(ctx, a.Host, hookpoints.PostToolOutput, hookpoints.PostToolOutputPayload{
		ToolName: c.inv.ToolName, Arguments: c.inv.Arguments, Output: c.out.text,
		Outcome:     hookpoints.Outcome{Status: c.out.status},
		FinalOutput: c.out.text, ToolCallID: r.ID, Nesting: c.inv.Nesting,
	}); err != nil {
		return o, err
	}
	_, err = plugin.Fire(ctx, a.Host, hookpoints.PostTool, hookpoints.PostToolPayload{
		ToolName: c.inv.ToolName, Arguments: c.inv.Arguments, Result: c.out.text,
		Outcome:    hookpoints.Outcome{Status: c.out.status},
		ToolCallID: r.ID, Nesting: c.inv.Nesting,
	})
	return o, err
}

// ContextBlocks returns contexts of plugins as a model sees them: a block for each, with the
// plugin's name. "" if there are none.
func ContextBlocks(texts []hookpoints.Text) string { return contextBlocks(texts) }
