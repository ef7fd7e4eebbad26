package native_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
)

// TestNoPaddingGetsPastAPermissionHook: a plugin that has not read a command too large for
// the environment cannot let it pass, not even by allowing it.
func TestNoPaddingGetsPastAPermissionHook(t *testing.T) {
	const reads = `line=$(cat); case "$line" in *"git push"*) echo '{"denied":true,"reason":"no"}';; esac`
	const tooLarge = `plugin "p" could not see this call, which is too large for that hook`
	for _, test := range []struct {
		name, body string
		padding    int
		onFailure  plugin.Failure
		want       hookpoints.Decision
		reason     string // how it begins
	}{
		{"a guard that reads standard input", reads, 140_000, "", "deny", "no"},
		{"silence", "exit 0", 140_000, "", "deny", tooLarge},
		{"a permission", `echo '{"decision":"allow"}'`, 140_000, "", "deny", tooLarge},
		{"a question", `echo '{"decision":"ask"}'`, 140_000, "", "deny", tooLarge},
		{"a permission for an older chibi", `echo '{"approved":true}'`, 140_000, "", "deny", tooLarge},
		{"a crash", "exit 3", 140_000, "", "deny", tooLarge},
		{"a denial", `echo '{"denied":true,"reason":"never"}'`, 140_000, "", "deny", "never"},
		{"the configuration lets failures pass", "exit 0", 140_000, plugin.Ignore, "", ""},
		{"what fits is in the variable", `echo '{"decision":"allow"}'`, 100_000, "", "allow", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newPluginDir(t).plugin("p", `{"name":"p","hooks":["pre_shell_exec"]}`, test.body)
			loaded := f.load(native.Options{Overrides: map[string]plugin.Override{"p": {OnFailure: test.onFailure}}})
			command := "git push #" + strings.Repeat("x", test.padding)
			answer, err := plugin.Fire(t.Context(), &plugin.Host{Plugins: loaded.Plugins}, hookpoints.PreShellExec,
				hookpoints.PreShellExecPayload{ToolName: "shell_exec", Command: command,
					FinalCall: hookpoints.FinalCall{Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, test.padding))}})
			if err != nil || answer.Verdict() != test.want || !strings.HasPrefix(answer.Reason, test.reason) {
				t.Errorf("got %+v, %v; want %q, %q", answer, err, test.want, test.reason)
			}
		})
	}
}
