package agents

import (
	"slices"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/tidwall/gjson"
)

// StartedBy returns the agent that has started a hook of another agent because it also reads the other's settings.
// It recognizes the agent by the members of the payload, because a process inherits variables from an agent around
// it. false: nothing points to a different agent.
func StartedBy(name string, payload []byte) (by engine.Agent, how engine.Start, found bool) {
	var members []string
	for _, a := range list() {
		for _, start := range a.Starts {
			if start.Agent != name {
				continue
			}
			if members == nil {
				members = membersOf(payload)
			}
			if slices.ContainsFunc(start.Marks, func(m engine.Mark) bool { return m.Fits(members) }) {
				return a, start, true
			}
		}
	}
	return by, how, false
}

// membersOf lists the members at the top of a payload.
func membersOf(payload []byte) []string {
	members := []string{}
	if all := gjson.ParseBytes(payload); all.IsObject() {
		all.ForEach(func(name, _ gjson.Result) bool {
			members = append(members, name.Str)
			return true
		})
	}
	return members
}
