package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// askPermission plans a valid call of a tool and lets the gate decide whether it runs. Only the
// plan that the gate saw runs.
func (c *toolCall) askPermission(ctx context.Context, tool tools.Tool) error {
	call := tools.Call{ID: c.inv.ToolCallID, Arguments: c.inv.Arguments, Context: c.step.turn.contextName()}
	plan, err := planOf(ctx, tool, call, c.agent.Gate)
	if err != nil {
		c.out = denied(fmt.Errorf("tool %q did not run: %w", c.inv.ToolName, err))
		return ctx.Err()
	}
	c.plan = plan
	if c.agent.Gate == nil {
		refuseUnasked(c)
		return nil
	}
	c.judged = permissions.Call{Tool: tools.SpecFor(tool, call.Arguments), ID: call.ID,
		Agent: c.inv.AgentID, Arguments: call.Arguments,
		Access: plan.Access()}
	allowed, err := judgedCall{toolCall: c}.judge(ctx)
	if !allowed {
		plan.Close()
		c.plan = nil
	}
	return err
}

// refuseUnasked refuses a call about which a plugin wants the person to be asked, where no gate
// asks.
func refuseUnasked(c *toolCall) {
	if c.decided.Decision != permissions.Ask {
		return
	}
	c.decided.Reason = strings.TrimPrefix(c.decided.Reason+"; a person must allow it, and nobody asks one here", "; ")
	c.out = refused(c.decided)
	c.plan.Close()
	c.plan = nil
}

// planOf returns the plan of a call. A tool that makes none is called when its plan runs.
func planOf(ctx context.Context, tool tools.Tool, call tools.Call, gate *permissions.Gate) (tools.Plan, error) {
	if planner, plans := tool.(tools.Planner); plans {
		return planner.Plan(ctx, call)
	}
	plan := unplanned{tool: tool, call: call}
	if spec := tools.SpecFor(tool, call.Arguments); gate != nil && gate.AccessOf != nil && spec.Category != "" {
		if err := permissions.CheckSubject(spec, call.Arguments); err != nil {
			return nil, err
		}
		plan.access = gate.AccessOf(spec, call.Arguments, gate.Dir)
	}
	return plan, nil
}

// unplanned is the plan of a tool that makes none.
type unplanned struct {
	tool   tools.Tool
	call   tools.Call
	access tools.Access
}

func (p unplanned) Access() tools.Access                          { return p.access }
func (p unplanned) Run(ctx context.Context) (tools.Result, error) { return p.tool.Call(ctx, p.call) }
func (p unplanned) Close()                                        {}

type judgedCall struct {
	*toolCall
	leadsTo string // where it is redirected to, if rules decide about that
}

// judge decides whether a call may happen, and reports who decided. A call that may not has
// its output afterwards.
func (c judgedCall) judge(ctx context.Context) (allowed bool, err error) {
	gate := c.agent.Gate
	if c.decided.Decision != permissions.Ask && !gate.Concerns(c.judged) {
		return true, nil
	}
	outcome, err := gate.Decide(ctx, c.judged, c.hooks())
	if err != nil {
		return false, err
	}
	if outcome.Unkept != nil {
		c.agent.Output.notice("the rule holds for this run only, because it could not be stored: %v", outcome.Unkept)
	}
	if outcome.Unapproved != nil {
		c.agent.Output.notice("a later change of tool %s will not be noticed: %v", c.inv.ToolName, outcome.Unapproved)
	}
	c.report(outcome)
	if outcome.Decision != permissions.Allow {
		c.out = refused(outcome.Judgement)
		return false, nil
	}
	return true, nil
}

// callKey is the key of the call that runs in the context of its tool.
type callKey struct{}

// Follow judges the place that an allowed call leads to, such as the target of a redirect: by the
// rules, by the plugins at the permission point and by earlier answers of the person, without
// asking the person again; see [permissions.Gate.Follow]. A tool calls it with the context in
// which it runs. Without a gate that judges calls, it decides nothing.
func Follow(ctx context.Context, target tools.Access) (permissions.Judgement, error) {
	running, _ := ctx.Value(callKey{}).(*toolCall)
	if running == nil || running.agent.Gate == nil {
		return permissions.Judgement{}, nil
	}
	call := *running
	call.judged.Access, call.decided = target, permissions.Judgement{} // that was about the call
	c := judgedCall{&call, target.URL}
	judged, err := call.agent.Gate.Follow(ctx, call.judged, c.fire)
	if err == nil && judged.Decision != permissions.Undecided {
		c.report(permissions.Outcome{Judgement: judged})
	}
	return judged, err
}

