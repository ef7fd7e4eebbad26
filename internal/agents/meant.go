package agents

import (
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
)

// Meant returns the hook points for an agent's name of an event that somebody wrote in place of a point's name, nil
// if no agent has such an event. The spelling does not matter: PreToolUse is preToolUse is pre_tool_use.
func Meant(event string) (points []hookpoints.Name) {
	event = plainName(event)
	for _, d := range All() {
		for _, e := range d.Events {
			if plainName(e.Name) != event {
				continue
			}
			for _, at := range meantBy(e.Kind) {
				if !slices.Contains(points, at) {
					points = append(points, at)
				}
			}
		}
	}
	if points == nil {
		return meantByOthers(event)
	}
	return points
}

// meantBy returns the points of a kind. A hook at the start of a session becomes one at the start of a run, whose
// answers have no effect here.
func meantBy(k engine.Kind) []hookpoints.Name {
	if k == engine.SessionStart {
		return []hookpoints.Name{hookpoints.OnStart.Name}
	}
	return engine.PointsOf(k)
}

// meantByOthers knows the names of agents that have no table, as plainName writes them.
func meantByOthers(event string) []hookpoints.Name {
	at, known := map[string]hookpoints.Name{
		"agentspawn": hookpoints.OnStart.Name, "taskstart": hookpoints.OnStart.Name,
		"sessionshutdown": hookpoints.OnEnd.Name, "promptsubmit": hookpoints.PreMessage.Name,
		"preuserprompt": hookpoints.PreMessage.Name, "preinvocation": hookpoints.PreAPIRequest.Name,
		"toolcall": hookpoints.PreTool.Name, "toolexecutebefore": hookpoints.PreTool.Name,
		"toolresult": hookpoints.PreToolOutput.Name, "toolexecuteafter": hookpoints.PreToolOutput.Name,
		"preruncommand": hookpoints.PreShellExec.Name, "prereadcode": hookpoints.PreFileRead.Name,
		"prewritecode": hookpoints.PreFileWrite.Name, "premcptooluse": hookpoints.PreMCPCall.Name,
		"postruncommand": hookpoints.PreToolOutput.Name, "postwritecode": hookpoints.PreToolOutput.Name,
	}[event]
	if !known {
		return nil
	}
	return []hookpoints.Name{at}
}

// plainName returns a name of an event in lower case and without separators of words, so that all its spellings are
// the same.
func plainName(event string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(event))
}
