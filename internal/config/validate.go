package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// validate refuses values that no one could mean.
func (l layer) validate() (key string, err error) {
	for _, n := range l.positive() {
		if n.value != nil && *n.value < n.least {
			if n.least == 1 {
				return n.key, fmt.Errorf("%s is %d; want a number above 0", n.key, *n.value)
			}
			return n.key, fmt.Errorf("%s is %d; want %d or more", n.key, *n.value, n.least)
		}
	}
	for _, p := range l.percentages() {
		if p.value != nil && (*p.value < 0 || *p.value > 100) {
			return p.key, fmt.Errorf("%s is %v; want a percentage from 0 to 100", p.key, *p.value)
		}
	}
	if l.BaseURL != nil && !isAddress(*l.BaseURL) {
		return "base_url", fmt.Errorf("base_url %q is not an address; begin it with https:// or http://, "+
			"as in http://localhost:11434/v1", *l.BaseURL)
	}
	if key, err := l.Plugins.validate(); err != nil {
		return key, err
	}
	for _, path := range l.FileToolsAllowedPaths {
		if strings.TrimSpace(path) == "" {
			return "file_tools_allowed_paths", errors.New("file_tools_allowed_paths has an empty entry, which would be the " +
				"current folder; remove it, or write \".\" if you mean that")
		}
	}
	for _, pattern := range l.Trace.Redact {
		if _, err := regexp.Compile(pattern); err != nil {
			return "redact", fmt.Errorf("trace.redact: %v", err)
		}
	}
	return l.Kode.validate()
}

// isAddress reports whether a text is the address of a server.
func isAddress(text string) bool {
	address, err := url.Parse(text)
	return err == nil && address.Host != "" && (address.Scheme == "http" || address.Scheme == "https")
}

// atLeast is a number with its smallest value.
type atLeast struct {
	key   string
	value *int
	least int
}

func (l layer) positive() []atLeast {
	return []atLeast{
		{"plugins.probe_timeout_ms", l.Plugins.ProbeTimeoutMS, 1},
		{"plugins.hook_timeout_ms", l.Plugins.HookTimeoutMS, 1},
		{"plugins.tool_timeout_ms", l.Plugins.ToolTimeoutMS, 1},
		{"plugins.ask_timeout_ms", l.Plugins.AskTimeoutMS, 1},
		{"plugins.max_tool_output_bytes", l.Plugins.MaxToolOutputBytes, 1},
		{"trace.max_bytes", l.Trace.MaxBytes, 65536},
		{"tool_output_cache_threshold", l.ToolOutputCacheThreshold, 1},
		{"tool_cache_preview_chars", l.ToolCachePreviewChars, 0},
		{"tool_cache_max_age_days", l.ToolCacheMaxAgeDays, 0},
		{"tool_cache_max_bytes", l.ToolCacheMaxBytes, 0},
		{"context_window_limit", l.ContextWindowLimit, 1},
		{"reflection_character_limit", l.ReflectionCharacterLimit, 1},
		{"max_recursion_depth", l.MaxRecursionDepth, 1},
		{"max_tool_rounds", l.MaxToolRounds, 1},
		{"max_calls_per_response", l.MaxCallsPerResponse, 1},
		{"max_follow_ups", l.MaxFollowUps, 1},
		{"request_idle_timeout_ms", l.RequestIdleTimeoutMS, 1},
		{"request_first_byte_timeout_ms", l.RequestFirstByteMS, 1},
		{"limits.answer_bytes", l.Limits.AnswerBytes, 1024},
		{"limits.note_bytes", l.Limits.NoteBytes, 1024},
		{"limits.message_bytes", l.Limits.MessageBytes, 1024},
		{"limits.inbox_bytes", l.Limits.InboxBytes, 1024},
		{"limits.prompt_bytes", l.Limits.PromptBytes, 1024},
		{"limits.hook_answers_bytes", l.Limits.HookAnswersBytes, 1024},
		{"limits.plugin_stderr_bytes", l.Limits.PluginStderrBytes, 1024},
		{"storage.partition_max_entries", l.Storage.PartitionMaxEntries, 1},
		{"storage.partition_max_tokens", l.Storage.PartitionMaxTokens, 1},
		{"storage.partition_max_age_seconds", l.Storage.PartitionMaxAgeSeconds, 60},
		{"storage.bytes_per_token", l.Storage.BytesPerToken, 1},
	}
}

// percentage is a number from 0 to 100.
type percentage struct {
	key   string
	value *float64
}

func (l layer) percentages() []percentage {
	return []percentage{
		{"warn_threshold_percent", l.WarnThresholdPercent},
		{"auto_compact_threshold", l.AutoCompactThreshold},
		{"rolling_compact_drop_percentage", l.RollingCompactDrop},
	}
}
