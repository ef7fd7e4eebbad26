package kodelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/tidwall/gjson"
)

// result holds the fields of the results of all events. As with Kodelet, names may be
// written in upper or lower case, and an absent or null field means no change.
type result struct {
	Blocked          bool              `json:"blocked"`
	Reason           string            `json:"reason"`
	Input            json.RawMessage   `json:"input"`
	Output           json.RawMessage   `json:"output"`
	Result           string            `json:"result"`
	FollowUpMessages []string          `json:"follow_up_messages"`
	Messages         []message         `json:"messages"`
	Callback         string            `json:"callback"`
	CallbackArgs     map[string]string `json:"callback_args"`
}

// Decode reads the result: one JSON object, or no output.
func (c codec) Decode(ev plugin.Event, out process.Outcome) (plugin.Answer, error) {
	if err := out.Err(); err != nil {
		return plugin.Answer{}, err
	}
	body := strictjson.Trim(out.Stdout)
	if len(body) == 0 {
		return plugin.Answer{}, nil
	}
	err := strictjson.Check(body)
	if errors.Is(err, strictjson.ErrDepth) {
		return plugin.Answer{Unreadable: "its result cannot be read: " + err.Error()}, nil
	}
	if err != nil {
		return plugin.Answer{Unreadable: fmt.Sprintf("its result is not JSON: it begins with %.60q", body)}, nil
	}
	var r result
	if body[0] != '{' {
		return plugin.Answer{Unreadable: "its result is not a JSON object"}, nil
	}
	if err := strictjson.Decode(c.filterFields(body), &r); err != nil {
		return plugin.Answer{Unreadable: "its result has a field of the wrong type: " + err.Error()}, nil
	}
	answer, notes := c.answer(ev, r)
	misplaced := c.misplaced(body)
	if info, _ := hookpoints.Find(c.event.point); info.CanBlock() {
		answer.Doubt = strings.Join(append(misplaced, c.unknown(body)...), "; ")
		misplaced = nil
	}
	for _, text := range misplaced {
		answer.Notes = append(answer.Notes, text+"; ignored")
	}
	answer.Notes = append(answer.Notes, notes...)
	return answer, nil
}

// filterFields returns a result with only the fields of the hook's event, in lower
// case. Like Kodelet, it ignores other fields whatever their type, accepts names in any
// case, uses the last of several equal names and treats null as absent.
func (c codec) filterFields(body []byte) []byte {
	fields := map[string]json.RawMessage{}
	gjson.ParseBytes(body).ForEach(func(key, value gjson.Result) bool {
		if name := strings.ToLower(key.String()); value.Type != gjson.Null && slices.Contains(c.event.fields, name) {
			fields[name] = json.RawMessage(value.Raw)
		}
		return true
	})
	kept, err := plugin.JSON(fields)
	if err != nil {
		return body
	}
	return kept
}

// answer translates a result to the answer of our hook point, with notes about it.
func (c codec) answer(ev plugin.Event, r result) (plugin.Answer, []string) {
	switch c.event.name {
	case "before_tool_call":
		arguments, notes := toolnames.Kodelet().Rewritten(ev.Payload, omitNull(r.Input))
		return encodeAnswer(hookpoints.PreToolAnswer{Block: r.Blocked, Message: reason(r), Arguments: arguments}), notes
	case "user_message_send":
		return encodeAnswer(hookpoints.PreMessageAnswer{Block: r.Blocked, Message: reason(r)}), nil
	case "after_tool_call":
		return c.output(ev, r)
	case "after_turn":
		messages, recipe, notes := r.reworked()
		return encodeAnswer(hookpoints.PostTurnAnswer{
			Messages: messages, Recipe: recipe, RecipeArgs: argsOf(recipe, r),
		}), notes
	case "agent_stop":
		messages, recipe, notes := r.reworked()
		return encodeAnswer(hookpoints.PreStopAnswer{
			FollowUpMessages: r.FollowUpMessages, Messages: messages, Recipe: recipe, RecipeArgs: argsOf(recipe, r),
		}), notes
	}
	return plugin.Answer{}, nil
}

