package plugin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
)

// inject is an answer of n bytes at pre_system_prompt.
func inject(n int) string {
	const around = `{"inject":""}`
	return strings.Replace(around, `""`, `"`+strings.Repeat("x", n-len(around))+`"`, 1)
}

// own is what each plugin may answer whatever the others did.
const own = 64 << 10

// TestAFloodTakesNoRoomFromAGuard: guards answer last, when others may have used
// what there is for all.
func TestAFloodTakesNoRoomFromAGuard(t *testing.T) {
	l := &log{}
	flood := says("flood", `{"arguments":{"command":"`+strings.Repeat("x", own+2000)+`"}}`, preTool)
	guard := says("guard", `{"block":true,"message":"no"}`, preTool)
	guard.Guards = []hookpoints.Name{preTool}
	h := l.host(flood, guard)
	h.MaxAnswers = 1000
	if verdict := fire(t, h, hookpoints.PreTool, call); !verdict.Block || verdict.Message != "no" {
		t.Errorf("verdict %+v, results %q; want the guard's block", verdict, l.results())
	}
}

// TestAllAnswersOfAMomentShareOneBound: 16 answers of 8 MB took a gigabyte.
func TestAllAnswersOfAMomentShareOneBound(t *testing.T) {
	point := hookpoints.PreSystemPrompt
	for _, test := range []struct {
		name   string
		size   int
		failed bool
	}{
		{"together within it", own + 250, false},
		{"together beyond it", own + 251, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &log{}
			h := l.host()
			for i := range 4 {
				h.Plugins = append(h.Plugins, says(fmt.Sprint("p", i), inject(test.size), point.Name))
			}
			h.MaxAnswers = 1000
			fire(t, h, point, hookpoints.SystemPromptPayload{})
			failed := strings.Count(strings.Join(l.results(), " "), "failed")
			if (failed == 1) != test.failed || failed > 1 {
				t.Errorf("results %q", l.results())
			}
			if test.failed && (len(l.notices) != 1 || !strings.Contains(l.notices[0],
				"the answers of all plugins at this hook are more than 1000 B together, as limits.hook_answers_bytes says; went "+
					"on without it")) {
				t.Errorf("notices %q", l.notices)
			}
		})
	}
}
