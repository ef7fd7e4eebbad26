package kodelet

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/toolnames"
)

// codec implements Kodelet's protocol for one hook.
type codec struct {
	opts  Options
	file  executable
	event event
}

// base are the fields of every payload, in Kodelet's order.
type base struct {
	Event      string `json:"event"`
	ConvID     string `json:"conv_id"`
	CWD        string `json:"cwd"`
	InvokedBy  string `json:"invoked_by"`
	RecipeName string `json:"recipe_name,omitempty"`
}

// usage counts tokens.
type usage struct {
	InputTokens          int `json:"input_tokens"`
	OutputTokens         int `json:"output_tokens"`
	CurrentContextWindow int `json:"current_context_window"`
	MaxContextWindow     int `json:"max_context_window"`
}

// compaction are the fields about compaction that two events have.
type compaction struct {
	InvokedRecipe        string  `json:"invoked_recipe"`
	AutoCompactEnabled   bool    `json:"auto_compact_enabled"`
	AutoCompactThreshold float64 `json:"auto_compact_threshold,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Encode passes the payload on standard input of `exe run`.
func (c codec) Encode(ev plugin.Event) (process.Command, error) {
	payload, err := c.payload(ev)
	if err != nil {
		return process.Command{}, fmt.Errorf("payload of %s: %w", c.event.name, err)
	}
	return process.Command{Path: c.file.path, Args: []string{"run"}, Env: c.file.env,
		Check: c.file.check, Stdin: payload}, nil
}

// payload is the event's JSON as Kodelet sends it.
func (c codec) payload(ev plugin.Event) ([]byte, error) {
	switch c.event.name {
	case "before_tool_call":
		return plugin.Translate(ev, func(p hookpoints.PreToolPayload) any {
			name, input := toolnames.Kodelet().There(toolnames.CallOf(p))
			return struct {
				base
				ToolName   string          `json:"tool_name"`
				ToolInput  json.RawMessage `json:"tool_input"`
				ToolUserID string          `json:"tool_user_id"`
			}{c.base(p.Recipe, p.Nested), name, input, p.ToolCallID}
		})
	case "after_tool_call":
		return plugin.Translate(ev, func(p hookpoints.PreToolOutputPayload) any {
			p.ToolName, p.Arguments = toolnames.Kodelet().There(toolnames.Ended(p))
			return struct {
				base
				ToolName   string          `json:"tool_name"`
				ToolInput  json.RawMessage `json:"tool_input"`
				ToolOutput toolOutput      `json:"tool_output"`
				ToolUserID string          `json:"tool_user_id"`
			}{c.base(p.Recipe, p.Nested), p.ToolName, p.Arguments, c.toolOutput(p, time.Now()), p.ToolCallID}
		})
	case "user_message_send":
		return plugin.Translate(ev, func(p hookpoints.PreMessagePayload) any {
			return struct {
				base
				Message string `json:"message"`
			}{c.base(p.Recipe, p.Nested), p.Prompt}
		})
	case "turn_end":
		return plugin.Translate(ev, func(p hookpoints.PostTurnPayload) any {
			return struct {
				base
				Response   string `json:"response"`
				TurnNumber int    `json:"turn_number"`
			}{c.base(p.Recipe, p.Nested), p.Response, p.TurnNumber}
		})
	case "after_turn":
		return plugin.Translate(ev, func(p hookpoints.PostTurnPayload) any {
			return struct {
				base
				TurnNumber int   `json:"turn_number"`
				ToolsUsed  bool  `json:"tools_used"`
				Usage      usage `json:"usage"`
				compaction
				LastAssistantContent string `json:"last_assistant_content,omitempty"`
			}{c.base(p.Recipe, p.Nested), p.TurnNumber, len(p.ToolsUsed) > 0, usage(p.Usage), c.compaction(p.Recipe), p.Response}
		})
	}
	return plugin.Translate(ev, func(p hookpoints.PreStopPayload) any {
		return struct {
			base
			Messages []message `json:"messages"`
			Usage    usage     `json:"usage"`
			compaction
			FollowUps int `json:"follow_ups"` // added by chibi, so that a hook can stop adding follow-ups
		}{c.base(p.Recipe, p.Nested), messages(p.Messages), usage(p.Usage), c.compaction(p.Recipe), p.FollowUps}
	})
}

func (c codec) base(recipe string, nested bool) base {
	by := "main"
	if nested {
		by = "subagent"
	}
	return base{Event: c.event.name, ConvID: c.opts.Conversation, CWD: c.opts.Dir, InvokedBy: by, RecipeName: recipe}
}

func (c codec) compaction(recipe string) compaction {
	return compaction{recipe, c.opts.AutoCompact, c.opts.Threshold}
}

// messages converts a conversation to the two roles that Kodelet documents: tool calls
// and their results become text of the assistant.
func messages(list []hookpoints.ChatMessage) []message {
	told := []message{}
	for _, m := range list {
		if m.Role == "tool" {
			told = append(told, message{"assistant", "Tool result:\n" + m.Content})
			continue
		}
		text := m.Content
		for _, call := range m.ToolCalls {
			if text != "" {
				text += "\n"
			}
			text += fmt.Sprintf("Using tool: %s with input: %s", call.Name, call.Arguments)
		}
		told = append(told, message{m.Role, text})
	}
	return told
}
