package config

// API are members of the request body; chibi does not send nil ones.
type API struct {
	// The sampling temperature: how random the model's choice of words is.
	Temperature *float64 `toml:"temperature" shared:"yes" unset:"not sent"`
	// How many tokens the answer may have at most.
	MaxTokens *int `toml:"max_tokens" shared:"yes" unset:"not sent"`
	// Nucleus sampling: the model chooses among the most likely tokens whose probabilities add up to this.
	TopP *float64 `toml:"top_p" shared:"yes" unset:"not sent"`
	// Texts at which the model stops.
	Stop []string `toml:"stop" shared:"yes" unset:"not sent"`
	// Whether the model must call tools, and which: a string or a table, in the
	// server's format.
	ToolChoice any `toml:"tool_choice" unset:"not sent"`
	// Whether one response may contain several tool calls.
	ParallelToolCalls *bool `toml:"parallel_tool_calls" unset:"not sent"`
	// How much the model avoids tokens that it has used often.
	FrequencyPenalty *float64 `toml:"frequency_penalty" shared:"yes" unset:"not sent"`
	// How much the model avoids tokens that it has used at all.
	PresencePenalty *float64 `toml:"presence_penalty" shared:"yes" unset:"not sent"`
	// With the same seed the server tries to give the same answer.
	Seed *int64 `toml:"seed" shared:"yes" unset:"not sent"`
	// The format of the answer: a table, in the server's format.
	ResponseFormat any `toml:"response_format" unset:"not sent"`
	// Without effect; chibi accepts it for compatibility with the original.
	PromptCaching *bool `toml:"prompt_caching"`
	// Reasoning says how much the model should think.
	Reasoning Reasoning `toml:"reasoning"`
}

// Reasoning says how much the model should think. Effort and MaxTokens exclude each
// other: the source with more precedence wins; if one source has both, Effort does.
type Reasoning struct {
	// How much the model reasons, in the server's terms. Of this and `max_tokens` the source with more precedence
	// wins, in one source `effort`.
	Effort *string `toml:"effort" shared:"yes" json:"effort,omitempty" unset:"not sent"`
	// How many tokens the model may use for reasoning.
	MaxTokens *int `toml:"max_tokens" shared:"yes" json:"max_tokens,omitempty" unset:"not sent"`
	// Leaves the model's reasoning out of the answer.
	Exclude *bool `toml:"exclude" shared:"yes" json:"exclude,omitempty" unset:"not sent"`
	// Whether the model reasons.
	Enabled *bool `toml:"enabled" shared:"yes" json:"enabled,omitempty" unset:"not sent"`
}

// Storage says when the active part of a transcript becomes a partition.
type Storage struct {
	// After how many entries the transcript starts a new file, see
	// [STORAGE.md](operating/STORAGE.md).
	MaxEntries int `toml:"partition_max_entries" min:"1"`
	// After how many estimated tokens it does so.
	MaxTokens int `toml:"partition_max_tokens" min:"1"`
	// After what age of its oldest entry it does so.
	MaxAgeSeconds int `toml:"partition_max_age_seconds" min:"60"`
	// How many bytes count as one token for `storage.partition_max_tokens`.
	BytesPerToken int `toml:"bytes_per_token" min:"1"`
	// Without effect; chibi accepts it for compatibility with the original.
	EnableBloomFilters *bool `toml:"enable_bloom_filters"`
}

func (s *Storage) setDefaults() {
	*s = Storage{
		MaxEntries: 1000, MaxTokens: 100_000,
		MaxAgeSeconds: 30 * 24 * 60 * 60, BytesPerToken: 3,
	}
}

// Filter says which tools there are, and keeps or removes tools before plugins do.
type Filter struct {
	// Offers the model [tools](TOOLS.md) that read, write and search files, run commands and fetch URLs.
	Coding bool `toml:"coding"`
	// Offers the model `spawn_agent`, with which it gives tasks to [sub-agents](TOOLS.md#sub-agents), and
	// [`summarize_content`](TOOLS.md#summarize_content).
	Agents bool `toml:"agents"`
	// chibi offers only these tools. A tool of an MCP server is `mcp__SERVER__TOOL` or `SERVER_TOOL`. Plugins filter
	// later.
	Include []string `toml:"include" unset:"all"`
	// chibi does not offer these tools.
	Exclude []string `toml:"exclude" shared:"adds" unset:"none"`
	// chibi does not offer tools of these categories: `shell`, `read`, `write`, `edit`, `search`, `fetch`, `agent`,
	// `mcp`.
	ExcludeCategories []string `toml:"exclude_categories" shared:"adds" check:"categories" unset:"none"`
	// `landlock`: the Linux kernel confines commands of `shell_exec`, see [TOOLS.md](TOOLS.md#a-sandbox); where it
	// cannot, no command runs.
	Sandbox string `toml:"sandbox" oneof:"off landlock"`
	// Paths, such as `.mcp.json` and `.git/hooks`, at which commands in the sandbox may change files that other
	// programs run. chibi [puts back](TOOLS.md#what-is-put-back) such changes elsewhere.
	SandboxWrite []string `toml:"sandbox_write" check:"paths" unset:"none"`
	// Commands that `shell_exec` leaves in the background go on after the run, see [TOOLS.md](TOOLS.md#shell_exec).
	KeepJobs bool `toml:"keep_jobs"`
}

