package config

// plugins is the [plugins] table: keys of its own and one table for each
// plugin.
type plugins struct {
	ProbeTimeoutMS *int
	HookTimeoutMS  *int
	ToolTimeoutMS  *int
	AllowLinks     []string

	MaxToolOutputBytes *int

	ByName map[string]onePlugin
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

	MaxToolOutputBytes *int `toml:"max_tool_output_bytes"`
}

func (p plugins) resolve() Plugins {
	resolved := Plugins{
		ProbeTimeoutMS: *p.ProbeTimeoutMS,
		HookTimeoutMS:  *p.HookTimeoutMS,
		ToolTimeoutMS:  *p.ToolTimeoutMS,

		MaxToolOutputBytes: *p.MaxToolOutputBytes,

		AllowLinks: p.AllowLinks,
		ByName:     map[string]Plugin{},
	}
	for name, one := range p.ByName {
		resolved.ByName[name] = Plugin{
			TimeoutMS: or(one.TimeoutMS, 0), OnFailure: or(one.OnFailure, ""), Enabled: or(one.Enabled, true),
		}
	}
	return resolved
}
