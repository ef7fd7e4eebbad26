package native

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// TestExitStatus2SaysHowToBlock at each point that can refuse, because in other agents it does.
func TestExitStatus2SaysHowToBlock(t *testing.T) {
	for _, info := range hookpoints.All() {
		answer, err := codec{}.Decode(plugin.Event{Point: info.Name}, process.Outcome{Exit: 2, Stderr: "no\n"})
		want := "exit status 2 (no)"
		if info.CanBlock() {
			want += "; to block, a plugin answers " + plugin.HowToBlock(info) + " with exit status 0"
		}
		if err == nil || err.Error() != want || answer.Body != nil {
			t.Errorf("%s: %v, answer %s; want %s", info.Name, err, answer.Body, want)
		}
	}
	_, err := codec{}.Decode(plugin.Event{Point: hookpoints.PreTool.Name}, process.Outcome{Exit: 1})
	if err == nil || strings.Contains(err.Error(), "block") {
		t.Errorf("another status: %v", err)
	}
}
