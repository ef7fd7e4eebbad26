package config

import (
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/hookpoints"
)

// plugins is the [plugins] table: keys of its own and one table for each
// plugin.
type plugins struct {
	ProbeTimeoutMS *int
	HookTimeoutMS  *int
	ToolTimeoutMS  *int
	AskTimeoutMS   *int
	AllowLinks     []string
	RawStderr      *bool
	HideKey        *bool

	MaxToolOutputBytes *int

	ByName map[string]onePlugin
}

// onePlugin is a [plugins.NAME] table.
type onePlugin struct {
	TimeoutMS *int    `toml:"timeout_ms"`
	OnFailure *string `toml:"on_failure"`
	Enabled   *bool   `toml:"enabled"`
	HideKey   *bool   `toml:"hide_key"`
	Stdin     *string `toml:"stdin"`

	Hooks map[string]oneHook `toml:"hooks"`
}

// oneHook is a [plugins.NAME.hooks.POINT] table.
type oneHook struct {
	TimeoutMS *int    `toml:"timeout_ms"`
	OnFailure *string `toml:"on_failure"`
}

// pluginKeys are the keys of [plugins] that are not plugins.
type pluginKeys struct {
	ProbeTimeoutMS *int     `toml:"probe_timeout_ms"`
	HookTimeoutMS  *int     `toml:"hook_timeout_ms"`
	ToolTimeoutMS  *int     `toml:"tool_timeout_ms"`
	AskTimeoutMS   *int     `toml:"ask_timeout_ms"`
	AllowLinks     []string `toml:"allow_links"`
	RawStderr      *bool    `toml:"raw_stderr"`
	HideKey        *bool    `toml:"hide_key"`

	MaxToolOutputBytes *int `toml:"max_tool_output_bytes"`
}

func (p plugins) resolve() Plugins {
	resolved := Plugins{
		ProbeTimeoutMS: *p.ProbeTimeoutMS,
		HookTimeoutMS:  *p.HookTimeoutMS,
		ToolTimeoutMS:  *p.ToolTimeoutMS,
		AskTimeoutMS:   *p.AskTimeoutMS,

		MaxToolOutputBytes: *p.MaxToolOutputBytes,

		AllowLinks: p.AllowLinks,
		RawStderr:  or(p.RawStderr, false),
		HideKey:    or(p.HideKey, false),
		ByName:     map[string]Plugin{},
	}
	for name, one := range p.ByName {
		resolved.ByName[name] = Plugin{
			TimeoutMS: or(one.TimeoutMS, 0), OnFailure: or(one.OnFailure, ""), Enabled: or(one.Enabled, true),
			HideKey: one.HideKey, Stdin: or(one.Stdin, ""), Hooks: map[hookpoints.Name]Hook{},
		}
		for point, hook := range one.Hooks {
			resolved.ByName[name].Hooks[hookpoints.Name(point)] = Hook{
				TimeoutMS: or(hook.TimeoutMS, 0), OnFailure: or(hook.OnFailure, ""),
			}
		}
	}
	return resolved
}

// validate refuses settings of single plugins that no one could mean.
func (p plugins) validate() (key string, err error) {
	for name, one := range p.ByName {
		if f := or(one.OnFailure, "ignore"); !isFailure(f) {
			return "on_failure", fmt.Errorf("on_failure of plugin %q is %q; want \"ignore\" or \"block\"", name, f)
		}
		if t := or(one.TimeoutMS, 1); t <= 0 {
			return "timeout_ms", fmt.Errorf("timeout_ms of plugin %q is %d; want a number above 0", name, t)
		}
		if in := or(one.Stdin, "data"); in != "data" && in != "inherit" {
			return "stdin", fmt.Errorf("stdin of plugin %q is %q; want \"data\" or \"inherit\"", name, in)
		}
		for point, hook := range one.Hooks {
			if key, err := hook.validate(point); err != nil {
				return key, fmt.Errorf("[plugins.%s.hooks.%s]: %w", name, point, err)
			}
		}
	}
	return "", nil
}

// validate refuses settings of one hook that no one could mean. Kode's hooks are
// the only ones whose failure means something where a run starts.
func (h oneHook) validate(point string) (key string, err error) {
	info, known := hookpoints.Find(hookpoints.Name(point))
	failure := or(h.OnFailure, "ignore")
	switch {
	case !known:
		text := fmt.Sprintf("there is no hook point %q", point)
		if near := nearest(point, pointNames()); near != "" {
			text += fmt.Sprintf(" (did you mean %q?)", near)
		}
		return point, errors.New(text + "; chibi hook list names them all")
	case !isFailure(failure):
		return "on_failure", fmt.Errorf("on_failure is %q; want \"ignore\" or \"block\"", failure)
	case failure == "block" && !info.CanBlock() && info.Name != hookpoints.OnStart.Name:
		return "on_failure", fmt.Errorf("on_failure is \"block\", but nothing can be blocked at %s", point)
	case or(h.TimeoutMS, 1) <= 0:
		return "timeout_ms", fmt.Errorf("timeout_ms is %d; want a number above 0", *h.TimeoutMS)
	}
	return "", nil
}

func isFailure(text string) bool { return text == "ignore" || text == "block" }

// pointNames lists the hook points.
func pointNames() (names []string) {
	for _, info := range hookpoints.All() {
		names = append(names, string(info.Name))
	}
	return names
}
