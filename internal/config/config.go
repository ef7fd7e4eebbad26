// Package config reads chibi's configuration: config.toml and models.toml in
// the home, local.toml of a context, flags and the environment. Together they
// make one [Config], in which everything has a value.
//
// A key is described once, by the field that it sets: the field's tags have its name,
// its bounds and where else it is allowed, the field's comment has its meaning, and
// [Config.setDefaults] or its table's setDefaults has its default. Reading, checking, [Keys]
// and docs/CONFIGURATION.md are derived from that. The tags:
//
//	toml     the name of the key or table; "*" for tables of any other name
//	model    its name in a table of models.toml, if it is allowed there
//	min, max the bounds of a number
//	oneof    the allowed words
//	check    a further check, see [checks]
//	above    the one value that sources other than config.toml may set, or "never" for none
//	shared   that the local.toml of a context that machines share may have the key: "yes"; "adds", what it lists beside
//	         what the host has; or the one value that counts there. Others are refused
//	instead  what to do where that is "never"
//	shown    how the value is shown: "address", without user and password
//	required a key that each element of a list must have, and its placeholder
//	name     the placeholder for the names of a map in the documentation, which says what
//	         names there are, see [source.nameOf]
//	unset    the default, for the documentation, if no value stands for it
//
// It promises that a mistake is an error that names the file, the line, the key and the
// nearest known key. It writes nothing.
package config

import "time"

// Config is the configuration of one run. The comment of a field with a key is
// its text in docs/CONFIGURATION.md.
type Config struct {
	// The key for the model's server. Without it chibi uses `$CHIBI_API_KEY`, then `$OPENROUTER_API_KEY` or
	// `$OPENAI_API_KEY` for their servers.
	APIKey string `toml:"api_key"`
	// The model's name in requests.
	Model string `toml:"model" shared:"yes"`
	// The chat completions endpoint. chibi adds `/chat/completions` to an address whose path ends in `/v1`, and follows
	// no redirect: the error names the address to write here.
	BaseURL string `toml:"base_url" check:"address"`
	// BaseURLSet reports whether BaseURL was configured and is not the default.
	BaseURLSet bool
	// Your name. chibi tells it to the model if it is not the default.
	Username string `toml:"username" shared:"yes"`
	// How many tokens the model accepts, see [The context window](#the-context-window);
	// four bytes of a message count as one token.
	ContextWindowLimit int `toml:"context_window_limit" shared:"yes" model:"context_window" min:"1" unset:"the model's"`
	// How full the context may be before a warning, in percent; 0: no warning.
	WarnThresholdPercent float64 `toml:"warn_threshold_percent" shared:"yes" min:"0" max:"100"`
	// chibi compacts a context above the threshold before it answers the prompt.
	AutoCompact bool `toml:"auto_compact" shared:"yes"`
	// The threshold, in percent of `context_window_limit`.
	AutoCompactThreshold float64 `toml:"auto_compact_threshold" shared:"yes" min:"0" max:"100"`
	// How many exchanges automatic compaction removes from the window, in percent; the latest two stay.
	RollingCompactDropPercentage float64 `toml:"rolling_compact_drop_percentage" shared:"yes" min:"0" max:"100"`
	// Adds `prompts/reflection.md` to the system prompt and offers the tool
	// `update_reflection`.
	ReflectionEnabled bool `toml:"reflection_enabled"`
	// How long the reflection may be.
	ReflectionCharacterLimit int `toml:"reflection_character_limit" min:"1"`
	// How many responses the model may give to one prompt.
	MaxToolRounds int `toml:"max_tool_rounds" min:"1"`
	// How many tool calls of one response chibi runs.
	MaxCallsPerResponse int `toml:"max_calls_per_response" min:"1"`
	// How often `pre_stop` may continue a turn, and how many recipes hooks may run in it.
	MaxFollowUps int `toml:"max_follow_ups" min:"1"`
	// How many rounds the tool `recurse` can ask for.
	MaxRecursionDepth int `toml:"max_recursion_depth" min:"1"`
	// How deep sub-agents may start each other; 1: they start none.
	MaxAgentDepth int `toml:"max_agent_depth" min:"1" max:"10"`
	// How many tokens, of requests and responses, all sub-agents of one prompt may use together.
	MaxAgentTokens int `toml:"max_agent_tokens" min:"1"`
	// How long the model's server may take until the first piece of an answer, and how long it may send only comments
	// (`: ping`) or empty pieces in one; slow local models need minutes.
	RequestFirstByteTimeoutMS int `toml:"request_first_byte_timeout_ms" min:"1"`
	// How long an answer may pause. Only the time in which chibi waits for the server counts.
	RequestIdleTimeoutMS int `toml:"request_idle_timeout_ms" min:"1"`
	// Without effect; chibi accepts it for compatibility with the original.
	LockHeartbeatSeconds *int `toml:"lock_heartbeat_seconds"`
	// API are members of the request body.
	API API `toml:"api" model:"api"`
	// How many characters of a tool's output the model sees; chibi caches larger outputs.
	ToolOutputCacheThreshold int `toml:"tool_output_cache_threshold" min:"1"`
	// How many characters of a cached output the model sees.
	ToolCachePreviewChars int `toml:"tool_cache_preview_chars" min:"0"`
	// chibi cleans the context's cache at the end of every run, and the caches of all contexts once a day (not in runs
	// with `-C`).
	AutoCleanupCache bool `toml:"auto_cleanup_cache"`
	// How old a cached output may be then; 0: any age.
	ToolCacheMaxAgeDays int `toml:"tool_cache_max_age_days" min:"0"`
	// How much a context may keep then; chibi removes the oldest outputs first; 0: no limit.
	ToolCacheMaxBytes int `toml:"tool_cache_max_bytes" min:"0"`
	// Directories and files that the model may read with the file tools; `~` is your home. chibi follows no links out
	// of them, and [never reads](TOOLS.md#files) its own keys, settings and approvals.
	FileToolsAllowedPaths []string `toml:"file_tools_allowed_paths" check:"paths" unset:"none"`
	// Directories outside the project in which the coding tools may write as in the project; `~` is your home.
	FileToolsWritePaths []string `toml:"file_tools_write_paths" check:"paths" unset:"none"`
	// Adds [instructions](TOOLS.md#instructions) in `AGENTS.md` or `CLAUDE.md` to the system prompt: yours, and a
	// project's that you approved.
	ProjectInstructions *bool `toml:"project_instructions" unset:"tools.coding"`
	// Where contexts, mail and cached outputs are: `files`, in the home, or the URL of [a shared
	// store](#a-shared-store), which needs chibi-cluster. This and the next four keys count in config.toml only;
	// `--store` and `$CHIBI_STORE` precede it.
	Store string `toml:"store" above:"never" instead:"use --store URL or CHIBI_STORE" shown:"address"`
	// A file with the credentials for the store, which only you may read; `~` is your home. `$CHIBI_STORE_CREDENTIALS`
	// precedes it.
	StoreCredentials string `toml:"store_credentials" above:"never" unset:"none"`
	// A PEM file with the certificates that the store's server may have; `~` is your home.
	StoreCA string `toml:"store_ca" above:"never" unset:"the system's"`
	// How long chibi repeats an operation on the store that gets no answer.
	StoreTimeoutMS int `toml:"store_timeout_ms" above:"never" min:"1"`
	// How long a context stays reserved for a program that gives no sign of life, 15 to 3600 seconds.
	StoreLeaseSeconds int `toml:"store_lease_seconds" above:"never" min:"15" max:"3600"`
	// Storage says when a transcript starts a new partition.
	Storage Storage `toml:"storage"`
	// Tools says which tools are offered.
	Tools Filter `toml:"tools"`
	// Permissions are rules about tool calls.
	Permissions Permissions `toml:"permissions"`
	// URLPolicy is about what is fetched.
	URLPolicy URLPolicy `toml:"url_policy"`
	// Plugins says how plugins are run.
	Plugins Plugins `toml:"plugins"`
	// MCP are the MCP servers whose tools chibi offers, and settings for servers that projects bring.
	MCP map[string]MCPServer `toml:"mcp" name:"SERVER"`
	// Bridge is about chibi's plugins inside other agents.
	Bridge Bridge `toml:"bridge"`
	// Network says how the model's server is reached.
	Network Network `toml:"network"`
	// Trace says which parts of the newest turns chibi keeps.
	Trace Trace `toml:"trace"`
	// Mail says what becomes of messages that were not answered.
	Mail Mail `toml:"mail"`
	// Limits bound what comes from outside.
	Limits Limits `toml:"limits"`
	// Kode are hooks that use Kode's protocol.
	Kode Kode `toml:"kode"`
	// Foreign says which hooks of coding agents run, and how.
	Foreign Foreign `toml:"foreign"`
}

