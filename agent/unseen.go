package agent

import (
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// UnseenBy describes a tool that the guards and rules of an agent do not see although it seems to
// do what they are about; false if it is none.
func UnseenBy(a *Agent, spec tools.Spec) (plugin.Unseen, bool) {
	var rules func(tools.Spec, tools.Category) []string
	if a.Gate != nil {
		rules = a.Gate.WouldJudge
	}
	return a.Host.Unseen(spec, rules)
}

// sayUnseen tells the person at the first call of such a tool in a run.
func sayUnseen(a *Agent, spec tools.Spec) {
	if _, isKnown := a.schemas.known[spec.Name]; isKnown {
		return
	}
	if unseen, ok := UnseenBy(a, spec); ok {
		outermost(a).Output.notice("%v %v; to see what to do: chibi plugin check %s", spec, unseen, spec.Owner)
	}
}
