package config

// API are members of the request body; those that are nil are not sent.
type API struct {
	// The sampling temperature: how random the model's choice of words is.
	Temperature *float64 `toml:"temperature" shared:"yes" unset:"not sent"`
	// How many tokens the answer may have at most.
	MaxTokens *int `toml:"max_tokens" shared:"yes" unset:"not sent"`
	// Nucleus sampling: only the most likely tokens whose probabilities add up to this
	// are considered.
	TopP *float64 `toml:"top_p" shared:"yes" unset:"not sent"`
	// Texts at which the model stops.
	Stop []string `toml:"stop" shared:"yes" unset:"not sent"`
	// Whether the model must call tools, and which: a string or a table, in the
	// server's format.
	ToolChoice any `toml:"tool_choice" unset:"not sent"`
	// Whether one response may contain several tool calls.
	ParallelToolCalls *bool `toml:"parallel_tool_calls" unset:"not sent"`
	// How much tokens are avoided that have already been used often.
	FrequencyPenalty *float64 `toml:"frequency_penalty" shared:"yes" unset:"not sent"`
	// How much tokens are avoided that have already been used at all.
	PresencePenalty *float64 `toml:"presence_penalty" shared:"yes" unset:"not sent"`
	// With the same seed the server tries to give the same answer.
	Seed *int64 `toml:"seed" shared:"yes" unset:"not sent"`
	// The format of the answer: a table, in the server's format.
	ResponseFormat any `toml:"response_format" unset:"not sent"`
	// Accepted for compatibility with the original, which did not send it either;
	// without effect.
	PromptCaching *bool `toml:"prompt_caching"`
	// Reasoning says how much the model should think.
	Reasoning Reasoning `toml:"reasoning"`
}

// Reasoning says how much the model should think. Effort and MaxTokens exclude each
// other: the source with more precedence wins; if one source has both, Effort does.
type Reasoning struct {
	// How much the model reasons, in the server's terms. This and `max_tokens` exclude
	// each other: the source with more precedence wins; if one source has both,
	// `effort` does.
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
	// [STORAGE.md](STORAGE.md).
	MaxEntries int `toml:"partition_max_entries" min:"1"`
	// After how many estimated tokens it does so.
	MaxTokens int `toml:"partition_max_tokens" min:"1"`
	// After what age of its oldest entry it does so.
	MaxAgeSeconds int `toml:"partition_max_age_seconds" min:"60"`
	// How many bytes count as one token for `storage.partition_max_tokens`.
	BytesPerToken int `toml:"bytes_per_token" min:"1"`
	// Accepted for compatibility with the original, without effect: the transcript is
	// searched without an index.
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
	// Only these tools are offered, before plugins filter. A tool of an MCP server is `mcp__SERVER__TOOL`; `SERVER_TOOL`
	// means it too.
	Include []string `toml:"include" unset:"all"`
	// These tools are not offered, before plugins filter.
	Exclude []string `toml:"exclude" shared:"adds" unset:"none"`
	// Tools of these categories are not offered: `shell`, `read`, `write`, `edit`, `search`, `fetch`, `agent`, `mcp`.
	ExcludeCategories []string `toml:"exclude_categories" shared:"adds" check:"categories" unset:"none"`
	// `landlock`: the Linux kernel confines commands of `shell_exec` to the project, what `file_tools_allowed_paths`
	// and `file_tools_write_paths` name, and the system, see [TOOLS.md](TOOLS.md#a-sandbox); where it cannot, no
	// command runs.
	Sandbox string `toml:"sandbox" oneof:"off landlock"`
	// What commands in the sandbox may change of the files that other programs run or take their settings from, such
	// as `.claude`, `.mcp.json`, `.git/hooks`, `.git/config`: paths below each directory in which they may write. All
	// else of these is put back, see [TOOLS.md](TOOLS.md#what-is-put-back).
	SandboxWrite []string `toml:"sandbox_write" check:"paths" unset:"none"`
	// What commands of `shell_exec` leave in the background goes on after the run, see
	// [TOOLS.md](TOOLS.md#shell_exec).
	KeepJobs bool `toml:"keep_jobs"`
}

