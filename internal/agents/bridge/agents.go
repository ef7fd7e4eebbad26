package bridge

import (
	"slices"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/plugin"
)

// AgentsOf lists the agents that have entries of a home in the person's settings or in the current project's. It
// skips settings that it cannot read; [Installer.FindAll] says why it cannot.
func AgentsOf(home string) (list []engine.Dialect) {
	i, err := NewInstaller(home)
	if err != nil {
		return nil
	}
	found, _ := i.FindAll()
	for _, f := range found {
		isListed := func(d engine.Dialect) bool { return d.Name == f.Agent.Name }
		if f.Own && !slices.ContainsFunc(list, isListed) {
			list = append(list, f.Agent)
		}
	}
	return list
}

// AskedIn lists the plugins of a session that chibi asks in another agent. The hooks of agents among them are the
// hooks that it asks there, not those that it asks here.
func AskedIn(plugins []plugin.Plugin, hooks theirs.Options) []plugin.Plugin {
	asked := slices.DeleteFunc(slices.Clone(plugins), func(p plugin.Plugin) bool {
		_, isHook := agents.NameOf(p.Origin.Protocol)
		return isHook
	})
	return append(asked, theirs.Load(hooks).Plugins...)
}

// Loss says which part of a plugin has no effect in an agent.
type Loss struct {
	Plugin string `json:"plugin"`
	Text   string `json:"text"`
}

// LossesIn lists the plugins that have a part without effect in an agent.
func LossesIn(d engine.Dialect, plugins []plugin.Plugin) (list []Loss) {
	for _, p := range plugins {
		if text := (agents.Bridged{Dialect: d}).Loses(&p); text != "" && p.Origin.Protocol != app.BuiltIn {
			list = append(list, Loss{p.Name, text})
		}
	}
	return list
}
