package config

import (
	"reflect"
)

// layer is what one source says; nil is nothing. The toml tags are the keys.
// Keys that no part of chibi reads yet are known, so that the files of the
// original load.
type layer struct {
	APIKey                   *string  `toml:"api_key"`
	Model                    *string  `toml:"model"`
	BaseURL                  *string  `toml:"base_url"`
	Username                 *string  `toml:"username"`
	ContextWindowLimit       *int     `toml:"context_window_limit"`
	WarnThresholdPercent     *float64 `toml:"warn_threshold_percent"`
	AutoCompact              *bool    `toml:"auto_compact"`
	AutoCompactThreshold     *float64 `toml:"auto_compact_threshold"`
	ReflectionEnabled        *bool    `toml:"reflection_enabled"`
	ReflectionCharacterLimit *int     `toml:"reflection_character_limit"`
	MaxRecursionDepth        *int     `toml:"max_recursion_depth"`
	MaxToolRounds            *int     `toml:"max_tool_rounds"`
	MaxCallsPerResponse      *int     `toml:"max_calls_per_response"`
	MaxFollowUps             *int     `toml:"max_follow_ups"`
	RequestIdleTimeoutMS     *int     `toml:"request_idle_timeout_ms"`
	RequestFirstByteMS       *int     `toml:"request_first_byte_timeout_ms"`
	LockHeartbeatSeconds     *int     `toml:"lock_heartbeat_seconds"`
	RollingCompactDrop       *float64 `toml:"rolling_compact_drop_percentage"`
	ToolOutputCacheThreshold *int     `toml:"tool_output_cache_threshold"`
	ToolCacheMaxAgeDays      *int     `toml:"tool_cache_max_age_days"`
	AutoCleanupCache         *bool    `toml:"auto_cleanup_cache"`
	ToolCachePreviewChars    *int     `toml:"tool_cache_preview_chars"`
	ToolCacheMaxBytes        *int     `toml:"tool_cache_max_bytes"`
	FileToolsAllowedPaths    []string `toml:"file_tools_allowed_paths"`
	API                      API      `toml:"api"`
	Tools                    filter   `toml:"tools"`
	Storage                  storage  `toml:"storage"`
	Plugins                  plugins  `toml:"plugins"`
	Kode                     kode     `toml:"kode"`
	Trace                    trace    `toml:"trace"`
	Limits                   limits   `toml:"limits"`
}

// trace is the [trace] table.
type trace struct {
	Enabled      *bool    `toml:"enabled"`
	MaxBytes     *int     `toml:"max_bytes"`
	KeepOriginal *bool    `toml:"keep_original"`
	Redact       []string `toml:"redact"`
}

// limits is the [limits] table: how much is taken of what comes from outside.
type limits struct {
	AnswerBytes      *int `toml:"answer_bytes"`
	NoteBytes        *int `toml:"note_bytes"`
	MessageBytes     *int `toml:"message_bytes"`
	InboxBytes       *int `toml:"inbox_bytes"`
	PromptBytes      *int `toml:"prompt_bytes"`
	HookAnswersBytes *int `toml:"hook_answers_bytes"`

	PluginStderrBytes *int `toml:"plugin_stderr_bytes"`
}

func (l limits) resolve() Limits {
	return Limits{
		AnswerBytes: *l.AnswerBytes, NoteBytes: *l.NoteBytes, MessageBytes: *l.MessageBytes, InboxBytes: *l.InboxBytes,
		PromptBytes: *l.PromptBytes, HookAnswersBytes: *l.HookAnswersBytes, PluginStderrBytes: *l.PluginStderrBytes,
	}
}

// API are members of the request body; nil ones are not sent.
type API struct {
	Temperature       *float64  `toml:"temperature"`
	MaxTokens         *int      `toml:"max_tokens"`
	TopP              *float64  `toml:"top_p"`
	Stop              []string  `toml:"stop"`
	ToolChoice        any       `toml:"tool_choice"`
	ParallelToolCalls *bool     `toml:"parallel_tool_calls"`
	FrequencyPenalty  *float64  `toml:"frequency_penalty"`
	PresencePenalty   *float64  `toml:"presence_penalty"`
	Seed              *int64    `toml:"seed"`
	ResponseFormat    any       `toml:"response_format"`
	PromptCaching     *bool     `toml:"prompt_caching"`
	Reasoning         Reasoning `toml:"reasoning"`
}

// Reasoning says how much the model should think. Effort and MaxTokens exclude
// each other: whoever sets one clears the other.
type Reasoning struct {
	Effort    *string `toml:"effort" json:"effort,omitempty"`
	MaxTokens *int    `toml:"max_tokens" json:"max_tokens,omitempty"`
	Exclude   *bool   `toml:"exclude" json:"exclude,omitempty"`
	Enabled   *bool   `toml:"enabled" json:"enabled,omitempty"`
}

type filter struct {
	Include []string `toml:"include"`
	Exclude []string `toml:"exclude"`
}

type storage struct {
	PartitionMaxEntries    *int  `toml:"partition_max_entries"`
	PartitionMaxTokens     *int  `toml:"partition_max_tokens"`
	PartitionMaxAgeSeconds *int  `toml:"partition_max_age_seconds"`
	BytesPerToken          *int  `toml:"bytes_per_token"`
	EnableBloomFilters     *bool `toml:"enable_bloom_filters"`
}

// over puts another layer on top of this one.
func (l layer) over(top layer) layer {
	merged := l
	overlay(reflect.ValueOf(&merged).Elem(), reflect.ValueOf(top))
	if top.API.Reasoning.Effort != nil {
		merged.API.Reasoning.MaxTokens = nil
	} else if top.API.Reasoning.MaxTokens != nil {
		merged.API.Reasoning.Effort = nil
	}
	return merged
}

// overlayTables merges two maps of tables: what top says of a name is put on
// what into says of it.
func overlayTables(into, top reflect.Value) reflect.Value {
	merged := reflect.MakeMap(top.Type())
	for _, from := range []reflect.Value{into, top} {
		for _, key := range from.MapKeys() {
			value := reflect.New(top.Type().Elem()).Elem()
			if before := merged.MapIndex(key); before.IsValid() {
				value.Set(before)
			}
			overlay(value, from.MapIndex(key))
			merged.SetMapIndex(key, value)
		}
	}
	return merged
}

// overlay copies every value that top sets; tables are merged key by key.
func overlay(into, top reflect.Value) {
	for i := range top.NumField() {
		field := top.Field(i)
		switch field.Kind() {
		case reflect.Struct:
			overlay(into.Field(i), field)
		case reflect.Map:
			into.Field(i).Set(overlayTables(into.Field(i), field))
		default:
			if !field.IsNil() {
				into.Field(i).Set(field)
			}
		}
	}
}
