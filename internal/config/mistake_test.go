package config_test

import (
	"strings"
	"testing"
)

// TestAMistakeIsFoundWhereItStands: each text has its mistake on the line that ends
// with "# here".
func TestAMistakeIsFoundWhereItStands(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"the second of two tables", "[plugins.a]\ntimeout_ms = 5\n[plugins.b]\ntimeout_ms = 0 # here",
			"plugins.b.timeout_ms is 0; want a number above 0"},
		{"a key that another table has too", "[api]\nmax_tokens = 5\n\n[api.reasoning]\nmax_tokens = 'many' # here",
			"api.reasoning.max_tokens: want a whole number, got a string"},
		{"the first of two tables", "[plugins.a]\non_failure = 'no' # here\n[plugins.b]\non_failure = 'block'",
			`plugins.a.on_failure is "no"; want "ignore" or "block"`},
		{"an unknown key of the second table", "[plugins.a]\nenabled = true\n[plugins.b]\nenabld = true # here",
			`unknown key "plugins.b.enabld"; did you mean "plugins.b.enabled"?`},
		{"an unknown table", "[api]\nseed = 1\n[tols] # here\ninclude = []", `unknown key "tols"; did you mean "tools"?`},
		{"a table for a value", "[plugins.a]\nenabled = true\n[plugins.a.timeout_ms] # here",
			"plugins.a.timeout_ms: want a whole number, got a table"},
		{"a list of tables for a table", "model = 'm'\n[[api]] # here\nseed = 1",
			"api: want a table, got a list of tables"},
		{"a name with a dot", "[plugins.'a.py']\nstdin = 'data'\n[plugins.\"b.py\"]\nstdin = 'x' # here",
			`plugins.'b.py'.stdin is "x"; want "data" or "inherit"`},
		{"the second element of an array of tables", "[[kode.hooks.session_end]]\nexec = 'a'\ntimeout_ms = 1\n" +
			"[[kode.hooks.session_end]]\nexec = 'b'\ntimeout_ms = 0 # here",
			"kode.hooks.session_end.timeout_ms is 0; want a number above 0"},
		{"an unknown key in it", "[[kode.hooks.session_end]]\nexec = 'a'\n[[kode.hooks.session_end]]\nexe = 'b' # here",
			`unknown key "kode.hooks.session_end.exe"; did you mean "kode.hooks.session_end.exec"?`},
		{"an element that lacks a key", "[[kode.hooks.session_end]]\nexec = 'a'\n[[kode.hooks.session_end]] # here\n" +
			"args = ['b']\n[[kode.hooks.session_end]]\nexec = 'c'",
			`entry 2 of kode.hooks.session_end has no exec; write exec = "PROGRAM"`},
		{"the last element lacks it", "[[kode.hooks.session_end]]\nexec = 'a'\n[[kode.hooks.session_end]] # here",
			`entry 2 of kode.hooks.session_end has no exec; write exec = "PROGRAM"`},
		{"an inline element that lacks it", "kode.hooks.session_end = [\n{exec = 'a'},\n{args = ['b']}, # here\n]",
			`entry 2 of kode.hooks.session_end has no exec; write exec = "PROGRAM"`},
		{"a value in an inline element", "kode.hooks.session_end = [\n{exec = 'a', timeout_ms = 1},\n" +
			"{exec = 'b', timeout_ms = 0}, # here\n]", "kode.hooks.session_end.timeout_ms is 0; want a number above 0"},
		{"an event that does not exist", "[[kode.hooks.session_end]]\nexec = 'a'\n[[kode.hooks.session_ende]] # here",
			`unknown key "kode.hooks.session_ende"; did you mean "kode.hooks.session_end"?`},
		{"a dotted key", "plugins.a.timeout_ms = 5\nplugins.b.timeout_ms = -1 # here",
			"plugins.b.timeout_ms is -1; want a number above 0"},
		{"a dotted key in a table", "[plugins]\na.timeout_ms = 5\nb.hooks.pre_tool.timeout_ms = -1 # here",
			"plugins.b.hooks.pre_tool.timeout_ms is -1; want a number above 0"},
		{"an unknown dotted key", "api.seed = 1\napi.sed = 2 # here", `unknown key "api.sed"; did you mean "api.seed"?`},
		{"a dotted key below a value", "username = 'u'\nmodel.name = 'm' # here", "model: want a string, got a table"},
		{"an inline table", "tools = {include = []}\napi = {seed = 1, top_p = 'x'} # here",
			"api.top_p: want a number, got a string"},
		{"an inline table over several lines", "api = {\n  seed = 1,\n  reasoning = {\n    effrt = 'low', # here\n  },\n}",
			`unknown key "api.reasoning.effrt"; did you mean "api.reasoning.effort"?`},
		{"a hook in an inline table", "[plugins]\na = {hooks = {pre_tool = {timeout_ms = 1}}}\n" +
			"b = {hooks = {pre_tol = {timeout_ms = 1}}} # here", `plugins.b.hooks.pre_tol: there is no hook point "pre_tol"`},
		{"a guard where nothing blocks", "[plugins.a.hooks.pre_tool]\non_failure = 'block'\n" +
			"[plugins.a.hooks.post_tool]\non_failure = 'block' # here",
			`plugins.a.hooks.post_tool.on_failure is "block", but nothing can be blocked at post_tool`},
		{"a guard at a point that does not block", "[plugins.a]\nguards = ['pre_tool']\n[plugins.b]\n" +
			"guards = ['pre_tool', 'pre_api_request'] # here",
			"plugins.b.guards names pre_api_request, but nothing can be blocked there"},
		{"a guard that only observes", "[plugins.a]\nguards = ['post_tool'] # here",
			"plugins.a.guards names post_tool, but nothing can be blocked there"},
		{"a guard at no point", "[plugins.a]\nguards = ['pre_tol'] # here",
			`plugins.a.guards: there is no hook point "pre_tol" (did you mean "pre_tool"?); chibi hook list names them all`},
		{"a pure plugin in words", "[plugins.a]\npure = 'yes' # here", "plugins.a.pure: want true or false, got a string"},
		{"a list over several lines", "[tools]\ninclude = ['a']\nexclude = [\n  'b',\n  7, # here\n]",
			"tools.exclude: want a string, got a whole number"},
		{"a key in a text is none", "username = '''\ntimeout_ms = 1\n'''\n# timeout_ms = 2\n[plugins.a]\n" +
			"timeout_ms = 0 # here", "plugins.a.timeout_ms is 0; want a number above 0"},
		{"the first mistake of several", "modle = 1 # here\nmax_tool_rounds = 0\n[aip]", `unknown key "modle"`},
		{"a key of a single plugin for all of them", "[plugins]\non_failure = 'block' # here",
			`unknown key "plugins.on_failure"; did you mean "plugins.NAME.on_failure"?`},
		{"a key of a single plugin, misspelt", "plugins.enabeld = false # here",
			`unknown key "plugins.enabeld"; did you mean "plugins.NAME.enabled"?`},
		{"a key that is set twice", "[api]\nseed = 1\nseed = 2 # here", "seed"},
		{"a text without its last quotation mark", "model = \"x # here\n",
			`basic strings cannot have new lines; the text has no quotation mark at its end, as in key = "text"`},
		{"a text without quotation marks", "model = x # here\n",
			"unexpected character U+0078 'x' at start of value; a text stands between quotation marks, as"},
		{"Windows line ends", "[api]\r\nseed = 1\r\ntop_p = true # here", "api.top_p: want a number, got true or false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, _, _ := strings.Cut(test.text, "# here")
			want := "config.toml:" + string(rune('1'+strings.Count(before, "\n"))) + ": " + test.want
			if _, err := load(t, map[string]string{"config.toml": test.text}); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("error = %v\nwant    %s", err, want)
			}
		})
	}
}

func TestAMistakeInModelsIsFoundWhereItStands(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"the second model", "[models.a]\ncontext_window = 1\n[models.b]\ncontext_window = 0 # here",
			"models.b.context_window is 0; want a number above 0"},
		{"an unknown key", "[models.a.api]\nseed = 1\n[models.b.api]\nsed = 1 # here",
			`unknown key "models.b.api.sed"; did you mean "models.b.api.seed"?`},
		{"a key that stands elsewhere only", "[models.a]\nusername = 'x' # here", `unknown key "models.a.username"`},
		{"the name that it has elsewhere", "[models.a]\ncontext_window_limit = 1 # here",
			`unknown key "models.a.context_window_limit"; did you mean "models.a.context_window"?`},
		{"no table of a model", "context_window = 1 # here", `unknown key "context_window"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, _, _ := strings.Cut(test.text, "# here")
			want := "models.toml:" + string(rune('1'+strings.Count(before, "\n"))) + ": " + test.want
			if _, err := load(t, map[string]string{"models.toml": test.text}); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("error = %v\nwant    %s", err, want)
			}
		})
	}
}
