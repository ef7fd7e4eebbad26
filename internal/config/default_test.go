package config_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/llm/openai"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/kode"
	"github.com/chibi-host/chibi/plugin/kodelet"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/tools/mcp"
)

// TestDefaultsAreThoseOfThePackages: who embeds a package and leaves a field unset
// gets what a run without configuration has.
func TestDefaultsAreThoseOfThePackages(t *testing.T) {
	c, err := load(t, map[string]string{"config.toml": "[[kode.hooks.session_end]]\nexec = 'x'\n[mcp.s]\ncommand = 'x'\n"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Username != agent.DefaultUserName {
		t.Errorf("username is %q, want %q", c.Username, agent.DefaultUserName)
	}
	ms := func(d time.Duration) int { return int(d.Milliseconds()) }
	for key, pair := range map[string][2]int{
		"max_tool_rounds":                   {c.MaxToolRounds, agent.DefaultMaxSteps},
		"max_calls_per_response":            {c.MaxCallsPerResponse, agent.DefaultMaxCalls},
		"max_follow_ups":                    {c.MaxFollowUps, agent.DefaultMaxFollowUps},
		"max_recursion_depth":               {c.MaxRecursionDepth, agent.DefaultMaxRecursion},
		"max_agent_depth":                   {c.MaxAgentDepth, agent.DefaultMaxAgentDepth},
		"max_agent_tokens":                  {c.MaxAgentTokens, agent.DefaultMaxAgentTokens},
		"store_timeout_ms":                  {c.StoreTimeoutMS, ms(store.DefaultTimeout)},
		"store_lease_seconds":               {c.StoreLeaseSeconds, ms(store.DefaultLease) / 1000},
		"mcp.SERVER.timeout_ms":             {c.MCP["s"].TimeoutMS, ms(mcp.DefaultTimeout)},
		"mcp.SERVER.start_timeout_ms":       {c.MCP["s"].StartTimeoutMS, ms(mcp.StartTimeout)},
		"tool_output_cache_threshold":       {c.ToolOutputCacheThreshold, agent.DefaultCacheThreshold},
		"tool_cache_preview_chars":          {c.ToolCachePreviewChars, agent.DefaultCachePreview},
		"request_first_byte_timeout_ms":     {c.RequestFirstByteTimeoutMS, ms(openai.DefaultFirstByteTimeout)},
		"request_idle_timeout_ms":           {c.RequestIdleTimeoutMS, ms(openai.DefaultIdleTimeout)},
		"limits.answer_bytes":               {c.Limits.AnswerBytes, openai.DefaultAnswerBytes},
		"limits.note_bytes":                 {c.Limits.NoteBytes, contexts.DefaultNote},
		"limits.message_bytes":              {c.Limits.MessageBytes, contexts.DefaultMessage},
		"limits.inbox_bytes":                {c.Limits.InboxBytes, contexts.DefaultInbox},
		"limits.hook_answers_bytes":         {c.Limits.HookAnswersBytes, plugin.DefaultAnswers},
		"limits.plugin_stderr_bytes":        {c.Limits.PluginStderrBytes, process.DefaultMaxStderr},
		"storage.partition_max_entries":     {c.Storage.MaxEntries, contexts.DefaultMaxEntries},
		"storage.partition_max_tokens":      {c.Storage.MaxTokens, contexts.DefaultMaxTokens},
		"storage.partition_max_age_seconds": {c.Storage.MaxAgeSeconds, ms(contexts.DefaultMaxAge) / 1000},
		"storage.bytes_per_token":           {c.Storage.BytesPerToken, contexts.DefaultBytesPerToken},
		"plugins.probe_timeout_ms":          {c.Plugins.ProbeTimeoutMS, ms(native.DefaultProbeTimeout)},
		"plugins.probe_timeout_ms, Kodelet": {c.Plugins.ProbeTimeoutMS, ms(kodelet.DefaultQueryTimeout)},
		"plugins.hook_timeout_ms":           {c.Plugins.HookTimeoutMS, ms(oneshot.DefaultTimeout)},
		"plugins.tool_timeout_ms":           {c.Plugins.ToolTimeoutMS, ms(native.DefaultToolTimeout)},
		"plugins.ask_timeout_ms":            {c.Plugins.AskTimeoutMS, ms(process.DefaultPatience)},
		"plugins.max_tool_output_bytes":     {c.Plugins.MaxToolOutputBytes, native.DefaultMaxToolOutput},
		"kode.hooks.EVENT.timeout_ms":       {c.Kode.List()[0].TimeoutMS, ms(kode.DefaultTimeout)},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %d, the package's default is %d", key, pair[0], pair[1])
		}
	}
}

// TestNamesAreThoseOfThePackages: every event of Kode and every agent can be named.
func TestNamesAreThoseOfThePackages(t *testing.T) {
	names := slices.Sorted(maps.Keys(kode.Events()))
	text, got := "", []string{}
	for _, event := range names {
		text += "[[kode.hooks." + event + "]]\nexec = 'x'\n"
	}
	c, err := load(t, map[string]string{"config.toml": text})
	for _, hook := range c.Kode.List() {
		got = append(got, hook.Event)
	}
	if slices.Sort(got); err != nil || !slices.Equal(got, names) {
		t.Errorf("%v, %v; want %v", got, err, names)
	}
	for _, table := range agents.All() {
		for _, name := range append(table.Aliases, table.Name) {
			c, err := load(t, map[string]string{"config.toml": "[foreign." + name + "]\nuser = true\n"})
			if err != nil || !c.Foreign.ByName[table.Name].User {
				t.Errorf("%s is not %s: %v", name, table.Name, err)
			}
		}
	}
}

func TestKeysMayBeWrittenInCapitals(t *testing.T) {
	c, err := load(t, map[string]string{"config.toml": "Model = 'm'\n[API]\nSeed = 1\n"})
	if err != nil || c.Model != "m" || c.API.Seed == nil {
		t.Errorf("model %q, seed %v, %v", c.Model, c.API.Seed, err)
	}
}

func TestHoldsKey(t *testing.T) {
	for text, want := range map[string]bool{
		"api_key = 'sk'": true, "API_KEY = 'sk'": true, "[a]\napi_key = 'sk'": true, "api_key = ''": false,
		"model = 'm'": false, "Api_Key = ": true, "model = ": false,
	} {
		if got := config.HoldsKey([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
