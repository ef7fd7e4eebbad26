package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// spawn is a sub-agent on its way from a call to its result.
type spawn struct {
	call   *toolCall
	agent  *Agent
	self   *subagent
	task   AgentTask
	begun  time.Time
	status hookpoints.SpawnStatus // "": it has not ended
	text   string                 // the result, as far as there is one
	why    string                 // why it failed or was blocked
	by     string                 // the plugin that blocked it, or answered in its place
}

// isOver reports whether a plugin has decided the result.
func (s *spawn) isOver() bool { return s.status != "" }

// newSpawn makes the agent for a task that is valid.
func newSpawn(ctx context.Context, c *toolCall, task AgentTask) (*spawn, error) {
	t := c.step.turn
	if err := mayStart(t, task); err != nil {
		return nil, err
	}
	offered, err := offeredTo(task, c.step.offered)
	if err != nil {
		return nil, err
	}
	a, err := newInside(t)
	if err != nil {
		return nil, err
	}
	s := &spawn{call: c, agent: a, task: task, begun: time.Now(),
		self: &subagent{depth: depthOf(t.agent) + 1, offered: offered}}
	a.inner.sub = s.self
	if err := s.keep(ctx); err != nil {
		return nil, err
	}
	if err := s.define(ctx); err != nil {
		s.close()
		return nil, err
	}
	a.inner.nesting.AgentID = agentID(c)
	a.inner.nesting.AgentType = cmp.Or(task.Kind, task.Recipe, "general")
	a.Output = outermost(t.agent).Output.of(a.inner.nesting.AgentID)
	return s, nil
}

// keep makes the sub-agent work in the context that keeps its conversation, if the task
// names one.
func (s *spawn) keep(ctx context.Context) error {
	name, a := s.task.Context, s.agent
	if name == "" {
		return nil
	}
	if err := contexts.ValidName(name); err != nil {
		return err
	}
	for in := a.inner; in != nil; in = in.parent() {
		if in.around.contextName() == name {
			return fmt.Errorf("context %q belongs to this conversation; a sub-agent needs another context", name)
		}
	}
	if a.Subagents.Keep == nil {
		return fmt.Errorf("this program keeps no conversations of sub-agents, so there is no context %q", name)
	}
	kept, err := a.Subagents.Keep(ctx, name)
	if err != nil {
		return err
	}
	s.self.kept = &kept
	a.Context, a.Cache, a.Tools, a.Settings = kept.Context, kept.Cache, kept.Tools, kept.Settings
	return nil
}

// close releases the context that keeps the conversation.
func (s *spawn) close() {
	if s.self.kept != nil {
		s.self.kept.Close()
	}
}

// define sets what the task says about the agent: its recipe and its system prompt.
func (s *spawn) define(ctx context.Context) error {
	prompt := s.task.SystemPrompt
	if s.task.Recipe != "" {
		find := s.agent.Subagents.Recipe
		if find == nil {
			return fmt.Errorf("there is no recipe %q", s.task.Recipe)
		}
		recipe, err := find(ctx, s.task.Recipe, s.task.Arguments)
		if err != nil {
			return err
		}
		prompt = joinSections([]string{recipe.Prompt, prompt})
		s.agent.Recipe = &recipe
	}
	if prompt == "" && s.self.kept != nil {
		own, err := s.agent.Context.SystemPrompt(ctx)
		if err != nil {
			return err
		}
		prompt = own
	}
	prompt = cmp.Or(prompt, subagentPrompt)
	s.agent.Settings.SystemPrompt = &prompt
	return nil
}

// subagentPrompt is the system prompt of sub-agents that nothing else defines.
const subagentPrompt = "You work on one task for another agent. It sees nothing of your work but your last message: " +
	"make that the complete result, and say so if something could not be done."

