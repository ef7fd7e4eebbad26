package kodelet

import (
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/tidwall/gjson"
)

// event is one of Kodelet's events.
type event struct {
	name  string
	point hookpoints.Name
	// fields are the fields of its result that have an effect.
	fields []string
}

// events lists the events that a hook can name.
func events() []event {
	return []event{
		{"before_tool_call", hookpoints.PreTool.Name, []string{"blocked", "reason", "input"}},
		{"after_tool_call", hookpoints.PreToolOutput.Name, []string{"output"}},
		{"user_message_send", hookpoints.PreMessage.Name, []string{"blocked", "reason"}},
		{"turn_end", hookpoints.PostTurn.Name, nil},
		{"after_turn", hookpoints.PostTurn.Name, []string{"result", "messages", "callback", "callback_args"}},
		{"agent_stop", hookpoints.PreStop.Name, []string{"result", "follow_up_messages", "messages",
			"callback", "callback_args"}},
	}
}

// Events lists the names of Kodelet's events, with the hook point of each.
func Events() map[string]hookpoints.Name {
	all := map[string]hookpoints.Name{}
	for _, e := range events() {
		all[e.name] = e.point
	}
	return all
}

func findEvent(name string) (event, bool) {
	for _, e := range events() {
		if e.name == name {
			return e, true
		}
	}
	return event{}, false
}

// skips returns why the event does not fire for a payload, "" if it does: turn_end
// fires only for responses with text.
func (e event) skips(payload []byte) string {
	if e.name == "turn_end" && strings.TrimSpace(gjson.GetBytes(payload, "response").String()) == "" {
		return "the response had no text"
	}
	return ""
}
