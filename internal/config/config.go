// Package config reads chibi's configuration: config.toml and models.toml in
// the home, local.toml of a context, flags and the environment. What they say
// becomes one [Config] with a value for everything; docs/CONFIGURATION.md lists
// the keys.
//
// It promises that a mistake is an error that names file, line and key, and the
// nearest known key. It writes nothing.
package config

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/llm"
)

// Config is the configuration of one run.
type Config struct {
	// Model is the model's name; "" if none is configured.
	Model string
	// APIKey authenticates at the model's server; "" if there is none.
	APIKey string
	// BaseURL is the address of the chat completions endpoint.
	BaseURL string
	// BaseURLSet says that BaseURL was configured and is not the default.
	BaseURLSet bool
	// Username is what the person is called.
	Username string
	// ContextWindowLimit is the model's limit in tokens: what is configured, else
	// what is known of the model.
	ContextWindowLimit int
	// WarnThresholdPercent is how full the context window may be before a
	// warning; 0: no warning.
	WarnThresholdPercent float64
	// AutoCompact compacts a context that is AutoCompactThreshold percent full;
	// about RollingCompactDropPercentage percent of it leave the window then.
	AutoCompact                                        bool
	AutoCompactThreshold, RollingCompactDropPercentage float64
	// ReflectionEnabled adds the model's notes on itself to the system prompt,
	// and offers the tool that changes them. ReflectionCharacterLimit bounds
	// their length.
	ReflectionEnabled        bool
	ReflectionCharacterLimit int
	// ToolOutputCacheThreshold is how many characters of a tool's output the
	// model is shown; of more it sees ToolCachePreviewChars, and the rest is
	// cached.
	ToolOutputCacheThreshold, ToolCachePreviewChars int
	// ToolCacheMaxAgeDays and ToolCacheMaxBytes are what is kept of the cache of
	// each context when AutoCleanupCache cleans it at the end of a run.
	ToolCacheMaxAgeDays int
	ToolCacheMaxBytes   int
	AutoCleanupCache    bool
	// FileToolsAllowedPaths are where the file tools may read files.
	FileToolsAllowedPaths []string
	// Storage says when transcripts begin a new partition.
	Storage Storage
	// The bounds of a turn.
	MaxRecursionDepth, MaxToolRounds, MaxCallsPerResponse, MaxFollowUps int
	// RequestIdleTimeoutMS bounds the silence in an answer, in milliseconds.
	RequestIdleTimeoutMS int
	// RequestFirstByteTimeoutMS bounds how long nothing of an answer arrives, in
	// milliseconds.
	RequestFirstByteTimeoutMS int
	// Limits bound what comes from outside.
	Limits Limits
	// API are members of the request body.
	API API
	// Tools filters the tools that are offered.
	Tools Filter
	// Plugins says how plugins are run.
	Plugins Plugins
	// Trace says what is kept of the newest turns.
	Trace Trace
	// Kode are hooks in Kode's way, by event, each event's in their order.
	Kode []KodeHook

	effective layer // for Value
}

// Storage says when the active part of a transcript becomes a partition.
type Storage struct {
	MaxEntries, MaxTokens, MaxAgeSeconds, BytesPerToken int
}

// Filter keeps or removes tools by name.
type Filter struct {
	// Include keeps only these; nil keeps all.
	Include []string
	// Exclude removes these.
	Exclude []string
}

// Plugins says how plugins are run. Times are in milliseconds.
type Plugins struct {
	ProbeTimeoutMS, HookTimeoutMS, ToolTimeoutMS int
	// AskTimeoutMS is how long a plugin that asks the person may have the
	// terminal.
	AskTimeoutMS int
	// MaxToolOutputBytes bounds the output of a tool.
	MaxToolOutputBytes int
	// AllowLinks are places outside the plugins folder that links may lead to.
	AllowLinks []string
	// RawStderr lets what plugins write to standard error reach the terminal as
	// it is.
	RawStderr bool
	// HideKey takes the model's key out of their environment.
	HideKey bool
	// ByName are settings for single plugins.
	ByName map[string]Plugin
}

// Plugin are the settings of one plugin.
type Plugin struct {
	// TimeoutMS bounds its hooks and tools; 0: not set.
	TimeoutMS int
	// OnFailure is "ignore", "block", or "" where it is not set.
	OnFailure string
	// Enabled is false for a plugin that is left out.
	Enabled bool
	// HideKey takes the model's key out of its environment, or leaves it there;
	// nil: as for all plugins.
	HideKey *bool
	// Stdin is "data", "inherit" for a plugin that reads the person's answers from
	// its standard input, or "" where it is not set.
	Stdin string
	// Hooks are settings for single hook points, which beat the above.
	Hooks map[hookpoints.Name]Hook
}

// Hook are the settings of one plugin at one hook point.
type Hook struct {
	// TimeoutMS bounds it; 0: not set.
	TimeoutMS int
	// OnFailure is "ignore", "block", or "" where it is not set.
	OnFailure string
}

