package native_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/tools"
)

// safetyGuard is the guard of the first chibi's hook document, as it stands
// there: it looks into the variable.
const safetyGuard = `
case "$CHIBI_HOOK" in
pre_tool)
	tool=$(echo "$CHIBI_HOOK_DATA" | jq -r '.tool_name')
	if [ "$tool" = shell ] && echo "$CHIBI_HOOK_DATA" | jq -r '.arguments.command' | grep -qE 'rm -rf'; then
		echo '{"block": true, "message": "no"}'
		exit 0
	fi
	echo '{}' ;;
*) echo '{}' ;;
esac`

func TestNoPaddingGetsPastAGuard(t *testing.T) {
	const sees = `line=$(cat); case "$line" in *"rm -rf"*) echo '{"block":true,"message":"no"}';; esac`
	const tooLarge = `plugin "p" could not see this call, which is too large for that hook`
	for _, test := range []struct {
		name, body string
		onFailure  plugin.Failure
		padding    int
		message    string // how the block begins; "": the call runs
	}{
		{name: "the variable holds it and is not looked at", body: "echo '{}'", padding: 100_000},
		{name: "a guard that reads standard input", body: sees, padding: 140_000, message: "no"},
		{name: "a guard that reads and has no opinion", body: "cat >/dev/null", padding: 140_000},
		{name: "the seed's guard", body: safetyGuard, padding: 140_000, message: tooLarge},
		{name: "silence", body: "exit 0", padding: 140_000, message: tooLarge},
		{name: "an allow", body: `echo '{"block":false}'`, padding: 140_000, message: tooLarge},
		{name: "a rewrite", body: `echo '{"arguments":{}}'`, padding: 140_000, message: tooLarge},
		{name: "nonsense", body: `echo hello`, padding: 140_000, message: tooLarge},
		{name: "a crash", body: `exit 3`, padding: 140_000, message: tooLarge},
		{name: "a block", body: `echo '{"block":true,"message":"never"}'`, padding: 140_000, message: "never"},
		{name: "the configuration lets failures block", body: "exit 0", onFailure: plugin.Block,
			padding: 140_000, message: tooLarge},
		{name: "the configuration lets failures pass", body: "exit 0", onFailure: plugin.Ignore, padding: 140_000},
		{name: "10 MB", body: "exit 0", padding: 10 << 20, message: tooLarge},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newPluginDir(t).plugin("p", `{"name":"p","hooks":["pre_tool"]}`, test.body)
			loaded := f.load(native.Options{Overrides: map[string]plugin.Override{"p": {OnFailure: test.onFailure}}})
			var notices []string
			host := &plugin.Host{Plugins: loaded.Plugins, Notify: func(n plugin.Notice) { notices = append(notices, n.Text) }}
			arguments := fmt.Sprintf(`{"command":"rm -rf / #%s"}`, strings.Repeat("x", test.padding))
			call := hookpoints.PreToolPayload{ToolName: "shell", Arguments: json.RawMessage(arguments)}
			verdict, err := plugin.Fire(t.Context(), host, hookpoints.PreTool, call)
			if err != nil || verdict.Block != (test.message != "") || !strings.HasPrefix(verdict.Message, test.message) ||
				verdict.Arguments != nil {
				t.Errorf("verdict = %.300v, %v; notices %q", verdict, err, notices)
			}
			if said := strings.Join(notices, ""); (test.message == tooLarge) != strings.Contains(said,
				`on_failure = "ignore" in [plugins."p"]`) {
				t.Errorf("notices = %q", notices)
			}
		})
	}
}

