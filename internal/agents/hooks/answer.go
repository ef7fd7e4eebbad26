package hooks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// answerAt returns chibi's answer at a point for a hook's answer to a moment there, nil for no opinion. notes name
// the parts of the hook's answer that have no effect there.
func answerAt(d engine.Dialect, at hookpoints.Name, m engine.Moment, eff engine.Effect) (body json.RawMessage,
	notes []string) {
	a := &answer{at: at, notes: slices.Clone(eff.Notes), fields: map[string]any{}}
	a.set("system_message", eff.SystemMessage)
	switch at {
	case hookpoints.PreMessage.Name:
		a.refuse(eff)
		a.set("context", eff.Context)
		if eff.Prompt != nil {
			a.fields["prompt"] = *eff.Prompt
		}
	case hookpoints.PreSystemPrompt.Name:
		a.set("inject", eff.Context)
		a.ignore(eff.Halt || eff.Decision != "", "a denial, or the end of the turn,")
	case hookpoints.PreTool.Name:
		a.beforeTool(d, m, eff)
	case hookpoints.PreFileRead.Name, hookpoints.PreFileWrite.Name, hookpoints.PreShellExec.Name,
		hookpoints.PreFetchURL.Name, hookpoints.PreMCPCall.Name, hookpoints.PrePermission.Name:
		a.decide(eff)
	case hookpoints.PreToolOutput.Name:
		a.afterTool(eff)
	case hookpoints.PostTurn.Name, hookpoints.PostToolBatch.Name:
		a.halt(eff, eff.Decision == hookpoints.DecisionDeny)
		a.set("context", eff.Context)
	case hookpoints.PreStop.Name:
		a.goOn(eff)
	case hookpoints.PreCompact.Name, hookpoints.PreRollingCompact.Name:
		a.refuse(eff)
		a.ignore(eff.Context != "" || eff.Input != nil, "a text for the model, or a rewrite,")
	case hookpoints.PreSpawnAgent.Name:
		a.refuse(eff)
		if eff.Context != "" {
			a.fields["input"] = m.Text(engine.Task) + "\n\n" + eff.Context
		}
	case hookpoints.PreAPIRequest.Name:
		a.request(m, eff)
	case hookpoints.PreAPITools.Name:
		if eff.Include != nil {
			a.fields["include"] = d.OursOf(eff.Include)
		}
	default:
		a.observes(eff)
	}
	return a.body()
}

// request is the answer before a request. A hook cannot end the turn there.
func (a *answer) request(m engine.Moment, eff engine.Effect) {
	if eff.Request != nil {
		patch, notes := m.RequestPatch(eff)
		a.notes = append(a.notes, notes...)
		if patch != nil {
			a.fields["request_body"] = patch
		}
	}
	if eff.Halt || eff.Decision == hookpoints.DecisionDeny {
		a.notes = append(a.notes, fmt.Sprintf("a hook cannot refuse a request at %s; chibi sends it", a.at))
	}
}

// answer is an answer of chibi that is being put together.
type answer struct {
	at     hookpoints.Name
	fields map[string]any
	notes  []string
}

func (a *answer) body() (json.RawMessage, []string) {
	if len(a.fields) == 0 {
		return nil, a.notes
	}
	body, err := strictjson.Encode(a.fields)
	if err != nil {
		return nil, append(a.notes, fmt.Sprintf("chibi cannot pass its answer on: %v", err))
	}
	return body, a.notes
}

func (a *answer) set(field, text string) {
	if text != "" {
		a.fields[field] = text
	}
}

// ignore notes a part that has no effect, if the answer has it.
func (a *answer) ignore(is bool, what string) {
	if is {
		a.notes = append(a.notes, fmt.Sprintf("%s has no effect at %s", what, a.at))
	}
}

// refuse blocks for a denial, or halts.
func (a *answer) refuse(eff engine.Effect) {
	endsHere := eff.Halt && a.at == hookpoints.PreTool.Name // nothing runs then either
	if eff.Decision == hookpoints.DecisionDeny && !endsHere {
		a.fields["block"] = true
		a.set("message", eff.Reason)
		return
	}
	a.halt(eff, false)
}

// halt ends the turn if the effect says so, or if it denies something that has already happened here.
func (a *answer) halt(eff engine.Effect, denied bool) {
	switch {
	case eff.Halt && a.at != hookpoints.PreCompact.Name && a.at != hookpoints.PreRollingCompact.Name &&
		a.at != hookpoints.PreSpawnAgent.Name:
		a.fields["halt"] = true
		a.set("message", cmp.Or(eff.HaltReason, eff.Reason))
	case eff.Halt:
		a.fields["block"] = true
		a.set("message", cmp.Or(eff.HaltReason, eff.Reason))
	case denied:
		a.fields["halt"] = true
		a.set("message", eff.Reason)
	}
}