// approve fires pre_spawn_agent, and does what plugins say.
func (s *spawn) approve(ctx context.Context) error {
	a := s.agent
	about := hookpoints.PreSpawnAgentPayload{
		SystemPrompt: *a.Settings.SystemPrompt, Input: s.task.Input, Model: cmp.Or(s.task.Model, a.Settings.Model),
		Temperature: s.task.Temperature, MaxTokens: s.task.MaxTokens, Tools: s.toolsAtMost(), Spawned: s.told(),
	}
	answer, err := plugin.Fire(ctx, a.Host, hookpoints.PreSpawnAgent, about)
	if err != nil {
		return err
	}
	if answer.SystemPrompt != nil {
		a.Settings.SystemPrompt = answer.SystemPrompt
	}
	if answer.Input != nil {
		s.task.Input = *answer.Input
	}
	if answer.Model != nil {
		s.task.Model = *answer.Model
	}
	switch {
	case answer.Block:
		s.status, s.why, s.by = hookpoints.SpawnBlocked, answer.Message, answer.BlockedBy
	case answer.Response != "":
		s.status, s.text, s.by = hookpoints.SpawnAnswered, answer.Response, answer.AnsweredBy
	default:
		if err := s.tune(); err != nil {
			s.status, s.why = hookpoints.SpawnFailed, err.Error()
		}
	}
	return nil
}

// toolsAtMost lists the tools that the sub-agent can be offered at most, in order.
func (s *spawn) toolsAtMost() []string {
	specs, _ := configured(s.agent, s.agent.Recipe, s.agent.Tools.Specs())
	return namesOf(specs)
}

// tune sets the model and the members of the requests.
func (s *spawn) tune() (err error) {
	set := &s.agent.Settings
	if model := s.task.Model; model != "" && model != set.Model {
		if s.agent.Subagents.WithModel == nil {
			set.Model = model
		} else if *set, err = s.agent.Subagents.WithModel(*set, model); err != nil {
			return fmt.Errorf("the model %q: %w", model, err)
		}
	}
	s.task.Model = set.Model
	if s.task.Temperature != nil {
		set.Options = withOption(set.Options, "temperature", *s.task.Temperature)
	}
	if s.task.MaxTokens != nil {
		set.Options = withOption(set.Options, "max_tokens", *s.task.MaxTokens)
	}
	return nil
}

// run lets the sub-agent answer its task.
func (s *spawn) run(ctx context.Context) {
	held, unlock, err := s.lock(ctx)
	if err != nil {
		s.status, s.why = hookpoints.SpawnFailed, err.Error()
		return
	}
	defer unlock()
	s.emit()
	text, err := s.agent.Prompt(plugin.InAgent(held, s.agent.inner.nesting.AgentID), s.task.Input)
	s.status, s.text = hookpoints.SpawnRan, text
	switch {
	case err != nil:
		s.why = err.Error()
	case s.self.incomplete != "":
		s.why = "its answer is incomplete: " + string(s.self.incomplete)
	case strings.TrimSpace(text) == "":
		s.why = "its model answered nothing"
	}
	if s.why != "" {
		s.status, s.text = hookpoints.SpawnFailed, cmp.Or(strings.TrimSpace(text), s.lastText(ctx))
	}
}

// lock reserves the context that keeps the conversation, if one does.
func (s *spawn) lock(ctx context.Context) (held context.Context, unlock func(), err error) {
	if s.self.kept == nil {
		return ctx, func() {}, nil
	}
	return s.self.kept.Lock(ctx)
}

// lastText returns what the sub-agent wrote last, "" if it wrote nothing.
func (s *spawn) lastText(ctx context.Context) string {
	window, err := s.agent.Context.Window(ctx)
	if err != nil {
		return ""
	}
	for _, e := range slices.Backward(window) {
		if e.Type == contexts.TypeMessage && e.Role() == "assistant" {
			return e.Content
		}
	}
	return ""
}