// refused returns the answer to the model about a call that is denied: why, and by whom.
func refused(j permissions.Judgement) output {
	const preface = "Permission denied: "
	text := preface + j.Refusal()
	return output{text: text, why: text, preface: preface, status: hookpoints.StatusDenied, exit: 1}
}

// report reports who decided about a call.
func (c judgedCall) report(o permissions.Outcome) {
	event := &PermissionEvent{ID: c.inv.ToolCallID, Tool: c.inv.ToolName, Category: c.judged.Tool.Category,
		To: c.leadsTo, Decision: o.Decision, By: o.By, Plugin: o.Plugin, Reason: o.Reason}
	if asked := o.Asked; asked != nil {
		event.Asked = &AskedEvent{By: asked.Why.By, Plugin: asked.Why.Plugin, Reason: asked.Why.Reason,
			DurationMS: asked.Took.Milliseconds()}
		if asked.Answer.Allow {
			event.Asked.Scope = asked.Answer.Scope
		}
	}
	c.agent.Output.emit(Event{Kind: EventPermission, Permission: event})
	if o.Unasked {
		c.agent.Output.notice("tool %s was refused: %s", c.inv.ToolName, o.Reason)
	}
	if o.Decision == permissions.Allow {
		c.agent.Output.detail("tool %s: allowed by %s", c.inv.ToolName, o.By)
	}
}

// hooks returns what asks the plugins about the call.
func (c judgedCall) hooks() permissions.Hooks {
	h := permissions.Hooks{Judge: c.fire}
	if c.agent.Host.IsHeard(hookpoints.PrePermission.Name) {
		h.Answer = c.fireAsked
	}
	return h
}

// fireAsked asks the plugins in the place of the person.
func (c judgedCall) fireAsked(ctx context.Context, q permissions.Question) (permissions.Judgement, error) {
	answer, err := plugin.Fire(ctx, c.agent.Host, hookpoints.PrePermission, hookpoints.PrePermissionPayload{
		ToolName: c.inv.ToolName, FinalCall: c.finalCall(), Category: c.inv.Category,
		Subject: c.inv.Subject, AskedBy: q.Why.By, Reason: q.Why.Reason, Rule: q.Lasting(), Cwd: c.agent.Gate.Dir,
		InContext: c.inContext(),
	})
	if halt(c.step, answer.Halted); answer.Halt {
		return judgementBy(hookpoints.DecisionDeny, answer.Halted.Plugin, haltedError(answer.Halted).Error()), err
	}
	return judgementBy(answer.Verdict(), answer.DecidedBy, answer.Reason), err
}

// fire asks the plugins at the permission points of a tool: the point of its category, if there is
// one, and the point of MCP servers. The strictest answer counts, including the answer at pre_tool.
func (c judgedCall) fire(ctx context.Context) (permissions.Judgement, error) {
	judged, err := c.fireCategory(ctx)
	judged = permissions.Strictest(c.decided, judged)
	if err != nil || !c.judged.Tool.Is(tools.CategoryMCP) {
		return judged, err
	}
	answer, err := plugin.Fire(ctx, c.agent.Host, hookpoints.PreMCPCall, c.mcpCall())
	return permissions.Strictest(judged, judgementOf(answer)), err
}

// fireCategory asks the plugins at the permission point of a tool's category, if there is one.
func (c judgedCall) fireCategory(ctx context.Context) (permissions.Judgement, error) {
	var answer hookpoints.PermissionAnswer
	var err error
	switch c.judged.Tool.Category {
	case tools.CategoryRead, tools.CategorySearch:
		answer, err = plugin.Fire(ctx, c.agent.Host, hookpoints.PreFileRead, c.fileRead())
	case tools.CategoryWrite, tools.CategoryEdit:
		answer, err = plugin.Fire(ctx, c.agent.Host, hookpoints.PreFileWrite, c.fileWrite())
	case tools.CategoryShell:
		answer, err = plugin.Fire(ctx, c.agent.Host, hookpoints.PreShellExec, c.shellExec())
	case tools.CategoryFetch:
		answer, err = plugin.Fire(ctx, c.agent.Host, hookpoints.PreFetchURL, c.fetchURL(ctx))
	}
	return judgementOf(answer), err
}

// judgementOf returns what plugins decided together.
func judgementOf(answer hookpoints.PermissionAnswer) permissions.Judgement {
	return judgementBy(answer.Verdict(), answer.DecidedBy, answer.Reason)
}

func judgementBy(decision hookpoints.Decision, name, reason string) permissions.Judgement {
	if decision == "" {
		return permissions.Judgement{}
	}
	return permissions.Judgement{Decision: permissions.Decision(decision), By: fmt.Sprintf("plugin %q", name),
		Plugin: name, Reason: reason, Insistent: decision == hookpoints.DecisionAsk}
}