// Trace are the settings of the trace of the newest turns.
type Trace struct {
	// Enabled is false if none is kept.
	Enabled bool
	// MaxBytes bounds what is kept of each context.
	MaxBytes int
	// KeepOriginal keeps what plugins took out of texts.
	KeepOriginal bool
	// Redact are regular expressions of what must not enter a trace.
	Redact []string
}

// Limits bound what comes from outside, in bytes.
type Limits struct {
	// AnswerBytes bounds a model's answer: its text and the calls in it.
	AnswerBytes int
	// NoteBytes bounds the todos, the goals and the reflection, each.
	NoteBytes int
	// MessageBytes bounds a message to another context, InboxBytes the messages
	// that come with one prompt.
	MessageBytes, InboxBytes int
	// PromptBytes bounds what is read from standard input.
	PromptBytes int
	// PluginStderrBytes bounds what one process of a plugin may write to standard
	// error.
	PluginStderrBytes int
	// HookAnswersBytes bounds what the plugins asked at one moment answer together.
	HookAnswersBytes int
}

// Configured reports whether a model was configured: a key or an address. If not,
// the caller uses the demo model.
func (c Config) Configured() bool { return c.APIKey != "" || c.BaseURLSet }

// Sources say where the configuration comes from.
type Sources struct {
	// Home is the home folder.
	Home string
	// Context names the context whose local.toml counts; "" for none.
	Context string
	// Set are KEY=VALUE pairs from flags, which beat all files.
	Set []string
	// Env looks up environment variables, as os.Getenv.
	Env func(string) string
}

// Home is the home folder: the flag's value, $CHIBI_HOME, or ~/.chibi.
func Home(flag string, env func(string) string) (string, error) {
	home := flag
	if home == "" {
		home = env("CHIBI_HOME")
	}
	if home != "" {
		return filepath.Abs(home)
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no home folder: set HOME or CHIBI_HOME, or use --home DIR")
	}
	return filepath.Join(user, ".chibi"), nil
}

// Load reads all sources. Values count in this order: Set, local.toml,
// models.toml for the model that results, config.toml, defaults. Missing files
// say nothing.
func Load(src Sources) (Config, error) {
	global, err := readLayer(filepath.Join(src.Home, "config.toml"))
	if err != nil {
		return Config{}, err
	}
	var local layer
	if src.Context != "" {
		if local, err = readLayer(filepath.Join(src.Home, "contexts", src.Context, "local.toml")); err != nil {
			return Config{}, err
		}
	}
	flags, err := readSet(src.Set)
	if err != nil {
		return Config{}, err
	}
	model, err := readModel(filepath.Join(src.Home, "models.toml"), global.over(local).over(flags).Model)
	if err != nil {
		return Config{}, err
	}
	return global.over(model).over(local).over(flags).resolve(src.Env), nil
}

// DefaultBaseURL is where requests go if nothing is configured.
const DefaultBaseURL = "https://openrouter.ai/api/v1/chat/completions"

// defaults is what counts for a model where no source says anything.
func defaults(model string) layer {
	return layer{
		Username: ptr("user"), ContextWindowLimit: ptr(llm.ContextWindow(model)), WarnThresholdPercent: ptr(0.0),
		AutoCompact: ptr(false), AutoCompactThreshold: ptr(80.0), RollingCompactDrop: ptr(50.0),
		ReflectionEnabled: ptr(true), ReflectionCharacterLimit: ptr(10_000),
		MaxRecursionDepth: ptr(30), MaxToolRounds: ptr(50), MaxCallsPerResponse: ptr(100), MaxFollowUps: ptr(5),
		RequestIdleTimeoutMS: ptr(120_000), RequestFirstByteMS: ptr(600_000), BaseURL: ptr(DefaultBaseURL),
		ToolOutputCacheThreshold: ptr(4000), ToolCachePreviewChars: ptr(500), ToolCacheMaxAgeDays: ptr(7),
		ToolCacheMaxBytes: ptr(1 << 30), AutoCleanupCache: ptr(true), FileToolsAllowedPaths: []string{},
		Storage: storage{
			PartitionMaxEntries: ptr(1000), PartitionMaxTokens: ptr(100_000),
			PartitionMaxAgeSeconds: ptr(2_592_000), BytesPerToken: ptr(3),
		},
		Plugins: plugins{ProbeTimeoutMS: ptr(5_000), HookTimeoutMS: ptr(30_000), ToolTimeoutMS: ptr(600_000),
			AskTimeoutMS: ptr(600_000), MaxToolOutputBytes: ptr(min(2<<30, math.MaxInt))},
		Trace: trace{Enabled: ptr(true), KeepOriginal: ptr(false), MaxBytes: ptr(8 << 20), Redact: []string{}},
		Limits: limits{
			AnswerBytes: ptr(2 << 20), NoteBytes: ptr(256 << 10), MessageBytes: ptr(256 << 10), InboxBytes: ptr(1 << 20),
			PromptBytes: ptr(2 << 20), HookAnswersBytes: ptr(8 << 20), PluginStderrBytes: ptr(8 << 20),
		},
	}
}

