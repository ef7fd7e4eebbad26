package within

import (
	"slices"
	"strings"
)

// Row says what becomes of a command, a flag or a key of the configuration within a command
// of a model.
type Row struct {
	// Names are what the row is about: commands as "plugin remove"; flags by their long names;
	// keys as they are written, where one stands for those below it too.
	Names []string
	// Why says what it would do, Instead what the person does; "": it is not refused, because
	// it makes nothing looser.
	Why, Instead string
	// Unless is a flag of the command with which it is not refused.
	Unless string
	// OnlySet says that a key is refused for --set only: in a local.toml the person has written it.
	OnlySet bool
	// Shared says that a flag is not refused if the run around the command has it itself.
	Shared bool
}

// Refused reports whether it is refused.
func (r Row) Refused() bool { return r.Why != "" }

// The way for the person to do it.
const (
	// ByYourself is for commands.
	ByYourself = "run it yourself, in a terminal of your own"
	// Outside is for flags and keys.
	Outside = "give it to the run around this one, or run this yourself"
)

// Commands judges the commands.
func Commands() []Row {
	return []Row{
		{Names: []string{"plugin disable", "plugin remove"}, Why: "it can take out a plugin that guards calls of the model"},
		{Names: []string{"plugin install", "plugin enable"}, Why: "it brings in code that can answer in your place"},
		{Names: []string{"plugin keeper stop"}, Why: "it ends processes of plugins that guard calls of the model"},
		{Names: []string{"trust"}, Why: "you decide what a project may run; chibi does not refuse --list",
			Unless: "list"},
		{Names: []string{"mcp add", "mcp login"}, Why: "you decide which servers the model can use, and as whom"},
		{Names: []string{"mcp approve"}, Why: "you decide whether to trust a changed tool"},
		{Names: []string{"bridge add", "bridge remove"}, Why: "you decide which agents your plugins guard"},
		{Names: []string{"uninstall"}, Why: "it takes out the plugins that guard calls of the model"},
		{Names: []string{"unsent remove"}, Why: "entries that chibi could not store exist only once"},
		{Names: []string{"store copy", "store settings", "store unlock"},
			Why: "it can replace what the settings of a context forbid"},
		{Names: []string{ // plugin new and trace write outside the home, and rules decide about a call as about the model's
			"context list", "context show", "context switch", "context rename", "context archive", "context compact",
			"context delete", "context failed", "history", "retry", "cache list", "cache show", "cache clear", "store init",
			"store status", "store gc", "store check", "plugin list", "plugin new", "plugin check", "plugin test",
			"plugin watch", "plugin show",
			"plugin keeper status", "plugin keeper serve", "tool list", "tool call", "mcp list", "mcp check", "mcp refresh",
			"mcp call", "mcp logout", "mcp serve", "recipe run", "recipe list", "recipe show", "trace", "replay", "doctor",
			"hook list", "hook fire", "hook run", "hook show", "hook schema", "bridge list", "bridge show",
			"bridge run", "bridge serve", "bridge verify",
			"demo", "jobs list", "jobs end", "unsent list", "unsent show",
			"unsent add", "completion", "__complete", "help",
		}},
	}
}

