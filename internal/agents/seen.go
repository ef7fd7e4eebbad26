package agents

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// seen is what programs were seen to do with answers of hooks: .ci/agents/run --capture writes it.
//
//go:embed */testdata/seen.txt
var seen embed.FS

// Seen lists what an agent was seen to do, or not to do, with answers at an event, in the words of
// [engine.Member.Does]: answers that do so by its table were given to the program. Nobody has seen what
// else it does with an answer there.
func (d Bridged) Seen(e engine.Event) (does []string) {
	text, _ := seen.ReadFile(d.Name + "/testdata/seen.txt") // there is none of an agent that was only read about
	for line := range strings.Lines(string(text)) {
		rest, is := strings.CutPrefix(strings.TrimSpace(line), "# "+e.Name+", status ")
		if !is {
			continue
		}
		does = append(does, d.Effect(e, outcomeIn(rest)).Does(e.Kind)...)
	}
	if e.Kind == engine.Stop && d.Facts.Driven != "" { // .ci/agents/run checks it: a hook makes the agent go on at its end
		does = append(does, engine.Effect{Decision: "deny"}.Does(e.Kind)...)
	}
	slices.Sort(does)
	return slices.Compact(does)
}

// outcomeIn reads how a hook ended: its status, and after ", stdout " and ", stderr " what it wrote.
func outcomeIn(text string) (out engine.Outcome) {
	text, out.Stderr, _ = strings.Cut(text, ", stderr ")
	status, stdout, _ := strings.Cut(text, ", stdout ")
	out.Exit, _ = strconv.Atoi(status)
	out.Stdout = []byte(stdout)
	return out
}