func TestAPayloadThatNobodyReadElsewhere(t *testing.T) {
	padding := strings.Repeat("x", 140_000)
	f := newPluginDir(t).plugin("p", `{"name":"p","hooks":["pre_message","post_message"]}`, `echo '{"prompt":"other"}'`)
	for _, test := range []struct {
		name      string
		onFailure plugin.Failure
		notice    string
		blocked   bool
	}{
		{"is a failure", "", "it read nothing of a payload of 140 kB, which only standard input can carry; went on " +
			"without it", false},
		{"is a failure that blocks if told so", plugin.Block,
			"it read nothing of a payload of 140 kB, which only standard input can carry; blocked, as its on_failure asks for",
			true},
	} {
		t.Run(test.name, func(t *testing.T) {
			loaded := f.load(native.Options{Overrides: map[string]plugin.Override{"p": {OnFailure: test.onFailure}}})
			var notices []string
			host := &plugin.Host{Plugins: loaded.Plugins, Notify: func(n plugin.Notice) { notices = append(notices, n.Text) }}
			answer, err := plugin.Fire(t.Context(), host, hookpoints.PreMessage, hookpoints.PreMessagePayload{Prompt: padding})
			if err != nil || answer.Prompt != nil || answer.Block != test.blocked || strings.Join(notices, "; ") != test.notice {
				t.Errorf("answer = %+v, %v; notices = %q", answer, err, notices)
			}
		})
	}
	t.Run("is none where nobody can change anything", func(t *testing.T) {
		f := newPluginDir(t).plugin("p", `{"name":"p","hooks":["post_message"]}`, `echo '{"ok":true}'`)
		host := &plugin.Host{Plugins: f.load(native.Options{}).Plugins, Notify: func(n plugin.Notice) { t.Error(n) }}
		if _, err := plugin.Fire(t.Context(), host, hookpoints.PostMessage,
			hookpoints.PostMessagePayload{Prompt: padding}); err != nil {
			t.Error(err)
		}
	})
}

func TestALargePayloadNeedsNoTemporaryDirectory(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "not", "there"))
	f := newPluginDir(t).plugin("p", `{"name":"p","hooks":["pre_message"]}`,
		`printf '{"prompt":"%s"}' "$(wc -c | tr -d ' ')"`)
	prompt := strings.Repeat("x", 200_000)
	if got, want := firePrompt(t, f.load(native.Options{}), prompt),
		fmt.Sprint(len(`{"prompt":"","context_name":"c","summary":""}`)+len(prompt)+1); got != want {
		t.Errorf("it read %s bytes, want %s", got, want)
	}
}

func TestAToolThatDidNotReadItsArguments(t *testing.T) {
	const unread = "the tool did not read its arguments: 140 kB are too large for CHIBI_TOOL_ARGS, so they are on " +
		"standard input only; make them smaller"
	for _, test := range []struct{ name, schema, body, want string }{
		{"is told to the model", `{"name":"p"}`, `echo "done $CHIBI_TOOL_ARGS"`, "Error: " + unread +
			"\nstdout before that:\ndone \n"},
		{"with its own failure", `{"name":"p"}`, `exit 2`, "Error: exit status 2; " + unread},
		{"is another one if it read them", `{"name":"p"}`, `wc -c | tr -d ' '`, "140010\n"},
		{"is not started if it wants the terminal", `{"name":"p","stdin":"inherit"}`, `touch "$CHIBI_HOME/started"`,
			"Error: could not be started: 140 kB of data are too large for the environment, and its standard input is the " +
				"terminal; " + unread},
	} {
		t.Run(test.name, func(t *testing.T) {
			home := t.TempDir()
			loaded := newPluginDir(t).plugin("p", test.schema, test.body).load(native.Options{Home: home})
			arguments := json.RawMessage(`{"text":"` + strings.Repeat("x", 139_998) + `"}`)
			got, err := loaded.Plugins[0].Tools[0].Call(t.Context(), tools.Call{Arguments: arguments})
			if err != nil || got.Told() != test.want {
				t.Errorf("result = %q, %v\nwant     %q", got.Told(), err, test.want)
			}
			if _, err := os.Stat(filepath.Join(home, "started")); err == nil {
				t.Error("it was started")
			}
		})
	}
}
