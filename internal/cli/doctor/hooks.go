package doctor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
	"github.com/tidwall/gjson"
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
	turns = append(turns, bridgedTurns(s.Home)...)
	plugins := s.Loaded.Plugins
	return slices.Concat(failedHooks(turns, plugins), answersInAnotherForm(turns),
		hooksNeverAsked(turns, external(plugins)), possibleGuards(turns, external(plugins)))
}

type hook struct {
	plugin string
	point  hookpoints.Name
}

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

// bridgedTurns reads the newest session of each agent in which plugins work.
func bridgedTurns(home string) (turns []trace.Turn) {
	for _, d := range bridge.AgentsOf(home) {
		path, err := app.LastBridged(home, d.Name)
		if err != nil {
			continue // nothing was traced there yet
		}
		some, _, _ := trace.ReadFile(path)
		for i := range some {
			some[i].Bridged = true
		}
		turns = append(turns, some...)
	}
	return turns
}

// firesAt returns the step of a turn at which a point surely fires; "" for a point that fires only
// for some tools, texts or operations, of which a trace does not say that they were there.
func firesAt(point hookpoints.Info) agent.EventKind {
	switch point.Group {
	case hookpoints.GroupMessage:
		return agent.EventAnswer
	case hookpoints.GroupSystem, hookpoints.GroupRequest:
		return agent.EventRequest
	case hookpoints.GroupToolCall:
		return agent.EventCall
	}
	return ""
}

// hooksNeverAsked finds hooks of plugins that chibi did not ask although their point fired in turns
// of chibi itself since the plugin came. Questions in another agent count.
func hooksNeverAsked(turns []trace.Turn, plugins []plugin.Plugin) (found []finding) {
	asked := map[hook]bool{}
	for _, turn := range turns {
		for _, r := range slices.Concat(turn.Dispatches()...) {
			asked[hook{r.Plugin, r.Point}] = true
		}
	}
	for _, p := range plugins {
		since := changedAt(p.Origin.Path)
		for _, point := range p.Hooks {
			info, _ := hookpoints.Find(point)
			fired := 0
			for _, turn := range turns {
				if !turn.Bridged && !turn.Begin().Before(since) && turn.Has(firesAt(info)) {
					fired++
				}
			}
			if fired == 0 || asked[hook{p.Name, point}] {
				continue
			}
			found = append(found, warning(
				fmt.Sprintf("chibi never asked plugin %q at %s in %s", p.Name, point,
					english.Plural(fired, "traced turn", "")),
				fmt.Sprintf("see when it fires: chibi hook show %s; try it: chibi hook fire %s --plugin %s", point, point,
					term.ShellWord(p.Name))))
		}
	}
	return found
}

// minAsked is how often a plugin must have been asked at a point without changing anything
// before it is proposed as a guard.
const minAsked = 50

// possibleGuards finds plugins that in the traced turns only ever blocked at a point where
// they are asked in turn. It does not count calls of an earlier state of a plugin's file.
func possibleGuards(turns []trace.Turn, plugins []plugin.Plugin) (found []finding) {
	did := map[hook]*conduct{}
	for _, p := range plugins {
		since := changedAt(p.Origin.Path)
		for _, point := range p.Hooks {
			info, _ := hookpoints.Find(point)
			if info.Mode == hookpoints.Chain && info.CanBlock() && !p.GuardsAt(point) {
				did[hook{p.Name, point}] = &conduct{info: info, since: since}
			}
		}
	}
	for _, turn := range turns {
		for _, line := range turn.Lines {
			if line.Record == nil {
				continue
			}
			if c := did[hook{line.Plugin, line.Point}]; c != nil && !line.Time.Before(c.since) {
				c.count(line.Record)
			}
		}
	}
	for _, p := range plugins {
		for _, point := range p.Hooks {
			if c := did[hook{p.Name, point}]; c != nil && c.isGuards() {
				found = append(found, c.proposal(p.Name))
			}
		}
	}
	return found
}

func changedAt(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

type conduct struct {
	info           hookpoints.Info
	since          time.Time
	asked, blocked int
	changes        bool
}

// count counts what the plugin did at one event. Failures say nothing about it.
func (c *conduct) count(r *plugin.Record) {
	switch r.Result {
	case plugin.NoOpinion:
		c.asked++
		c.changes = c.changes || c.mayChange(r)
	case plugin.Blocked:
		c.asked++
		c.blocked++
	case plugin.Changed, plugin.Ignored:
		c.changes = true
	}
}

// mayChange reports whether an answer without effect would have changed another payload, or is
// not in the trace.
func (c *conduct) mayChange(r *plugin.Record) bool {
	if r.Answer == nil {
		return r.AnswerBytes > len("{}")
	}
	return slices.ContainsFunc(c.info.Fields, func(f hookpoints.AnswerField) bool {
		return f.Rule.Rewrites() && gjson.GetBytes(r.Answer, f.Name).Exists()
	})
}

func (c *conduct) isGuards() bool { return c.blocked > 0 && c.asked >= minAsked && !c.changes }

func (c *conduct) proposal(name string) finding {
	f := fine(fmt.Sprintf("chibi asked plugin %q %s at %s in the traced turns; it blocked %s and changed nothing: it "+
		"could be a guard there", name, english.Plural(c.asked, "time", ""), c.info.Name,
		english.Plural(c.blocked, "time", "")))
	f.Fix = fmt.Sprintf("[plugins.%s] guards = [%q] in config.toml: chibi then calls it after the others, at once with "+
		"the guards, and ignores its changes there", guards.KeyText(name), c.info.Name)
	return f
}