// Flags judges the flags that may precede a command or a prompt. What --set may set is in
// [Keys]; it refuses another --home than the home of the run around.
func Flags() []Row {
	return []Row{
		{Names: []string{"trust-tools", "accept-edits"}, Why: "it answers questions that are yours", Shared: true},
		{Names: []string{"allow"}, Why: "you decide which calls happen without a question"},
		{Names: []string{"no-plugins", "no-hooks"}, Why: "it leaves out plugins that guard calls of the model", Shared: true},
		{Names: []string{"trust-project"}, Why: "you decide what a project may run", Shared: true},
		{Names: []string{"no-trace", "no-save"}, Why: "you decide which records of the model's work are kept"},
		{Names: []string{"store"}, Why: "contexts of another store lack the rules of this run's contexts"},
		{Names: []string{
			"switch-context", "transient-context", "list-current-context", "list-contexts", "limit", "newest",
			"show-current-log", "show-log", "archive-current-history", "archive-history",
			"compact-current-context", "compact-context", "rename-current-context", "rename-context",
			"destroy-current-context", "destroy-context", "check-all-inboxes", "check-inbox-for",
			"wait-for-mail", "loop", "set-current-system-prompt", "set-system-prompt",
			"transient-system-prompt", "inspect-current", "inspect", "clear-cache", "clear-cache-for",
			"cleanup-cache", "set-username", "transient-username", "set", "save", "no-chibi", "force-chibi",
			"coding", "deny", "no-tool-calls", "plugin", "call-tool", "trace", "recipe", "arg", "home", "wait",
			"strict", "yes", "raw", "json-output", "json-config", "json-schema", "debug", "destroy-at",
			"destroy-after-inactive", "verbose", "quiet", "help", "version",
		}},
	}
}

// Keys judges the keys of the configuration, for --set and for the local.toml of another context
// than the context of the run around. The row with the longest name counts.
func Keys() []Row {
	return []Row{
		{Names: []string{"permissions", "url_policy"}, Why: "you decide which calls happen without a question"},
		{Names: []string{"permissions.deny", "permissions.ask", "url_policy.default", "url_policy.deny_override",
			"url_policy.deny"}},
		{Names: []string{"plugins", "kode", "foreign"}, Why: "it can leave out plugins that guard calls of the model"},
		{Names: []string{"tools"}, Why: "you decide which tools the model has, and how they are confined"},
		{Names: []string{"tools.coding", "tools.agents"}},
		{Names: []string{"file_tools_allowed_paths", "file_tools_write_paths"},
			Why: "you decide which files the model may read and write"},
		{Names: []string{"limits.hook_answers_bytes"}, Why: "plugins that answer more fail, and the call may happen"},
		{Names: []string{"mcp"}, Why: "you decide which servers the model can use", OnlySet: true},
		{Names: []string{"bridge"}, Why: "you decide what your plugins may do in other agents", OnlySet: true},
		{Names: []string{"base_url"}, Why: "the key for the model's server would go to that address", OnlySet: true},
		{Names: []string{"trace"}, Why: "you decide which records of the model's work are kept", OnlySet: true},
		{Names: []string{
			"api_key", "model", "username", "context_window_limit", "warn_threshold_percent", "auto_compact",
			"auto_compact_threshold", "rolling_compact_drop_percentage", "reflection_enabled", "reflection_character_limit",
			"max_tool_rounds", "max_calls_per_response", "max_follow_ups", "max_recursion_depth", "max_agent_depth",
			"max_agent_tokens", "request_first_byte_timeout_ms", "request_idle_timeout_ms", "lock_heartbeat_seconds", "api",
			"tool_output_cache_threshold", "tool_cache_preview_chars", "auto_cleanup_cache", "tool_cache_max_age_days",
			"tool_cache_max_bytes", "project_instructions", "store", "store_credentials", "store_ca", "store_timeout_ms",
			"store_lease_seconds", "storage", "network", "mail", "limits",
		}},
	}
}

// find returns the row that has a name; known is false if there is none.
func find(rows []Row, name string) (row Row, known bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return slices.Contains(r.Names, name) })
	if i < 0 {
		return row, false
	}
	return rows[i], true
}

// Command returns the row of a command; known is false if there is none.
func Command(name string) (row Row, known bool) {
	row, known = find(Commands(), name)
	row.Instead = ByYourself
	return row, known
}

// Flag returns the row of a flag, by its long name; known is false if there is none.
func Flag(name string) (row Row, known bool) {
	row, known = find(Flags(), name)
	row.Instead = Outside
	return row, known
}

// Key returns the row of a key, in lower case and with dots between its parts; known is false
// if there is none.
func Key(name string) (row Row, known bool) {
	for !known && name != "" {
		row, known = find(Keys(), name)
		name = name[:max(0, strings.LastIndexByte(name, '.'))]
	}
	row.Instead = Outside
	return row, known
}