// Permissions are rules about which tool calls may happen. Unlike other lists, these grow: a
// source adds its rules to the rules of the sources before it.
type Permissions struct {
	// Calls that chibi refuses, such as `"shell_exec(rm *)"`, see [PERMISSIONS.md](PERMISSIONS.md#rules). `local.toml`
	// and `--set` add to these three lists and remove nothing.
	Deny Rules `toml:"deny" shared:"adds" unset:"none"`
	// Calls about which chibi asks you, unless a rule denies them.
	Ask Rules `toml:"ask" unset:"none"`
	// Calls that chibi makes without a question, unless a rule denies them or asks.
	Allow Rules `toml:"allow" unset:"none"`
}

// Rules are permission rules of several sources.
type Rules []Rule

// Rule is a permission rule.
type Rule struct {
	// Text is the rule as it is written, such as "shell_exec(git *)".
	Text string
	// Where is the file and line, or the flag, that it comes from.
	Where string
}

// String returns the rule as it is written.
func (r Rule) String() string { return r.Text }

// URLPolicy says which URLs are fetched without a question, and which never. Its lists grow
// as rules do, but only config.toml can allow something.
type URLPolicy struct {
	// For URLs without an entry: `deny` refuses them, `allow` leaves them to rules, plugins and you. `local.toml` and
	// `--set` can only say `deny`.
	Default string `toml:"default" shared:"deny" oneof:"allow deny" above:"deny"`
	// URLs that chibi never fetches: `"preset:NAME"`, or a pattern such as `"*://*.example.com"`, see
	// [PERMISSIONS.md](PERMISSIONS.md#url_policy). `local.toml` and `--set` add to this and to `deny`.
	DenyOverride Rules `toml:"deny_override" shared:"adds" unset:"none"`
	// URLs that chibi fetches without a question although `deny` has them; only in `config.toml`.
	AllowOverride Rules `toml:"allow_override" above:"never" instead:"here URLs can only be denied" unset:"none"`
	// URLs that chibi does not fetch.
	Deny Rules `toml:"deny" shared:"adds" unset:"none"`
	// URLs that chibi fetches without a question unless one of the other lists denies them; only in `config.toml`.
	Allow Rules `toml:"allow" above:"never" instead:"here URLs can only be denied" unset:"none"`
}

func (p *URLPolicy) setDefaults() { *p = URLPolicy{Default: "allow"} }

// Network are the settings of the connection to the model's server.
type Network struct {
	// chibi connects to the model's server while it loads plugins, even if one then refuses the prompt, and sends
	// nothing before the request. Not through a proxy or for the demo model.
	Early bool `toml:"early"`
}

func (n *Network) setDefaults() { *n = Network{Early: true} }

// Trace are the settings of the trace of the newest turns.
type Trace struct {
	// chibi keeps a trace of the newest turns of each context, see
	// [PLUGINS.md](PLUGINS.md#when-it-does-not-do-what-you-want).
	Enabled bool `toml:"enabled"`
	// How large the trace of a context may become; chibi removes the oldest turns first.
	MaxBytes int `toml:"max_bytes" min:"65536"`
	// The trace also keeps the values that plugins received before they changed them, and words that they removed from
	// texts, see [STORAGE.md](operating/STORAGE.md#the-trace).
	Received bool `toml:"received"`
	// The earlier name of `trace.received`.
	KeepOriginal bool `toml:"keep_original"`
	// Regular expressions for texts that chibi keeps out of traces. Keys never enter one.
	Redact []string `toml:"redact" check:"patterns" unset:"none"`
}

func (t *Trace) setDefaults() { *t = Trace{Enabled: true, MaxBytes: 8 << 20, Redact: []string{}} }

// Mail is about messages to contexts.
type Mail struct {
	// How often chibi delivers a message again if the run died before it answered; then the message has failed, see
	// [STORAGE.md](operating/STORAGE.md#mail-that-was-not-answered).
	Retry int `toml:"retry" min:"0" max:"10"`
}

// Limits bound input from outside, in bytes.
type Limits struct {
	// How large piped input may be: a prompt, the JSON of `--json-config`, a payload for `chibi hook fire`. Larger
	// input is an error.
	PromptBytes int `toml:"prompt_bytes" min:"1024"`
	// How much all plugins at one hook may answer together, beyond the first 64 KiB of each. A plugin that answers
	// more fails.
	HookAnswersBytes int `toml:"hook_answers_bytes" min:"1024"`
	// How much one process of a plugin may write to standard error; chibi drops the rest, with a notice.
	PluginStderrBytes int `toml:"plugin_stderr_bytes" min:"1024"`
	// How large one answer of the model may be, text and calls together. chibi cuts a longer one, stores it as
	// interrupted and does not run its calls.
	AnswerBytes int `toml:"answer_bytes" min:"1024"`
	// How large the todos, the goals and the reflection may each be. chibi rejects a longer text and keeps the old
	// one.
	NoteBytes int `toml:"note_bytes" min:"1024"`
	// How large a message to a context may be; chibi does not send a longer one.
	MessageBytes int `toml:"message_bytes" min:"1024"`
	// How much of the inbox comes with one prompt, at least one message; the rest comes with the next prompts.
	InboxBytes int `toml:"inbox_bytes" min:"1024"`
}

func (l *Limits) setDefaults() {
	*l = Limits{
		PromptBytes: 2 << 20, HookAnswersBytes: 8 << 20, PluginStderrBytes: 8 << 20,
		AnswerBytes: 2 << 20, NoteBytes: 256 << 10, MessageBytes: 256 << 10,
		InboxBytes: 1 << 20,
	}
}
