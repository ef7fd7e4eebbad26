package agents

import (
	"slices"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/tidwall/gjson"
)

// StartedBy returns the agent that has started a hook of another one: one that reads the other's settings
// too, if the payload is its own. It is known by the members of the payload, as variables are inherited
// from an agent around. false: nothing says that it was another one.
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
