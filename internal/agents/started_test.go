package agents_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// StartedBy recognizes the payload of an agent that reads the settings of the entry's agent, and never as a third
// agent's. The payloads of the entry's agent stay its own.
func TestWhoHasStartedAHookIsSeenByThePayload(t *testing.T) {
	all := agents.All()
	for _, entry := range all {
		for _, starter := range all {
			reads := slices.ContainsFunc(starter.Reads, func(r engine.Reading) bool { return r.Agent == entry.Name })
			want := entry.Name
			if reads {
				want = starter.Name
			}
			for name, payload := range agentOf(t, starter).captured {
				got := entry.Name
				if by, _, found := agents.StartedBy(entry.Name, []byte(payload)); found {
					got = by.Names[0]
				}
				if got != want {
					t.Errorf("%s: %s of %s is known as %s's, want %s's", entry.Name, name, starter.Name, got, want)
				}
			}
		}
	}
}

// A text that is not a payload says nothing. A member counts only at the top: a model writes below it.
func TestAPayloadThatLiesAboutWhoseItIs(t *testing.T) {
	for _, payload := range []string{"", "[]", "null", `["hookEventName","hook_event_name","sessionId","session_id"]`,
		`{"session_id":"s","transcript_path":"t","tool_input":{"hookEventName":1,"hook_event_name":1,"sessionId":1,` +
			`"session_id":1,"cursor_version":1,"conversation_id":1,"timestamp":1}}`,
		`{"session_id":"s","transcript_path":"t","tool_input":"\",\"sessionId\":1,\"hookEventName\":1,\"` +
			`hook_event_name\":1,\"cursor_version\":1,\"conversation_id\":\""}`,
		strings.Repeat("[", 5000), `{"session_id":`} {
		if by, _, found := agents.StartedBy("claude", []byte(payload)); found {
			t.Errorf("%.60s is known as %s's", payload, by.Names[0])
		}
	}
}
