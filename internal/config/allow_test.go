package config_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/google/go-cmp/cmp"
)

func TestRulesOfAllSourcesHold(t *testing.T) {
	dir := home(t, map[string]string{
		"config.toml":              "[permissions]\ndeny = [\n  'shell_exec(rm *)',\n]\nallow = ['read_file']\n",
		"contexts/work/local.toml": "[permissions]\ndeny = []\nask = ['shell']\nallow = ['shell_exec(ls)']\n",
	})
	c, err := config.Load(config.Sources{Home: dir, Local: localOf(t, dir, "work"), Env: func(string) string { return "" },
		Set: []string{"permissions.deny=['fetch']"}, Allow: []string{`shell_exec(echo "a")`}, Deny: []string{"edit"}})
	if err != nil {
		t.Fatal(err)
	}
	texts := func(list config.Rules) (texts []string) {
		for _, r := range list {
			texts = append(texts, r.Text+" of "+strings.TrimPrefix(r.Where, dir+"/"))
		}
		return texts
	}
	for name, test := range map[string]struct {
		got  config.Rules
		want []string
	}{
		"deny": {c.Permissions.Deny, []string{"shell_exec(rm *) of config.toml:3",
			"fetch of --set permissions.deny=['fetch']", "edit of --deny"}},
		"ask": {c.Permissions.Ask, []string{"shell of contexts/work/local.toml:3"}},
		"allow": {c.Permissions.Allow, []string{"read_file of config.toml:5",
			"shell_exec(ls) of contexts/work/local.toml:4",
			`shell_exec(echo "a") of --allow`}},
	} {
		if diff := cmp.Diff(test.want, texts(test.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if text, _ := c.Value("permissions.ask"); text != "shell" {
		t.Errorf("permissions.ask is shown as %q", text)
	}
}

func TestAListOfRulesThatIsNone(t *testing.T) {
	for text, want := range map[string]string{
		"[permissions]\ndeny = 'shell'\n":             "config.toml:2: permissions.deny: want a list, got a string",
		"[permissions]\ndeny = [\n'shell',\n7]\n":     "config.toml:4: permissions.deny: want a string, got a whole number",
		"[[permissions.deny]]\n":                      "config.toml:1: permissions.deny: want a list, got a list of tables",
		"[permissions]\ndenny = []\n":                 `unknown key "permissions.denny"; did you mean "permissions.deny"?`,
		"tools.exclude_categories = ['shel']\n":       `config.toml:1: tools.exclude_categories names "shel", which`,
		"file_tools_write_paths = ['']\n":             "config.toml:1: file_tools_write_paths has an empty entry",
		"[models]\n":                                  `unknown key "models"`,
		"[permissions.deny]\nshell = true\n":          "config.toml:1: permissions.deny: want a list, got a table",
		"permissions.deny.shell = true\n":             "config.toml:1: permissions.deny: want a list, got a table",
		"permissions = ['shell']\n":                   "config.toml:1: permissions: want a table, got a list",
		"[tools]\ncoding = 'yes'\n":                   "config.toml:2: tools.coding: want true or false, got a string",
		"tools.exclude_categories = ['shell', 'a']\n": "they are shell, read, write, edit, search, fetch, agent, mcp",
	} {
		_, err := load(t, map[string]string{"config.toml": text})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error = %v\nwant    %s", text, err, want)
		}
	}
}

func TestAllowRuleKeepsComments(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"an empty file", "", "[permissions]\nallow = ['new']\n"},
		{"no list", "# mine\nmodel = 'm'\n\n[permissions] # p\ndeny = ['a'] # d\n",
			"# mine\nmodel = 'm'\n\n[permissions] # p\ndeny = ['a'] # d\nallow = ['new']\n"},
		{"an empty list", "permissions.allow = [] # c\n", "permissions.allow = ['new'] # c\n"},
		{"a list on one line", "permissions.allow = [ 'a', 'b' ] # c\n",
			"permissions.allow = [ 'a', 'b', 'new' ] # c\n"},
		{"with a comma at its end", "permissions.allow = ['a', 'b', ] # c\n",
			"permissions.allow = ['a', 'b', 'new' ] # c\n"},
		{"several lines",
			"[permissions]\nallow = [ # why\n\t'a', # of a\n\t'b' # of b\n\t# the end\n]\nask = ['q']\n",
			"[permissions]\nallow = [ # why\n\t'a', # of a\n\t'b', # of b\n\t# the end\n\t'new',\n]\nask = ['q']\n"},
		{"several lines of Windows", "[permissions]\r\nallow = [\r\n  'a',\r\n]\r\n",
			"[permissions]\r\nallow = [\r\n  'a',\r\n  'new',\r\n]\r\n"},
		{"only a comment", "[permissions]\nallow = [\n  # none yet\n]\n",
			"[permissions]\nallow = [\n  # none yet\n  'new',\n]\n"},
		{"the last value beside the bracket", "permissions.allow = ['a',\n  'b']\n",
			"permissions.allow = ['a',\n  'b', 'new']\n"},
		{"an inline table", "permissions = {deny = ['d'], allow = ['a']}\n",
			"permissions = {deny = ['d'], allow = ['a', 'new']}\n"},
		{"it is there", "permissions.allow = ['new']\n", "permissions.allow = ['new']\n"},
		{"a comma and a bracket in a text", "permissions.allow = ['a,]#' ]\n",
			"permissions.allow = ['a,]#', 'new' ]\n"},
		{"a comma in a comment", "permissions.allow = [\n  'a' # a, b\n]\n",
			"permissions.allow = [\n  'a', # a, b\n  'new',\n]\n"},
	} {
		got, err := config.AllowRule("config.toml", []byte(test.before), "new")
		if err != nil || string(got) != test.after {
			t.Errorf("%s: %v\n got %q\nwant %q", test.name, err, got, test.after)
		}
	}
	if _, err := config.AllowRule("config.toml", []byte("modle = 1"), "new"); err == nil {
		t.Error("a file with a mistake was changed")
	}
}

func FuzzAllowRule(f *testing.F) {
	f.Add("[permissions]\nallow = [ # c\n 'a', # d\n]\n", "b")
	f.Add("permissions = {allow = ['a']}", "'\"\n")
	f.Fuzz(func(t *testing.T, text, rule string) {
		fuzztest.Memory(t)
		got, err := config.AllowRule("f.toml", []byte(text), rule)
		if err != nil {
			return
		}
		again, err := config.AllowRule("f.toml", got, rule)
		if err != nil || string(again) != string(got) {
			t.Errorf("%q: added twice: %q, then %q, %v", text, got, again, err)
		}
		if strings.Count(string(got), "#") < strings.Count(text, "#") {
			t.Errorf("%q: a comment is gone: %q", text, got)
		}
	})
}
