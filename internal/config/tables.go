package config

import (
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/llm/openai"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// API are members of the request body; nil ones are not sent.
type API struct {
	// How freely the model chooses its words.
	Temperature *float64 `toml:"temperature" unset:"not sent"`
	// How many tokens the answer may have.
	MaxTokens *int `toml:"max_tokens" unset:"not sent"`
	// Only the likeliest words are considered whose probabilities add up to this.
	TopP *float64 `toml:"top_p" unset:"not sent"`
	// Texts at which the answer ends.
	Stop []string `toml:"stop" unset:"not sent"`
	// Whether, or which, tools are called: a text or a table, as the server takes it.
	ToolChoice any `toml:"tool_choice" unset:"not sent"`
	// Whether a response may call several tools.
	ParallelToolCalls *bool `toml:"parallel_tool_calls" unset:"not sent"`
	// How much words are avoided that came often.
	FrequencyPenalty *float64 `toml:"frequency_penalty" unset:"not sent"`
	// How much words are avoided that came at all.
	PresencePenalty *float64 `toml:"presence_penalty" unset:"not sent"`
	// The same seed asks for the same answer.
	Seed *int64 `toml:"seed" unset:"not sent"`
	// The form of the answer: a table, as the server takes it.
	ResponseFormat any `toml:"response_format" unset:"not sent"`
	// Known from the original, which did not send it either, and without effect.
	PromptCaching *bool `toml:"prompt_caching"`
	// Reasoning says how much the model should think.
	Reasoning Reasoning `toml:"reasoning"`
}

// Reasoning says how much the model should think. Effort and MaxTokens exclude
// each other: the source that counts more wins, and effort where one source has
// both.
type Reasoning struct {
	// How much the model thinks, in the server's words. This and `max_tokens` exclude each other: the source that
	// counts more wins, and effort where one source has both.
	Effort *string `toml:"effort" json:"effort,omitempty" unset:"not sent"`
	// How many tokens the model may think.
	MaxTokens *int `toml:"max_tokens" json:"max_tokens,omitempty" unset:"not sent"`
	// The model's thoughts are not part of the answer.
	Exclude *bool `toml:"exclude" json:"exclude,omitempty" unset:"not sent"`
	// Whether the model thinks.
	Enabled *bool `toml:"enabled" json:"enabled,omitempty" unset:"not sent"`
}

// Storage says when the active part of a transcript becomes a partition.
type Storage struct {
	// The transcript begins a new file after so many entries, see [STORAGE.md](STORAGE.md).
	MaxEntries int `toml:"partition_max_entries" min:"1"`
	// It does so after so many tokens, estimated.
	MaxTokens int `toml:"partition_max_tokens" min:"1"`
	// It does so when its oldest entry is so old.
	MaxAgeSeconds int `toml:"partition_max_age_seconds" min:"60"`
	// The estimate behind `storage.partition_max_tokens`.
	BytesPerToken int `toml:"bytes_per_token" min:"1"`
	// Known from the original and without effect: the transcript is searched as it is.
	EnableBloomFilters *bool `toml:"enable_bloom_filters"`
}

func (s *Storage) setDefaults() {
	*s = Storage{
		MaxEntries: contexts.DefaultMaxEntries, MaxTokens: contexts.DefaultMaxTokens,
		MaxAgeSeconds: int(contexts.DefaultMaxAge / time.Second), BytesPerToken: contexts.DefaultBytesPerToken,
	}
}

// Filter keeps or removes tools by name, before plugins do.
type Filter struct {
	// Only these tools are offered, before plugins filter.
	Include []string `toml:"include" unset:"all"`
	// These tools are not offered.
	Exclude []string `toml:"exclude" unset:"none"`
}

// Trace are the settings of the trace of the newest turns.
type Trace struct {
	// Keep a trace of the newest turns of each context, see
	// [PLUGINS.md](PLUGINS.md#when-it-does-not-do-what-you-want).
	Enabled bool `toml:"enabled"`
	// How large the trace of a context may become; the oldest turns go first.
	MaxBytes int `toml:"max_bytes" min:"65536"`
	// Keep what plugins took out of texts too, see [STORAGE.md](STORAGE.md#the-trace).
	KeepOriginal bool `toml:"keep_original"`
	// Regular expressions of what must not enter a trace; keys never do.
	Redact []string `toml:"redact" check:"patterns" unset:"none"`
}

func (t *Trace) setDefaults() { *t = Trace{Enabled: true, MaxBytes: 8 << 20, Redact: []string{}} }

// Limits bound what comes from outside, in bytes.
type Limits struct {
	// How large what is piped in may be: a prompt, the run of `--json-config`, a payload for `chibi hook fire`; more
	// is refused.
	PromptBytes int `toml:"prompt_bytes" min:"1024"`
	// How much the plugins that are asked at one hook may answer together, beyond the first 64 KiB of each; the one
	// that goes beyond it has failed.
	HookAnswersBytes int `toml:"hook_answers_bytes" min:"1024"`
	// How much one process of a plugin may write to standard error; the rest is left out, and said.
	PluginStderrBytes int `toml:"plugin_stderr_bytes" min:"1024"`
	// How much of one answer of the model is kept, its text and the calls in it, which is far more than models write;
	// a longer one is cut there, stored as interrupted, and its calls do not run.
	AnswerBytes int `toml:"answer_bytes" min:"1024"`
	// How large the todos, the goals and the reflection may be, each; a longer text is refused and the old one stays.
	NoteBytes int `toml:"note_bytes" min:"1024"`
	// How large a message to another context may be; a longer one is not sent.
	MessageBytes int `toml:"message_bytes" min:"1024"`
	// How much of the inbox comes with one prompt, at least one message; the rest comes with the next ones.
	InboxBytes int `toml:"inbox_bytes" min:"1024"`
}

func (l *Limits) setDefaults() {
	*l = Limits{
		PromptBytes: 2 << 20, HookAnswersBytes: plugin.DefaultAnswers, PluginStderrBytes: process.DefaultMaxStderr,
		AnswerBytes: openai.DefaultAnswerBytes, NoteBytes: contexts.DefaultNote, MessageBytes: contexts.DefaultMessage,
		InboxBytes: contexts.DefaultInbox,
	}
}