// Permissions are rules about which tool calls may happen. Unlike other lists, these grow: a
// source adds its rules to those of the sources before it.
type Permissions struct {
	// Calls that never happen, such as `"shell_exec(rm *)"`, see [PERMISSIONS.md](PERMISSIONS.md#rules). In all three
	// lists, `local.toml` and `--set` add to what `config.toml` has, and remove nothing.
	Deny Rules `toml:"deny" shared:"adds" unset:"none"`
	// Calls that you are asked about, unless they are denied.
	Ask Rules `toml:"ask" unset:"none"`
	// Calls that happen without a question, unless they are denied or asked about.
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
	// What happens with URLs that no entry is for: `deny` refuses them; with `allow` you are asked as for any other
	// call, unless a rule or a plugin decides. `local.toml` and `--set` can only say `deny`.
	Default string `toml:"default" shared:"deny" oneof:"allow deny" above:"deny"`
	// URLs that are never fetched: `"preset:NAME"`, or a pattern such as `"*://*.example.com"`, see
	// [PERMISSIONS.md](PERMISSIONS.md#url_policy). `local.toml` and `--set` add to this and to `deny`.
	DenyOverride Rules `toml:"deny_override" shared:"adds" unset:"none"`
	// URLs that are fetched without a question although `deny` has them; only in `config.toml`.
	AllowOverride Rules `toml:"allow_override" above:"never" instead:"here URLs can only be denied" unset:"none"`
	// URLs that are not fetched.
	Deny Rules `toml:"deny" shared:"adds" unset:"none"`
	// URLs that are fetched without a question unless another list denies them; only in `config.toml`.
	Allow Rules `toml:"allow" above:"never" instead:"here URLs can only be denied" unset:"none"`
}

func (p *URLPolicy) setDefaults() { *p = URLPolicy{Default: "allow"} }

// Network are the settings of the connection to the model's server.
type Network struct {
	// Connects to the model's server while plugins are loaded. Nothing is sent before the
	// request; a prompt that a plugin refuses has opened a connection all the same. Through a
	// proxy, and for the demo model, nothing is opened early.
	Early bool `toml:"early"`
}

func (n *Network) setDefaults() { *n = Network{Early: true} }

// Trace are the settings of the trace of the newest turns.
type Trace struct {
	// Keeps a trace of the newest turns of each context, see
	// [PLUGINS.md](PLUGINS.md#when-it-does-not-do-what-you-want).
	Enabled bool `toml:"enabled"`
	// How large the trace of a context may become; the oldest turns are removed first.
	MaxBytes int `toml:"max_bytes" min:"65536"`
	// Also keeps what plugins received before they changed it, and the words that they removed from texts, see
	// [STORAGE.md](STORAGE.md#the-trace).
	Received bool `toml:"received"`
	// The same as `trace.received`, by its earlier name.
	KeepOriginal bool `toml:"keep_original"`
	// Regular expressions for texts that must not enter a trace; keys never do.
	Redact []string `toml:"redact" check:"patterns" unset:"none"`
}

func (t *Trace) setDefaults() { *t = Trace{Enabled: true, MaxBytes: 8 << 20, Redact: []string{}} }

// Mail is about messages to contexts.
type Mail struct {
	// How often a message is given again whose run died before it had answered; then it has failed, see
	// [STORAGE.md](STORAGE.md#mail-that-was-not-answered).
	Retry int `toml:"retry" min:"0" max:"10"`
}

// Limits bound input from outside, in bytes.
type Limits struct {
	// How large piped input may be: a prompt, the JSON of `--json-config`, a payload
	// for `chibi hook fire`; larger input is an error.
	PromptBytes int `toml:"prompt_bytes" min:"1024"`
	// How much the plugins that are asked at one hook may answer together, beyond the
	// first 64 KiB of each; a plugin whose answer goes beyond it fails.
	HookAnswersBytes int `toml:"hook_answers_bytes" min:"1024"`
	// How much one process of a plugin may write to standard error; the rest is
	// dropped, with a notice.
	PluginStderrBytes int `toml:"plugin_stderr_bytes" min:"1024"`
	// How much of one answer of the model is kept, its text and its calls together; a
	// longer one is cut there and stored as interrupted, and its calls do not run. The
	// default is far more than models write.
	AnswerBytes int `toml:"answer_bytes" min:"1024"`
	// How large the todos, the goals and the reflection may each be; a longer text is
	// rejected and the old one stays.
	NoteBytes int `toml:"note_bytes" min:"1024"`
	// How large a message to another context may be; a longer one is not sent.
	MessageBytes int `toml:"message_bytes" min:"1024"`
	// How much of the inbox is delivered with one prompt, at least one message; the
	// rest follows with the next prompts.
	InboxBytes int `toml:"inbox_bytes" min:"1024"`
}

func (l *Limits) setDefaults() {
	*l = Limits{
		PromptBytes: 2 << 20, HookAnswersBytes: 8 << 20, PluginStderrBytes: 8 << 20,
		AnswerBytes: 2 << 20, NoteBytes: 256 << 10, MessageBytes: 256 << 10,
		InboxBytes: 1 << 20,
	}
}