func ptr[T any](value T) *T { return &value }

// resolve puts the sources on top of the defaults.
func (l layer) resolve(env func(string) string) Config {
	baseURLSet := l.BaseURL != nil
	l = defaults(or(l.Model, "")).over(l)
	c := Config{
		Model: or(l.Model, ""), APIKey: or(l.APIKey, ""), BaseURL: *l.BaseURL, BaseURLSet: baseURLSet, Username: *l.Username,
		ContextWindowLimit: *l.ContextWindowLimit, WarnThresholdPercent: *l.WarnThresholdPercent,
		AutoCompact: *l.AutoCompact, AutoCompactThreshold: *l.AutoCompactThreshold,
		RollingCompactDropPercentage: *l.RollingCompactDrop,
		ReflectionEnabled:            *l.ReflectionEnabled, ReflectionCharacterLimit: *l.ReflectionCharacterLimit,
		MaxRecursionDepth: *l.MaxRecursionDepth, MaxToolRounds: *l.MaxToolRounds,
		MaxCallsPerResponse: *l.MaxCallsPerResponse, MaxFollowUps: *l.MaxFollowUps,
		RequestIdleTimeoutMS:      *l.RequestIdleTimeoutMS,
		RequestFirstByteTimeoutMS: *l.RequestFirstByteMS, Limits: l.Limits.resolve(),
		ToolOutputCacheThreshold: *l.ToolOutputCacheThreshold, ToolCachePreviewChars: *l.ToolCachePreviewChars,
		ToolCacheMaxAgeDays: *l.ToolCacheMaxAgeDays, ToolCacheMaxBytes: *l.ToolCacheMaxBytes,
		AutoCleanupCache:      *l.AutoCleanupCache,
		FileToolsAllowedPaths: l.FileToolsAllowedPaths,
		Storage: Storage{
			MaxEntries: *l.Storage.PartitionMaxEntries, MaxTokens: *l.Storage.PartitionMaxTokens,
			MaxAgeSeconds: *l.Storage.PartitionMaxAgeSeconds, BytesPerToken: *l.Storage.BytesPerToken,
		},
		API: l.API, Tools: Filter{Include: l.Tools.Include, Exclude: l.Tools.Exclude},
		Plugins: l.Plugins.resolve(), Kode: l.Kode.resolve(),
		Trace: Trace{Enabled: *l.Trace.Enabled, MaxBytes: *l.Trace.MaxBytes, KeepOriginal: *l.Trace.KeepOriginal,
			Redact: l.Trace.Redact},
		effective: l,
	}
	if address, err := url.Parse(c.BaseURL); err == nil && c.APIKey == "" {
		c.APIKey = keyFromEnvironment(address.Hostname(), env)
	}
	return c
}

// keyFromEnvironment finds a key for a server: chibi's own variable, then the
// provider's.
func keyFromEnvironment(host string, env func(string) string) string {
	for _, name := range KeyVariables(host) {
		if key := env(name); key != "" {
			return key
		}
	}
	return ""
}

// KeyVariables are the variables that may hold the key for a server: chibi's
// own, then the provider's.
func KeyVariables(host string) []string {
	names := []string{"CHIBI_API_KEY"}
	switch host {
	case "openrouter.ai":
		names = append(names, "OPENROUTER_API_KEY")
	case "api.openai.com":
		names = append(names, "OPENAI_API_KEY")
	}
	return names
}

func or[T any](set *T, fallback T) T {
	if set != nil {
		return *set
	}
	return fallback
}

// Option is one member of a request body.
type Option struct {
	Name  string
	Value json.RawMessage
}

// Options lists the members that were configured, in the order of the
// documentation.
func (a API) Options() []Option {
	var options []Option
	add := func(name string, value any, set bool) {
		if raw, err := json.Marshal(value); err == nil && set {
			options = append(options, Option{name, raw})
		}
	}
	add("temperature", a.Temperature, a.Temperature != nil)
	add("max_tokens", a.MaxTokens, a.MaxTokens != nil)
	add("top_p", a.TopP, a.TopP != nil)
	add("stop", a.Stop, a.Stop != nil)
	add("tool_choice", a.ToolChoice, a.ToolChoice != nil)
	add("parallel_tool_calls", a.ParallelToolCalls, a.ParallelToolCalls != nil)
	add("frequency_penalty", a.FrequencyPenalty, a.FrequencyPenalty != nil)
	add("presence_penalty", a.PresencePenalty, a.PresencePenalty != nil)
	add("seed", a.Seed, a.Seed != nil)
	add("response_format", a.ResponseFormat, a.ResponseFormat != nil)
	add("reasoning", a.Reasoning, a.Reasoning != Reasoning{})
	return options
}
