package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
)

// tracedHooks finds hooks that failed in the traced turns, hooks that never fired in them, and
// plugins that could be guards.
func tracedHooks(ctx context.Context, s *app.Session) []finding {
	names, err := s.Store.Names(ctx)
	if err != nil {
		return nil // the check transcripts reports it
	}
	var turns []trace.Turn
	for _, name := range names {
		some, _, _ := trace.ReadFile(s.Host.Layout().Trace(name)) // it may be missing, or damaged
		turns = append(turns, some...)
	}
	plugins := s.Loaded.Plugins
	return slices.Concat(failedHooks(turns, plugins), answersInAnotherForm(turns),
		hooksNeverAsked(turns, external(plugins)), possibleGuards(turns, external(plugins)))
}

// hook is a plugin at a point.
type hook struct {
	plugin string
	point  hookpoints.Name
}

// failedHooks finds hooks of plugins that failed in turns.
func failedHooks(turns []trace.Turn, plugins []plugin.Plugin) (found []finding) {
	failures := map[string]int{}
	for _, turn := range turns {
		for _, r := range slices.Concat(turn.Dispatches()...) {
			isLoaded := slices.ContainsFunc(plugins, func(p plugin.Plugin) bool { return p.Name == r.Plugin })
			if r.Result == plugin.Failed && isLoaded {
				failures[fmt.Sprintf("plugin %q failed at %s", r.Plugin, r.Point)]++
			}
		}
	}
	for _, text := range slices.Sorted(maps.Keys(failures)) {
		found = append(found, warning(fmt.Sprintf("%s %s in the traced turns", text,
			english.Plural(failures[text], "time", "")), "chibi trace explain"))
	}
	return found
}

// answersInAnotherForm finds hooks of coding agents that answered in turns as another agent's hooks
// do.
func answersInAnotherForm(turns []trace.Turn) (found []finding) {
	notes := map[string]bool{}
	for _, turn := range turns {
		for _, r := range slices.Concat(turn.Dispatches()...) {
			for _, note := range r.Notes {
				if strings.Contains(note, engine.NoMeaning) {
					notes[fmt.Sprintf("hook %q: %s", r.Plugin, note)] = true
				}
			}
		}
	}
	for _, text := range slices.Sorted(maps.Keys(notes)) {
		found = append(found, warning(text, "let it answer in the form of its agent, or move it to a file of the other one"))
	}
	return found
}

// hooksNeverAsked finds hooks of plugins that were not asked in any turn. For hooks of
// tools, only turns with calls count.
func hooksNeverAsked(turns []trace.Turn, plugins []plugin.Plugin) (found []finding) {
	asked, calls := map[hook]bool{}, 0
	for _, turn := range turns {
		calls += turn.Calls()
		for _, r := range slices.Concat(turn.Dispatches()...) {
			asked[hook{r.Plugin, r.Point}] = true
		}
	}
	for _, p := range plugins {
		for _, point := range p.Hooks {
			info, _ := hookpoints.Find(point)
			ofTools := info.Group == hookpoints.GroupToolCall || info.Group == hookpoints.GroupCache
			if len(turns) == 0 || asked[hook{p.Name, point}] || ofTools && calls == 0 {
				continue
			}
			found = append(found, warning(
				fmt.Sprintf("plugin %q was never asked at %s in %s", p.Name, point,
					english.Plural(len(turns), "traced turn", "")),
				fmt.Sprintf("see when it fires: chibi hook show %s; try it: chibi hook fire %s --plugin %s", point, point,
					term.ShellWord(p.Name))))
		}
	}
	return found
}
