package agents

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// seen has what programs did with answers of hooks. .ci/agents/run --capture writes it.
//
//go:embed */testdata/seen.txt
var seen embed.FS

// Seen lists the effects that answers at an event had, or did not have, in the real program, in the words of
// [engine.Member.Does]. The program got answers with these effects by the table. Nobody has tried other answers
// there.
func (d Bridged) Seen(e engine.Event) (does []string) {
	text, _ := seen.ReadFile(d.Name + "/testdata/seen.txt") // an agent that nobody has driven has no such file
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

// outcomeIn reads how a hook ended: its status, and its output after ", stdout " and ", stderr ".
func outcomeIn(text string) (out engine.Outcome) {
	text, out.Stderr, _ = strings.Cut(text, ", stderr ")
	status, stdout, _ := strings.Cut(text, ", stdout ")
	out.Exit, _ = strconv.Atoi(status)
	out.Stdout = []byte(stdout)
	return out
}
