package agent

import (
	"encoding/json"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// step is one response of the model with the results of its tool calls.
type step struct {
	turn *turn
	// request is the body that was sent, reply the response.
	request json.RawMessage
	reply   llm.Reply
	// offered are the tools that the request offered.
	offered toolNames
	// undeclared says that arguments are not checked against parameters.
	undeclared bool
	// incomplete says why the response is incomplete although its stream ended
	// normally; "" if it is complete.
	incomplete Outcome
	// ending says why the turn ends with this step although the response calls tools, "" if
	// it does not.
	ending string
	// finished are the calls that have their results.
	finished []hookpoints.FinishedCall
	// entries are the response and the results as they are stored.
	entries []contexts.Entry
}

type toolCall struct {
	step   *step
	agent  *Agent
	wanted llm.ToolCall              // as the model wrote it
	inv    hookpoints.PreToolPayload // as hooks have left it
	// converted are the places in the model's arguments that were converted, rewritten the
	// arguments as plugins changed them.
	converted []string
	rewritten json.RawMessage
	// plan runs the tool; nil: the call is not run, and the output says why. judged is what
	// the gate judged.
	plan   tools.Plan
	judged permissions.Call
	kind   tools.Kind
	out    output
	next   string // the model's note for a further turn
	// decided is what plugins decided at pre_tool, contexts are their texts for the model.
	decided  permissions.Judgement
	contexts []hookpoints.Text
	// agentID is the id of the sub-agent that the tool starts, if it starts one.
	agentID string
	// agents are the sub-agents that it has started.
	agents []contexts.AgentUse
}

func newToolCall(s *step, wanted llm.ToolCall) *toolCall {
	return &toolCall{step: s, agent: s.turn.agent, wanted: wanted}
}

// callResult is the answer to the model about a call.
type callResult struct {
	text string
	// ranWith are the arguments that the tool ran with, if plugins changed them.
	ranWith json.RawMessage
	// failure is a line about why the call did not run or failed; "" if it ran and
	// succeeded.
	failure string
	// agents are the sub-agents that the call started.
	agents []contexts.AgentUse
}

// agentID returns the id of a sub-agent that a call starts: the call's own for the first one.
func agentID(c *toolCall) string {
	id := c.agentID
	if c.agentID = ""; id == "" {
		id = newAgentID(c.agent)
	}
	return id
}