// output translates the result of after_tool_call.
func (c codec) output(ev plugin.Event, r result) (plugin.Answer, []string) {
	changed := omitNull(r.Output)
	if changed == nil {
		return plugin.Answer{}, nil
	}
	var p hookpoints.PreToolOutputPayload
	if err := strictjson.Decode(ev.Payload, &p); err != nil {
		return plugin.Answer{}, []string{"the payload cannot be read: " + err.Error()}
	}
	var notes []string
	if !gjson.ParseBytes(changed).IsObject() {
		return plugin.Answer{}, []string{`its "output" is not an object like tool_output; ignored`}
	}
	p.ToolName, p.Arguments = toolnames.Kodelet().There(toolnames.Ended(p))
	sent := c.toolOutput(p, time.Time{})
	text, ok := changedText(changed, p, sent)
	if names := noEffect(changed, sent); len(names) > 0 {
		notes = append(notes, fmt.Sprintf("it changed %s, which has no effect here: the model sees metadata.output, or error",
			strings.Join(names, ", ")))
	}
	if !ok {
		return plugin.Answer{}, notes
	}
	if p.Truncated {
		notes = append(notes, "the hook saw only the beginning of the output; what it returned replaces the whole output")
	}
	return encodeAnswer(hookpoints.PreToolOutputAnswer{Output: &text}), notes
}

// reworked returns what a result changes in the conversation: new messages or a recipe.
func (r result) reworked() (list []hookpoints.ChatMessage, recipe string, notes []string) {
	switch r.Result {
	case "mutate":
		for _, m := range r.Messages {
			list = append(list, hookpoints.ChatMessage{Role: m.Role, Content: m.Content})
		}
		if len(list) == 0 {
			notes = append(notes, `"mutate" lacks "messages"; ignored`)
		}
	case "callback":
		if recipe = r.Callback; recipe == "" {
			notes = append(notes, `"callback" does not name a recipe; ignored`)
		}
	case "", "continue":
	default:
		notes = append(notes, fmt.Sprintf(`unknown result %q; want "continue", "mutate" or "callback"`, r.Result))
	}
	if r.Messages != nil && r.Result != "mutate" {
		notes = append(notes, `"messages" has an effect only with "result": "mutate"; ignored`)
	}
	if r.Callback != "" && r.Result != "callback" {
		notes = append(notes, `"callback" has an effect only with "result": "callback"; ignored`)
	}
	return list, recipe, notes
}

func argsOf(recipe string, r result) map[string]string {
	if recipe == "" {
		return nil
	}
	return r.CallbackArgs
}

// misplaced returns a note for each field that belongs to the result of another event.
func (c codec) misplaced(body []byte) (notes []string) {
	for _, name := range c.foreign(body) {
		if isField(name) {
			notes = append(notes, fmt.Sprintf("%s has no %q", c.event.name, strings.ToLower(name)))
		}
	}
	return notes
}

// unknown returns a note about the fields that no event has. Kodelet ignores them.
func (c codec) unknown(body []byte) []string {
	names := slices.DeleteFunc(c.foreign(body), isField)
	if len(names) == 0 {
		return nil
	}
	return []string{plugin.UnknownFields(c.event.name, names, c.event.fields)}
}

// maxForeign bounds how many fields that are not the event's are named.
const maxForeign = 10

// foreign lists the fields of a result that are not the event's. Null and false do
// not count: they mean the same as an absent field.
func (c codec) foreign(body []byte) (names []string) {
	gjson.ParseBytes(body).ForEach(func(key, value gjson.Result) bool {
		isNothing := value.Type == gjson.Null || value.Type == gjson.False
		if !isNothing && !slices.Contains(c.event.fields, strings.ToLower(key.String())) {
			names = append(names, key.String())
		}
		return len(names) < maxForeign
	})
	return names
}

// isField reports whether an event's result has a field of this name, in any case.
func isField(name string) bool {
	return slices.ContainsFunc(events(), func(e event) bool { return slices.Contains(e.fields, strings.ToLower(name)) })
}

// reason returns why a hook blocks.
func reason(r result) string {
	if !r.Blocked {
		return ""
	}
	return r.Reason
}

// omitNull returns a value, or nil if it is absent or null.
func omitNull(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// encodeAnswer encodes the answer struct of a hook point.
func encodeAnswer(answer any) plugin.Answer {
	body, err := plugin.JSON(answer)
	if err != nil {
		return plugin.Answer{Unreadable: err.Error()}
	}
	return plugin.Answer{Body: body}
}
