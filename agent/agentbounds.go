package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
)

// mayStart returns why a turn cannot start a sub-agent for a task.
func mayStart(t *turn, task AgentTask) error {
	switch {
	case strings.TrimSpace(task.Input) == "":
		return errors.New("the task is empty; say what the sub-agent is to do")
	case t.agent.Model == nil:
		return errors.New("this run does not ask the model, so it has no sub-agents")
	case task.Recipe != "" && isRunning(t.agent, task.Recipe):
		return fmt.Errorf("the agent %q is running already and cannot start itself", task.Recipe)
	}
	if err := tooDeep(t.agent); err != nil && !task.isOneRequest() {
		return err
	}
	return t.budget.check(t.agent.Subagents.maxTokens())
}

// isOneRequest reports whether a task is answered by one response, because it has no tools.
func (t AgentTask) isOneRequest() bool { return t.Tools != nil && len(t.Tools) == 0 }

// isRunning reports whether an agent works inside a sub-agent that the recipe defines.
func isRunning(a *Agent, recipe string) bool {
	return slices.ContainsFunc(a.inner.subagents(), func(in *inner) bool { return in.nesting.AgentType == recipe })
}

// depthOf returns how deep in sub-agents an agent works, 0 for the conversation.
func depthOf(a *Agent) int { return len(a.inner.subagents()) }

// tooDeep returns an error if an agent works as deep as agents may.
func tooDeep(a *Agent) error {
	if limit := a.Subagents.maxDepth(); depthOf(a) >= limit {
		return fmt.Errorf("this sub-agent cannot start another one: max_agent_depth is %d; do the task here", limit)
	}
	return nil
}

// offeredTo returns the tools that a task's sub-agent can be offered at most.
func offeredTo(task AgentTask, offered toolNames) (toolNames, error) {
	if task.Tools == nil {
		return offered, nil
	}
	var unknown []string
	for _, name := range task.Tools {
		if !offered[name] {
			unknown = append(unknown, name)
		}
	}
	if unknown != nil {
		return nil, fmt.Errorf("a sub-agent can only have tools that are available here; these are not: %s",
			strings.Join(unknown, ", "))
	}
	return setOf(task.Tools), nil
}

// mayAsk returns an error for the turn of a sub-agent whose tokens are used up.
func mayAsk(t *turn) error {
	if t.agent.inner.enclosing() == nil {
		return nil
	}
	return t.budget.check(t.agent.Subagents.maxTokens())
}

// spend counts a response, if it is one of a sub-agent.
func spend(t *turn, before hookpoints.Usage, incomplete Outcome) {
	sub := t.agent.inner.enclosing()
	if sub == nil {
		return
	}
	in, out := t.usage.InputTokens-before.InputTokens, t.usage.OutputTokens-before.OutputTokens
	sub.responses++
	sub.incomplete = incomplete
	sub.usage = hookpoints.Usage{
		InputTokens: sub.usage.InputTokens + in, OutputTokens: sub.usage.OutputTokens + out,
		CurrentContextWindow: t.usage.CurrentContextWindow, MaxContextWindow: t.usage.MaxContextWindow,
	}
	t.budget.spent.Add(int64(in + out))
}

const spawnToolName = "spawn_agent"

// isSpawnTool reports whether a tool is chibi's spawn_agent.
func isSpawnTool(spec tools.Spec) bool {
	return spec.Name == spawnToolName && spec.Kind == tools.Builtin
}
