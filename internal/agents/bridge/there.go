package bridge

import (
	"cmp"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// There is a moment of an agent on chibi's side of the bridge: it becomes payloads of chibi's points, and the
// answers of chibi's plugins become an effect.
type There struct {
	engine.Moment
	// In is the name of the context in payloads.
	In string
}

// nesting says in which sub-agent of the agent it happens.
func nesting(m engine.Moment) hookpoints.Nesting {
	id := m.Text(engine.AgentID)
	return hookpoints.Nesting{Nested: id != "", AgentID: id, AgentType: m.Text(engine.AgentType)}
}

// PreMessage is the payload of pre_message.
func (m There) PreMessage() hookpoints.PreMessagePayload {
	return hookpoints.PreMessagePayload{Prompt: m.Text(engine.PromptText), ContextName: m.In,
		InRecipe: hookpoints.InRecipe{Recipe: m.Text(engine.Recipe), Nesting: nesting(m.Moment)}}
}

// OfMessage is the effect of an answer at pre_message.
func OfMessage(a hookpoints.PreMessageAnswer) (e engine.Effect) {
	if a.Block || a.Halt {
		return engine.Effect{Decision: hookpoints.DecisionDeny, Reason: cmp.Or(a.Message, "a plugin refuses the prompt")}
	}
	e.Prompt = a.Prompt
	return e
}

// SystemPrompt is the payload of pre_system_prompt and post_system_prompt.
func (m There) SystemPrompt() hookpoints.SystemPromptPayload {
	return hookpoints.SystemPromptPayload{ContextName: m.In, Nesting: nesting(m.Moment)}
}

// OfInjections is the effect of answers at pre_system_prompt and post_system_prompt: text for
// the model, with a blank line between two.
func OfInjections(answers ...hookpoints.SystemPromptAnswer) (e engine.Effect) {
	var texts []string
	for _, a := range answers {
		if text := strings.TrimSpace(a.Inject); text != "" {
			texts = append(texts, text)
		}
	}
	e.Context = strings.Join(texts, "\n\n")
	return e
}

// PostMessage is the payload of post_message; prompt is the prompt that the model answered.
func (m There) PostMessage(prompt string) hookpoints.PostMessagePayload {
	return hookpoints.PostMessagePayload{Prompt: prompt, Response: m.Text(engine.Response), ContextName: m.In,
		Nesting: nesting(m.Moment)}
}

// Continued is how often, by the agent's payload, hooks have continued the turn; 1 if the agent says only that they
// have.
func (m There) Continued() int {
	if n := int(m.Number(engine.FollowUps)); n > 0 || !gjson.ParseBytes(m.Values[engine.StopActive]).Bool() {
		return n
	}
	return 1
}

// PreStop is the payload of pre_stop; continued is how often the turn has gone on.
func (m There) PreStop(continued int) hookpoints.PreStopPayload {
	return hookpoints.PreStopPayload{ContextName: m.In, Response: m.Text(engine.Response), FollowUps: continued,
		Messages: []hookpoints.ChatMessage{{Role: "assistant", Content: m.Text(engine.Response)}},
		InRecipe: hookpoints.InRecipe{Nesting: nesting(m.Moment)}}
}

// OfStop is the effect of an answer at pre_stop.
func OfStop(a hookpoints.PreStopAnswer) (e engine.Effect) {
	if a.Halt {
		return engine.Effect{Halt: true, HaltReason: a.Message}
	}
	if len(a.FollowUpMessages) > 0 {
		e.Decision, e.Reason = hookpoints.DecisionDeny, strings.Join(a.FollowUpMessages, "\n\n")
	}
	if a.Messages != nil {
		e.Notes = append(e.Notes, "messages at pre_stop has no effect in another agent: its conversation is its own")
	}
	if a.Recipe != "" {
		e.Notes = append(e.Notes, "recipe at pre_stop has no effect in another agent: its conversation is its own")
	}
	return e
}

// TurnFailed is the payload of on_turn_failed.
func (m There) TurnFailed() hookpoints.OnTurnFailedPayload {
	p := hookpoints.OnTurnFailedPayload{ContextName: m.In, Status: hookpoints.TurnError, Kind: hookpoints.FailureOther,
		Error: cmp.Or(m.Text(engine.Failure), "the turn failed"), Response: m.Text(engine.Response),
		Nesting: nesting(m.Moment)}
	if m.Text(engine.FailureKind) == "interrupted" {
		p.Status, p.Kind = hookpoints.TurnInterrupted, ""
	}
	return p
}

// PostToolBatch is the payload of post_tool_batch.
func (m There) PostToolBatch() hookpoints.PostToolBatchPayload {
	p := hookpoints.PostToolBatchPayload{ContextName: m.In, Nesting: nesting(m.Moment)}
	if strictjson.Decode(m.Values[engine.Calls], &p.Calls) != nil || p.Calls == nil {
		p.Calls = []hookpoints.FinishedCall{}
	}
	return p
}

// Compaction is the payload of pre_compact and post_compact.
func (m There) Compaction() hookpoints.ContextPayload {
	return hookpoints.ContextPayload{ContextName: m.In, MessageCount: int(m.Number(engine.Messages)),
		Summary: m.Text(engine.Summary)}
}

// IsAutomatic reports whether the agent compacts by itself.
func (m There) IsAutomatic() bool { return m.Text(engine.Trigger) == "auto" }

// OfCompact is the effect of an answer before a compaction.
func OfCompact(a hookpoints.CompactAnswer) (e engine.Effect) {
	if a.Block {
		e.Decision, e.Reason = hookpoints.DecisionDeny, cmp.Or(a.Message, "a plugin prevents the compaction")
	}
	return e
}

// PreSpawn is the payload of pre_spawn_agent.
func (m There) PreSpawn() hookpoints.PreSpawnAgentPayload {
	return hookpoints.PreSpawnAgentPayload{Input: m.Text(engine.Task), Model: m.Text(engine.Model), Tools: []string{},
		Spawned: spawned(m)}
}

// OfSpawn is the effect of an answer at pre_spawn_agent.
func OfSpawn(a hookpoints.PreSpawnAgentAnswer) (e engine.Effect) {
	if a.Block {
		e.Decision, e.Reason = hookpoints.DecisionDeny, cmp.Or(a.Message, "a plugin blocks the sub-agent")
	}
	if a.SystemPrompt != nil || a.Input != nil || a.Model != nil || a.Response != "" {
		e.Notes = append(e.Notes, "an answer at pre_spawn_agent that changes or replaces the sub-agent has no effect in "+
			"another agent, which starts its own")
	}
	return e
}

// PostSpawn is the payload of post_spawn_agent.
func (m There) PostSpawn() hookpoints.PostSpawnAgentPayload {
	return hookpoints.PostSpawnAgentPayload{Input: m.Text(engine.Task), Model: m.Text(engine.Model),
		Response: m.Text(engine.Response),
		Status:   hookpoints.SpawnRan, DurationMS: m.Number(engine.Duration), Spawned: spawned(m)}
}

func spawned(m There) hookpoints.Spawned {
	return hookpoints.Spawned{Depth: 1, AgentID: m.Text(engine.AgentID), AgentType: cmp.Or(m.Text(engine.AgentType),
		"general"),
		ToolCallID: m.Text(engine.CallID), ContextName: m.In}
}

// EndReason is the reason at on_end.
func (m There) EndReason() string {
	switch m.Text(engine.Reason) {
	case "interrupt":
		return "interrupt"
	case "error":
		return "error"
	}
	return "user_exit"
}

// PostTurn is the payload of post_turn. Agents tell neither the number of responses nor the tools that this one
// calls.
func (m There) PostTurn() hookpoints.PostTurnPayload {
	return hookpoints.PostTurnPayload{ContextName: m.In, TurnNumber: 1, Response: m.Text(engine.Response),
		ToolsUsed: []string{},
		Messages:  []hookpoints.ChatMessage{{Role: "assistant", Content: m.Text(engine.Response)}},
		InRecipe:  hookpoints.InRecipe{Nesting: nesting(m.Moment)}}
}

// OfTurn is the effect of an answer at post_turn.
func OfTurn(a hookpoints.PostTurnAnswer) (e engine.Effect) {
	if a.Messages != nil || a.Recipe != "" {
		e.Notes = append(e.Notes, "messages and recipe at post_turn have no effect in another agent: its conversation is "+
			"its own")
	}
	if a.Halt {
		e.Halt, e.HaltReason = true, a.Message
	}
	return e
}
