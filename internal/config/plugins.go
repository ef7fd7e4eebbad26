package config

import (
	"math"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin/kode"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// Plugins says how plugins are run. Times are in milliseconds.
type Plugins struct {
	// Time for `--schema`, and for `hook` of Kodelet's hooks; one that takes longer is
	// [left out for 10 minutes](PLUGINS.md#how-it-is-run), or until this is raised.
	ProbeTimeoutMS int `toml:"probe_timeout_ms" min:"1"`
	// Time for a hook.
	HookTimeoutMS int `toml:"hook_timeout_ms" min:"1"`
	// Time for a tool.
	ToolTimeoutMS int `toml:"tool_timeout_ms" min:"1"`
	// How long a plugin that asks at `/dev/tty` may have the terminal, if its own time is not longer.
	AskTimeoutMS int `toml:"ask_timeout_ms" min:"1"`
	// How much a plugin's tool may print; one that prints more is ended there, and what it printed is kept.
	MaxToolOutputBytes int `toml:"max_tool_output_bytes" min:"1"`
	// Files and directories outside the plugins directory that links in it may lead to.
	AllowLinks []string `toml:"allow_links" unset:"none"`
	// What plugins write to standard error reaches the terminal as it is; else colours, newlines, tabs and progress
	// lines stay and all other control sequences go.
	RawStderr bool `toml:"raw_stderr"`
	// Plugins do not get the model's key: not `CHIBI_API_KEY`, the provider's variable or another that holds it.
	HideKey bool `toml:"hide_key"`
	// ByName are settings for single plugins.
	ByName map[string]Plugin `toml:"*" name:"NAME"`
}

func (p *Plugins) setDefaults() {
	*p = Plugins{
		ProbeTimeoutMS: ms(native.DefaultProbeTimeout), HookTimeoutMS: ms(oneshot.DefaultTimeout),
		ToolTimeoutMS: ms(native.DefaultToolTimeout), AskTimeoutMS: ms(process.DefaultPatience),
		MaxToolOutputBytes: min(native.DefaultMaxToolOutput, math.MaxInt), ByName: map[string]Plugin{},
	}
}

// Plugin are the settings of one plugin.
type Plugin struct {
	// `false` leaves the plugin out.
	Enabled bool `toml:"enabled"`
	// As `plugins.hide_key`, for this plugin.
	HideKey *bool `toml:"hide_key" unset:"plugins.hide_key"`
	// Time for this plugin's hooks and tools.
	TimeoutMS int `toml:"timeout_ms" min:"1" unset:"the plugin's"`
	// `inherit`: the terminal is the standard input of this plugin's hooks and tools, see
	// [PLUGINS.md](PLUGINS.md#asking-the-person); `data`: it is not.
	Stdin string `toml:"stdin" oneof:"data inherit" unset:"the plugin's"`
	// `ignore` or `block`: what its failure means where it can block. With `block` no prompt is answered and no tool
	// called while the plugin is not there, whatever the reason.
	OnFailure string `toml:"on_failure" oneof:"ignore block" unset:"the plugin's"`
	// Hooks are settings for single hook points, which beat the above.
	Hooks map[hookpoints.Name]Hook `toml:"hooks" name:"POINT"`
}

func (p *Plugin) setDefaults() { *p = Plugin{Enabled: true, Hooks: map[hookpoints.Name]Hook{}} }

// Hook are the settings of one plugin at one hook point.
type Hook struct {
	// Time for one hook of the plugin, such as `[plugins.guard.hooks.pre_tool]`; beats the above.
	TimeoutMS int `toml:"timeout_ms" min:"1" unset:"the plugin's"`
	// What the plugin's failure means at this hook; beats the above.
	OnFailure string `toml:"on_failure" oneof:"ignore block" check:"point" unset:"the plugin's"`
}

// Kode are hooks in Kode's way.
type Kode struct {
	// Hooks are the [[kode.hooks.EVENT]] entries of each event. As with other lists,
	// a later source replaces an event's list.
	Hooks map[string][]KodeHook `toml:"hooks" name:"EVENT"`
}

// KodeHook is one [[kode.hooks.EVENT]] entry.
type KodeHook struct {
	// Event is Kode's name of the event.
	Event string
	// A program that is asked in Kode's way, see [MIGRATING.md](MIGRATING.md#from-kode). `[[kode.hooks.EVENT]]` is a
	// list.
	Exec string `toml:"exec" required:"PROGRAM"`
	// The program's arguments.
	Args []string `toml:"args" unset:"none"`
	// How long the program may take.
	TimeoutMS int `toml:"timeout_ms" min:"1"`
}

func (h *KodeHook) setDefaults() { h.TimeoutMS = ms(kode.DefaultTimeout) }