// decide is the answer of a permission point.
func (a *answer) decide(eff engine.Effect) {
	if eff.Decision != "" {
		a.fields["decision"] = eff.Decision
		a.set("reason", eff.Reason)
	}
	if eff.Halt && a.at == hookpoints.PrePermission.Name {
		a.fields["halt"] = true
		a.set("message", cmp.Or(eff.HaltReason, eff.Reason))
	}
	if eff.Input != nil {
		a.notes = append(a.notes, "its change of the arguments has no effect here: chibi has already decided about them")
	}
}

// beforeTool is the answer before a tool.
func (a *answer) beforeTool(d engine.Dialect, m engine.Moment, eff engine.Effect) {
	a.refuse(eff)
	if eff.Decision == hookpoints.DecisionAllow || eff.Decision == hookpoints.DecisionAsk {
		a.fields["decision"] = eff.Decision
		a.set("reason", eff.Reason)
	}
	a.set("context", eff.Context)
	if eff.Input == nil || eff.Decision == hookpoints.DecisionDeny {
		return
	}
	changed, call := rewritten(d, m, eff), engine.CallOf(d, m)
	arguments, before := m.Unpatched(changed), m.Values[engine.ToolInput]
	switch {
	case !engine.IsPatch(changed):
		var unknown []string
		arguments, unknown = d.Tools.Back(call, m.Unwrapped(d.MCPInput, changed))
		for _, name := range unknown {
			a.notes = append(a.notes, toolnames.NoArgument(name, call.Tool))
		}
	case arguments == nil:
		a.notes = append(a.notes, fmt.Sprintf("one call of %s cannot do what its patch does; it stays as it was", call.Tool))
		return
	}
	if arguments = asItWas(arguments, call, before); !bytes.Equal(arguments, before) {
		a.fields["arguments"] = arguments
	}
}

// asItWas returns arguments with the path as the model wrote it, if the hook did not change the path. Agents show
// absolute paths.
func asItWas(arguments json.RawMessage, shown toolnames.Call, before json.RawMessage) json.RawMessage {
	if shown.Subject == "" {
		return arguments
	}
	subject := gjson.Escape(shown.Subject)
	was := gjson.GetBytes(before, subject)
	if !was.Exists() || gjson.GetBytes(arguments, subject).Raw != gjson.GetBytes(shown.Arguments, subject).Raw {
		return arguments
	}
	restored, err := sjson.SetRawBytes(arguments, subject, []byte(was.Raw))
	if err != nil {
		return arguments
	}
	return restored
}

// rewritten returns all the arguments after a rewrite, in the agent's names.
func rewritten(d engine.Dialect, m engine.Moment, eff engine.Effect) json.RawMessage {
	if !eff.InputPatch {
		return eff.Input
	}
	_, input := d.There(m)
	return engine.Merged(input, eff.Input)
}

// afterTool is the answer at a tool's output.
func (a *answer) afterTool(eff engine.Effect) {
	a.halt(eff, false)
	if eff.Output != nil {
		a.fields["output"] = *eff.Output
	}
	context := eff.Context
	if eff.Decision == hookpoints.DecisionDeny {
		if eff.OutputReplaced {
			a.fields["output"] = eff.Reason
		} else {
			context = engine.Joined(eff.Reason, context)
		}
	}
	a.set("context", context)
}

// goOn is the answer where the turn is about to end: a denial makes it go on.
func (a *answer) goOn(eff engine.Effect) {
	switch {
	case eff.Halt: // it beats a denial
		a.halt(eff, false)
	case eff.Decision == hookpoints.DecisionDeny:
		a.fields["follow_up_messages"] = []string{engine.Joined(eff.Reason, eff.Context)}
	default:
		a.set("context", eff.Context)
	}
}

// observes turns an effect at a point without answers into notes.
func (a *answer) observes(eff engine.Effect) {
	if text, says := a.fields["system_message"]; says {
		delete(a.fields, "system_message")
		a.notes = append(a.notes, fmt.Sprint(text))
	}
	if eff.Decision != "" || eff.Halt || eff.Context != "" || eff.Input != nil || eff.Output != nil {
		a.notes = append(a.notes, fmt.Sprintf("its answer has no effect at %s", a.at))
	}
}
