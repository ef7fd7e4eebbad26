package config

import "fmt"

// plugins is the [plugins] table: keys of its own and one table for each
// plugin.
type plugins struct {
	ProbeTimeoutMS *int
	HookTimeoutMS  *int
	ToolTimeoutMS  *int
	AllowLinks     []string
	ByName         map[string]onePlugin
}

// onePlugin is a [plugins.NAME] table.
type onePlugin struct {
	TimeoutMS *int    `toml:"timeout_ms"`
	OnFailure *string `toml:"on_failure"`
	Enabled   *bool   `toml:"enabled"`
}

// pluginKeys are the keys of [plugins] that are not plugins.
type pluginKeys struct {
	ProbeTimeoutMS *int     `toml:"probe_timeout_ms"`
	HookTimeoutMS  *int     `toml:"hook_timeout_ms"`
	ToolTimeoutMS  *int     `toml:"tool_timeout_ms"`
	AllowLinks     []string `toml:"allow_links"`
}

func (p plugins) resolve() Plugins {
	resolved := Plugins{
		ProbeTimeoutMS: or(p.ProbeTimeoutMS, 5_000),
		HookTimeoutMS:  or(p.HookTimeoutMS, 30_000),
		ToolTimeoutMS:  or(p.ToolTimeoutMS, 600_000),
		AllowLinks:     p.AllowLinks,
		ByName:         map[string]Plugin{},
	}
	for name, one := range p.ByName {
		resolved.ByName[name] = Plugin{
			TimeoutMS: or(one.TimeoutMS, 0), OnFailure: or(one.OnFailure, ""), Enabled: or(one.Enabled, true),
		}
	}
	return resolved
}

// validate refuses values that no one could mean.
func (l layer) validate() (key string, err error) {
	positive := []struct {
		key   string
		value *int
	}{
		{"plugins.probe_timeout_ms", l.Plugins.ProbeTimeoutMS},
		{"plugins.hook_timeout_ms", l.Plugins.HookTimeoutMS},
		{"plugins.tool_timeout_ms", l.Plugins.ToolTimeoutMS},
		{"max_recursion_depth", l.MaxRecursionDepth},
		{"max_tool_rounds", l.MaxToolRounds},
		{"max_calls_per_response", l.MaxCallsPerResponse},
		{"max_follow_ups", l.MaxFollowUps},
		{"request_idle_timeout_ms", l.RequestIdleTimeoutMS},
	}
	for _, p := range positive {
		if p.value != nil && *p.value <= 0 {
			return p.key, fmt.Errorf("%s is %d; want a number above 0", p.key, *p.value)
		}
	}
	for name, one := range l.Plugins.ByName {
		if f := or(one.OnFailure, "ignore"); f != "ignore" && f != "block" {
			return "on_failure", fmt.Errorf("on_failure of plugin %q is %q; want \"ignore\" or \"block\"", name, f)
		}
		if t := or(one.TimeoutMS, 1); t <= 0 {
			return "timeout_ms", fmt.Errorf("timeout_ms of plugin %q is %d; want a number above 0", name, t)
		}
	}
	return "", nil
}