// result returns the answer to the model that asked for the sub-agent.
func (s *spawn) result() tools.Result {
	who := "sub-agent " + s.agent.inner.nesting.AgentID
	switch s.status {
	case hookpoints.SpawnBlocked:
		text := s.why
		if !strings.Contains(text, fmt.Sprintf("plugin %q", s.by)) {
			text += hookpoints.BlockedNote(s.by)
		}
		return tools.Result{Text: text, Failed: true, Reason: fmt.Sprintf("%s: blocked by plugin %q", who, s.by)}
	case hookpoints.SpawnFailed:
		failure := fmt.Sprintf("Error: %s gave no complete result: %s", who, s.why)
		if s.text != "" {
			failure += "\nIts last message:\n" + s.text
		}
		return tools.Result{Text: failure, Failed: true, Reason: who + ": " + s.why}
	}
	return tools.Result{Text: s.text}
}

// report tells the person, the trace and the plugins how the sub-agent ended.
func (s *spawn) report(ctx context.Context) error {
	s.emit()
	s.call.agents = append(s.call.agents, s.use())
	if s.status == hookpoints.SpawnFailed {
		s.agent.Output.notice("%s", s.why)
	}
	payload := hookpoints.PostSpawnAgentPayload{
		SystemPrompt: *s.agent.Settings.SystemPrompt, Input: s.task.Input, Model: s.agent.Settings.Model,
		Response: s.text, Status: s.status, Reason: s.why, Usage: s.self.usage,
		Responses: s.self.responses, DurationMS: time.Since(s.begun).Milliseconds(),
		Spawned: s.told(),
	}
	if s.status == hookpoints.SpawnBlocked {
		payload.BlockedBy = s.by
	}
	_, err := plugin.Fire(ctx, s.agent.Host, hookpoints.PostSpawnAgent, payload)
	return err
}

// told returns what hooks learn about the sub-agent and the call that starts it.
func (s *spawn) told() hookpoints.Spawned {
	about := s.agent.inner.nesting
	return hookpoints.Spawned{
		Context: s.task.Context, Depth: s.self.depth, AgentID: about.AgentID, AgentType: about.AgentType,
		ParentID: s.call.agent.inner.told().AgentID, ToolName: s.call.inv.ToolName, ToolCallID: s.call.inv.ToolCallID,
		ContextName: s.call.step.turn.contextName(),
	}
}

// emit reports that the sub-agent begins, or how it ended.
func (s *spawn) emit() {
	about := s.told()
	event := &AgentEvent{
		ID: about.AgentID, Type: about.AgentType, Tool: about.ToolName, CallID: about.ToolCallID,
		Depth: about.Depth, Model: s.agent.Settings.Model, Context: about.Context,
		Status: s.status, Why: s.why, Plugin: s.by,
		InputTokens: s.self.usage.InputTokens, OutputTokens: s.self.usage.OutputTokens, Responses: s.self.responses,
	}
	text := s.task.Input
	if s.isOver() {
		text, event.DurationMS = s.text, time.Since(s.begun).Milliseconds()
	}
	s.call.agent.Output.emit(Event{Kind: EventAgent, Text: text, Subagent: event})
}

// use returns what the sub-agent took.
func (s *spawn) use() contexts.AgentUse {
	about, took := s.agent.inner.nesting, s.self.usage
	return contexts.AgentUse{ID: about.AgentID, Type: about.AgentType, Model: s.agent.Settings.Model,
		Status: string(s.status), Responses: s.self.responses, InputTokens: took.InputTokens,
		OutputTokens: took.OutputTokens}
}

// withOption returns the members of a request with one that replaces the member of the same name.
func withOption(options []llm.Option, name string, value any) (list []llm.Option) {
	text, _ := json.Marshal(value) // a number
	for _, o := range options {
		if o.Name != name {
			list = append(list, o)
		}
	}
	return append(list, llm.Option{Name: name, Value: text})
}
