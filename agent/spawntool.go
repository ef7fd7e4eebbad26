package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/chibi-host/chibi/tools"
)

// spawnAgent lets the model start sub-agents.
type spawnAgent struct{ known []string }

// SpawnTool returns the tool spawn_agent, with which a model starts sub-agents. Its description
// lists the known recipes that define some: the name of each, perhaps with a description.
func SpawnTool(known ...string) tools.Tool { return spawnAgent{known} }

// Spec describes the tool.
func (s spawnAgent) Spec() tools.Spec {
	agents := "the name of the recipe that defines the sub-agent"
	if len(s.known) > 0 {
		agents += "; there are: " + strings.Join(s.known, ", ")
	}
	about, _ := json.Marshal(agents) // a text
	return tools.Spec{
		Name: spawnToolName, Kind: tools.Builtin, Category: tools.CategoryAgent, Parallel: true,
		Description: "Give a task to a sub-agent and get its last message. It works with your tools, in a conversation of " +
			"its own: it sees nothing of this one, so the task must say everything. Several calls in one response work at " +
			"the same time.",
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"task":{"type":"string","description":"what to do, and what the result must contain"},` +
			`"system_prompt":{"type":"string","description":"what the sub-agent is, in place of a general one"},` +
			`"agent":{"type":"string","description":` + string(about) + `},` +
			`"arguments":{"type":"object","additionalProperties":{"type":"string"},` +
			`"description":"the arguments of that recipe"},` +
			`"tools":{"type":"array","items":{"type":"string"},` +
			`"description":"the only tools that it has, some of yours; by default all of yours"},` +
			`"context":{"type":"string","description":"the name of a context that keeps its conversation, so that it ` +
			`remembers it next time"},` +
			`"model":{"type":"string","description":"another model"},` +
			`"temperature":{"type":"number"},"max_tokens":{"type":"integer","minimum":1}}}`),
	}
}

// spawnArguments are the arguments of spawn_agent.
type spawnArguments struct {
	Task         string            `json:"task"`
	Input        string            `json:"input"` // what the original calls the task
	SystemPrompt string            `json:"system_prompt"`
	Agent        string            `json:"agent"`
	Arguments    map[string]string `json:"arguments"`
	Tools        []string          `json:"tools"`
	Model        string            `json:"model"`
	Temperature  *float64          `json:"temperature"`
	MaxTokens    *int              `json:"max_tokens"`
	Context      string            `json:"context"`
}

// Call starts a sub-agent and waits for its result.
func (spawnAgent) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	var args spawnArguments
	if err := call.Decode(&args); err != nil {
		return tools.ErrorResult(err), nil
	}
	return RunAgent(ctx, AgentTask{Input: cmp.Or(args.Task, args.Input), SystemPrompt: args.SystemPrompt,
		Recipe: args.Agent, Arguments: args.Arguments, Tools: args.Tools, Model: args.Model, Temperature: args.Temperature,
		MaxTokens: args.MaxTokens, Context: args.Context})
}

// RunAgent runs a sub-agent for the call in whose context a tool runs, and returns its last
// answer as the tool's result. All hooks fire inside; it has at most the tools that chibi
// offered to the call's model, under the same permissions. A failure is a failed result;
// the error is the end of ctx. Several can run at the same time.
func RunAgent(ctx context.Context, task AgentTask) (tools.Result, error) {
	call, _ := ctx.Value(callKey{}).(*toolCall)
	if call == nil {
		return tools.ErrorResult(errors.New("a sub-agent needs a model and hooks: only a call in a turn starts one")), nil
	}
	s, err := newSpawn(ctx, call, task)
	if err != nil {
		return tools.ErrorResult(err), ctx.Err()
	}
	defer s.close()
	if err := s.approve(ctx); err != nil {
		return tools.Result{}, err
	}
	if !s.isOver() {
		s.run(ctx)
	}
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	return s.result(), s.report(ctx)
}