// paths returns the path that a call uses, and the one that it named if that differs.
func paths(a tools.Access) (path, named string) {
	if a.Real == "" || a.Real == a.Path {
		return a.Path, ""
	}
	return a.Real, a.Path
}

// finalCall is what the plugins judge, which runs as it is.
func (c judgedCall) finalCall() hookpoints.FinalCall {
	return hookpoints.FinalCall{Arguments: c.inv.Arguments, ToolCallID: c.inv.ToolCallID}
}

func (c judgedCall) inContext() hookpoints.InContext {
	return hookpoints.InContext{ContextName: c.step.turn.contextName(), InRecipe: c.inv.InRecipe}
}

func (c judgedCall) fileRead() hookpoints.PreFileReadPayload {
	path, named := paths(c.judged.Access)
	return hookpoints.PreFileReadPayload{ToolName: c.inv.ToolName, Path: path, NamedPath: named,
		FinalCall: c.finalCall(), Cwd: c.agent.Gate.Dir, InContext: c.inContext()}
}

// maxDiff bounds the diff at pre_file_write, in bytes.
const maxDiff = 64 << 10

func (c judgedCall) fileWrite() hookpoints.PreFileWritePayload {
	path, named := paths(c.judged.Access)
	payload := hookpoints.PreFileWritePayload{ToolName: c.inv.ToolName, Path: path, NamedPath: named,
		Content: c.judged.Access.Content, Operation: c.judged.Access.Operation, Exists: c.judged.Access.Exists,
		Diff: clip.Bytes(c.judged.Access.Diff, maxDiff), FinalCall: c.finalCall(),
		Cwd: c.agent.Gate.Dir, InContext: c.inContext()}
	// A plugin's tool does not say what it would write; its argument of that name does.
	content := gjson.GetBytes(c.inv.Arguments, "content")
	if payload.Content == nil && c.judged.Tool.Category == tools.CategoryWrite && content.Type == gjson.String {
		payload.Content = &content.Str
	}
	return payload
}

func (c judgedCall) shellExec() hookpoints.PreShellExecPayload {
	payload := hookpoints.PreShellExecPayload{ToolName: c.inv.ToolName, Command: c.judged.Access.Command,
		FinalCall: c.finalCall(), Cwd: c.judged.Access.Dir, InContext: c.inContext()}
	payload.Cwd = cmp.Or(payload.Cwd, c.agent.Gate.Dir)
	if parse := c.agent.Gate.Commands; parse != nil {
		if commands, ok := parse(c.judged.Access.Command); ok {
			payload.Commands = &commands
		}
	}
	return payload
}

// fetchURL looks the name in a URL up if a plugin wants to know where it leads.
func (c judgedCall) fetchURL(ctx context.Context) hookpoints.PreFetchURLPayload {
	payload := hookpoints.PreFetchURLPayload{ToolName: c.inv.ToolName, URL: c.judged.Access.URL,
		Safety: hookpoints.SafetyPublic, FinalCall: c.finalCall(),
		Cwd: c.agent.Gate.Dir, InContext: c.inContext()}
	if payload.URL == "" {
		payload.Safety, payload.Summary = hookpoints.SafetyNoURL, clip.Bytes(string(c.inv.Arguments), maxSummary)
		return payload
	}
	access := c.judged.Access
	if access.Resolve != nil && c.agent.Host.IsHeard(hookpoints.PreFetchURL.Name) {
		access.Addresses = access.Resolve(ctx)
	}
	target := permissions.TargetOf(access)
	payload.Host, payload.AddressClass, payload.Reason = target.Host, string(target.Class), target.Reason
	if target.IsSensitive() {
		payload.Safety = hookpoints.SafetySensitive
	}
	return payload
}

// mcpCall says which tool of which server would be called. A plugin's tool may belong to a
// server too; its name then says to which.
func (c judgedCall) mcpCall() hookpoints.PreMCPCallPayload {
	payload := hookpoints.PreMCPCallPayload{ToolName: c.inv.ToolName, Tool: c.inv.ToolName, FinalCall: c.finalCall(),
		Cwd: c.agent.Gate.Dir, InContext: c.inContext()}
	if remote := c.judged.Tool.Remote; remote != nil {
		payload.Server, payload.Tool, payload.ReadOnly = remote.Server, remote.Tool, remote.ReadOnly
	} else if rest, ok := strings.CutPrefix(c.inv.ToolName, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			payload.Server, payload.Tool = server, tool
		}
	}
	return payload
}

// maxSummary bounds the summary of the arguments at pre_fetch_url, in bytes.
const maxSummary = 200
