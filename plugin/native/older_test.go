package native

import (
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/google/go-cmp/cmp"
)

// TestAnswersOfPluginsForAnOlderChibi: what they deny stays denied, and is said.
func TestAnswersOfPluginsForAnOlderChibi(t *testing.T) {
	said := []string{`"approved": false means a denial; write {"denied": true, "reason": "why"}`}
	for _, test := range []struct {
		name, printed, want string
		point               hookpoints.Name
		notes               []string
	}{
		{"a denial", `{"approved": false, "reason": "no"}`, `{"denied":true,"reason":"no"}`, "pre_shell_exec", said},
		{"a permission is no opinion", `{"approved":true}`, `{}`, "pre_file_read", nil},
		{"a permission does not lift a denial", `{"approved":true,"denied":true}`, `{"denied":true}`, "pre_file_write", nil},
		{"another type is left to the host", `{"approved":"no"}`, `{"approved":"no"}`, "pre_fetch_url", nil},
		{"elsewhere it means nothing", `{"approved":false}`, `{"approved":false}`, "pre_tool", nil},
		{"in a reason", `{"denied":true,"reason":"not \"approved\""}`, `{"denied":true,"reason":"not \"approved\""}`,
			"pre_tool", nil},
		{"what is no object", `["approved"]`, `["approved"]`, "pre_shell_exec", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer, err := codec{}.Decode(plugin.Event{Point: test.point}, process.Outcome{Stdout: []byte(test.printed)})
			if err != nil || string(answer.Body) != test.want {
				t.Errorf("%s, %v; want %s", answer.Body, err, test.want)
			}
			if diff := cmp.Diff(test.notes, answer.Notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