// setDefaults sets all keys to their defaults. Those that depend on other keys are set
// by [Config.resolve], when all sources have been read. A test compares what a package does
// where it is not configured.
func (c *Config) setDefaults() {
	*c = Config{
		Username:                     "user",
		AutoCompactThreshold:         80,
		RollingCompactDropPercentage: 50,
		ReflectionEnabled:            true,
		ReflectionCharacterLimit:     10_000,
		MaxToolRounds:                50,
		MaxCallsPerResponse:          100,
		MaxFollowUps:                 5,
		MaxRecursionDepth:            30,
		MaxAgentDepth:                1,
		MaxAgentTokens:               1_000_000,
		RequestFirstByteTimeoutMS:    ms(10 * time.Minute),
		RequestIdleTimeoutMS:         ms(2 * time.Minute),
		ToolOutputCacheThreshold:     4000,
		ToolCachePreviewChars:        500,
		AutoCleanupCache:             true,
		ToolCacheMaxAgeDays:          7,
		ToolCacheMaxBytes:            1 << 30,
		FileToolsAllowedPaths:        []string{},
		FileToolsWritePaths:          []string{},
		Store:                        Files,
		StoreTimeoutMS:               ms(defaultStoreTimeout),
		StoreLeaseSeconds:            int(defaultStoreLease / time.Second),
	}
	c.Tools.Sandbox = "off"
	c.Storage.setDefaults()
	c.Plugins.setDefaults()
	c.Bridge.setDefaults()
	c.URLPolicy.setDefaults()
	c.Network.setDefaults()
	c.Trace.setDefaults()
	c.Limits.setDefaults()
}

func ms(d time.Duration) int { return int(d / time.Millisecond) }

// Configured reports whether a model was configured: a key or an address. If not,
// the caller uses the demo model.
func (c Config) Configured() bool { return c.APIKey != "" || c.BaseURLSet }
