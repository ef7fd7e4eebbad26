// Package agents lists the coding agents that chibi knows. For each it says which of chibi's points fire there, and
// how much of the plugins' answers the agent carries out.
//
// An agent is a package below this one: its table, its places, the forms that it alone has and its golden
// files. The package engine says what an agent is made of, settings reads its settings files, hooks runs its hooks
// here, and bridge runs chibi's plugins there.
package agents

import (
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/claude"
	"github.com/chibi-host/chibi/internal/agents/codex"
	"github.com/chibi-host/chibi/internal/agents/copilot"
	"github.com/chibi-host/chibi/internal/agents/crush"
	"github.com/chibi-host/chibi/internal/agents/cursor"
	"github.com/chibi-host/chibi/internal/agents/droid"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/gemini"
	"github.com/chibi-host/chibi/internal/agents/goose"
	"github.com/chibi-host/chibi/internal/agents/grok"
	"github.com/chibi-host/chibi/internal/agents/kimi"
	"github.com/chibi-host/chibi/internal/agents/opencode"
	"github.com/chibi-host/chibi/internal/agents/pi"
	"github.com/chibi-host/chibi/internal/agents/qwen"
)

// list lists all agents, in the order in which chibi asks their hooks. A new agent is a package and a line here.
func list() []engine.Agent {
	return []engine.Agent{
		claude.Agent(),
		codex.Agent(),
		copilot.Agent(),
		crush.Agent(),
		cursor.Agent(),
		droid.Agent(),
		gemini.Agent(),
		grok.Agent(),
		kimi.Agent(),
		qwen.Agent(),
	}
}

// alone lists the agents whose own hooks do not run in chibi. Most such hooks are functions in JavaScript.
func alone() []engine.Agent {
	return []engine.Agent{goose.Agent(), opencode.Kilo(), opencode.Agent(), pi.Agent()}
}

// bridges lists all agents in which chibi's plugins work, by their names.
func bridges() []engine.Agent {
	all := slices.Concat(list(), alone())
	slices.SortFunc(all, func(a, b engine.Agent) int { return strings.Compare(a.Names[0], b.Names[0]) })
	return all
}

// All returns the dialects of all agents whose hooks run in chibi, in the order in which chibi asks the hooks.
func All() []engine.Dialect { return dialects(list()) }

// Bridges returns the dialects of all agents in which chibi's plugins work, by their names.
func Bridges() []engine.Dialect { return dialects(bridges()) }

func dialects(list []engine.Agent) (all []engine.Dialect) {
	for _, a := range list {
		all = append(all, a.Dialect())
	}
	return all
}

// Names returns the names of the dialects of All, in that order.
func Names() []string { return names(list()) }

// BridgeNames returns the names of Bridges.
func BridgeNames() []string { return names(bridges()) }

func names(list []engine.Agent) (names []string) {
	for _, a := range list {
		names = append(names, a.Names[0])
	}
	return names
}

// NameOf returns the name of an agent whose hooks run in chibi by its name or an alias, such as "claude" for
// "claude-code".
func NameOf(name string) (string, bool) {
	for _, a := range list() {
		if slices.Contains(a.Names, name) {
			return a.Names[0], true
		}
	}
	return "", false
}

// ByName returns the dialect of an agent of Bridges by its name or an alias.
func ByName(name string) (engine.Dialect, bool) {
	for _, a := range bridges() {
		if slices.Contains(a.Names, name) {
			return a.Dialect(), true
		}
	}
	return engine.Dialect{}, false
}
