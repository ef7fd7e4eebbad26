package config

import (
	"math"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
)

// Plugins says how plugins are run. Times are in milliseconds.
type Plugins struct {
	// How long `--schema` may take, and `hook` of Kodelet's hooks. chibi leaves a slower plugin [out for 10
	// minutes](PROTOCOL.md#what-is-remembered), or until you raise this.
	ProbeTimeoutMS int `toml:"probe_timeout_ms" min:"1"`
	// How long a hook may take, unless its plugin's schema says so.
	HookTimeoutMS int `toml:"hook_timeout_ms" min:"1"`
	// How long a tool may take, unless its plugin's schema says so.
	ToolTimeoutMS int `toml:"tool_timeout_ms" min:"1"`
	// How long a plugin that asks at `/dev/tty` may have the terminal, unless its own timeout is longer.
	AskTimeoutMS int `toml:"ask_timeout_ms" min:"1"`
	// How much a plugin's tool may print. chibi ends a tool that prints more and keeps the output so far.
	MaxToolOutputBytes int `toml:"max_tool_output_bytes" min:"1"`
	// How many plugins chibi runs at once, for their schemas and at hooks where plugins do not wait for each other.
	// Each takes four file descriptors and its own memory.
	Parallel int `toml:"parallel" min:"1" unset:"four for each core, at least 16"`
	// Files and directories outside the plugins directory to which links in it may lead.
	AllowLinks []string `toml:"allow_links" unset:"none"`
	// Plugins' standard error goes to the terminal unchanged. Without it, chibi removes control sequences except
	// colours, newlines, tabs and progress lines.
	RawStderr bool `toml:"raw_stderr"`
	// Whether chibi [remembers](PROTOCOL.md#what-is-remembered) the schemas of plugins: `on`, `off`, or `always`, also
	// on file systems that do not report changes reliably (NFS, FUSE, FAT).
	SchemaCache string `toml:"schema_cache" oneof:"on off always"`
	// How long chibi keeps the process of a [resident plugin](PROTOCOL.md#kept-between-runs) for the next run: `10m`,
	// `90s` or `1h30m`, at most `24h`; `0`: until the run ends. Not on Windows.
	Keep string `toml:"keep" check:"duration"`
	// Removes variables with the model's key from the environment of plugins, and `CHIBI_STORE` if its URL has a
	// password or a token.
	HideKey bool `toml:"hide_key"`
	// ByName are settings for single plugins.
	ByName map[string]Plugin `toml:"*" name:"NAME"`
}

func (p *Plugins) setDefaults() {
	*p = Plugins{
		ProbeTimeoutMS: ms(5 * time.Second), HookTimeoutMS: ms(30 * time.Second),
		ToolTimeoutMS: ms(10 * time.Minute), AskTimeoutMS: ms(10 * time.Minute),
		MaxToolOutputBytes: min(2<<30, math.MaxInt), SchemaCache: "on", Keep: "0",
		ByName: map[string]Plugin{},
	}
}

// maxKeep is how long the process of a plugin is kept at most.
const maxKeep = 24 * time.Hour

// KeepFor returns how long the process of a resident plugin is kept without being used; 0: it
// ends with its run.
func (p *Plugins) KeepFor() time.Duration { return durationOf(p.Keep) }

func durationOf(text string) time.Duration {
	d, _ := time.ParseDuration(text) // checkDuration has seen it
	return d
}

// Plugin are the settings of one plugin.
type Plugin struct {
	// Required says that a context that machines share requires the plugin as a guard, even if
	// it is turned off here.
	Required bool
	// `false` turns the plugin off. NAME, here and below, is the name of its file or the one in its schema. `chibi
	// plugin disable NAME` sets it, `chibi -C CONTEXT plugin disable NAME` for one context.
	Enabled bool `toml:"enabled"`
	// Like `plugins.hide_key`, for this plugin.
	HideKey *bool `toml:"hide_key" unset:"plugins.hide_key"`
	// How long this plugin's hooks and tools may take, whatever its schema says.
	TimeoutMS int `toml:"timeout_ms" min:"1" unset:"the plugin's"`
	// `inherit`: the terminal is the standard input of the plugin's hooks and tools, see
	// [PROTOCOL.md](PROTOCOL.md#asking-the-person); `data`: it is not.
	Stdin string `toml:"stdin" oneof:"data inherit" unset:"the plugin's"`
	// `ignore` or `block`: the effect of the plugin's failure at points where it can block. With `block`, chibi answers
	// no prompt and calls no tool while the plugin is missing; `ignore` permits that even if the schema says `block`.
	OnFailure string `toml:"on_failure" shared:"block" oneof:"ignore block" unset:"the plugin's"`
	// Hook points of the mode chain, besides those in its schema, at which the plugin is only [a
	// guard](HOOKS.md#guards): it can block, and chibi ignores its changes.
	Guards []string `toml:"guards" check:"guards" unset:"the plugin's"`
	// `true`: calling the plugin without need or twice has no effect, see [PROTOCOL.md](PROTOCOL.md#pure-plugins).
	Pure *bool `toml:"pure" unset:"the plugin's"`
	// Hooks are settings for single hook points, which take precedence over the above.
	Hooks map[hookpoints.Name]Hook `toml:"hooks" name:"POINT"`
}

func (p *Plugin) setDefaults() { *p = Plugin{Enabled: true, Hooks: map[hookpoints.Name]Hook{}} }

// Hook are the settings of one plugin at one hook point.
type Hook struct {
	// How long one hook of the plugin may take, as in `[plugins.guard.hooks.pre_tool]`; precedes the plugin's
	// `timeout_ms`.
	TimeoutMS int `toml:"timeout_ms" min:"1" unset:"the plugin's"`
	// The effect of a failure at this hook; precedes the plugin's `on_failure`.
	OnFailure string `toml:"on_failure" shared:"block" oneof:"ignore block" check:"point" unset:"the plugin's"`
}

// Kode are hooks that use Kode's protocol.
type Kode struct {
	// Hooks are the [[kode.hooks.EVENT]] entries of each event. As with other lists, a
	// source replaces the list of an event from the sources before it.
	Hooks map[string][]KodeHook `toml:"hooks" name:"EVENT"`
}

// kodeEvents lists the names of Kode's events, in the order in which they happen.
func kodeEvents() []string {
	return []string{"session_start", "user_prompt_submit", "tool_call_pre", "tool_call_post", "session_end"}
}

// KodeHook is one [[kode.hooks.EVENT]] entry.
type KodeHook struct {
	// Event is Kode's name of the event.
	Event string
	// A program that chibi runs as a hook in Kode's protocol, see [MIGRATING.md](MIGRATING.md#from-kode).
	// `[[kode.hooks.EVENT]]` is a list.
	Exec string `toml:"exec" required:"PROGRAM"`
	// The program's arguments.
	Args []string `toml:"args" unset:"none"`
	// How long the program may take.
	TimeoutMS int `toml:"timeout_ms" min:"1"`
}

func (h *KodeHook) setDefaults() { h.TimeoutMS = ms(5 * time.Second) }
