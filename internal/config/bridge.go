package config

import "time"

// Bridge are the settings of the bridge to other agents.
type Bridge struct {
	// Lets the `allow` of a plugin or a rule count in the other agent, which then does not ask you. Without it, no
	// plugin approves anything there.
	Allow bool `toml:"allow"`
	// The agents whose hooks answer in the other agents too, see [BRIDGE.md](BRIDGE.md#hooks-of-other-agents): of
	// each, the hooks that `[foreign.AGENT]` turns on, else those in your settings files, and in the project's after
	// `chibi trust`. `[]`: none. An agent's own hooks run only in the agent.
	Foreign []string `toml:"foreign" check:"agents" unset:"those that [foreign] turns on"`
	// How long the [process of a session](BRIDGE.md#what-it-costs) stays after an event, as in `10m`; `0`: each event
	// starts its resident plugins. Not on Windows.
	Keep string `toml:"keep" check:"duration"`
}

func (b *Bridge) setDefaults() { b.Keep = "10m" }

// KeepFor returns how long the process of a session stays after an event; 0: there is none.
func (b Bridge) KeepFor() time.Duration { return durationOf(b.Keep) }
