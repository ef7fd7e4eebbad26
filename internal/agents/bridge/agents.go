package bridge

import (
	"slices"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/plugin"
)

// AgentsOf lists the agents that have entries of a home, in the person's settings or in those of the
// current project. Settings that cannot be read have none: [Installer.FindAll] says why.
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

// Loss is what of a plugin has no effect in an agent.
type Loss struct {
	Plugin string `json:"plugin"`
	Text   string `json:"text"`
}

// LossesIn lists the plugins of a session of which something has no effect in an agent.
func LossesIn(d engine.Dialect, plugins []plugin.Plugin) (list []Loss) {
	for _, p := range plugins {
		if text := (engine.Bridged{Dialect: d}).Loses(&p); text != "" && p.Origin.Protocol != app.BuiltIn {
			list = append(list, Loss{p.Name, text})
		}
	}
	return list
}
