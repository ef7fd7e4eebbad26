package doctor

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/guards"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
	"github.com/tidwall/gjson"
)

// minAsked is how often a plugin must have been asked at a point without changing anything
// before it is proposed as a guard.
const minAsked = 50

// possibleGuards finds plugins that in the traced turns only ever blocked at a point where
// they are asked in turn. What an earlier state of a plugin's file did does not count.
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

// changedAt returns when a plugin's file was changed, the zero time if that is not known.
func changedAt(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// conduct is what a plugin did at a point.
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

// isGuards reports whether the plugin did what a guard does.
func (c *conduct) isGuards() bool { return c.blocked > 0 && c.asked >= minAsked && !c.changes }

// proposal proposes the plugin as a guard and says what that means.
func (c *conduct) proposal(name string) finding {
	f := fine(fmt.Sprintf("plugin %q was asked %s at %s in the traced turns, blocked %s and changed nothing: it could "+
		"be a guard there", name, english.Plural(c.asked, "time", ""), c.info.Name, english.Plural(c.blocked, "time", "")))
	f.Fix = fmt.Sprintf("[plugins.%s] guards = [%q] in config.toml: it is then called after the others, at once with the "+
		"guards; if it ever changes something there, that is ignored", guards.KeyText(name), c.info.Name)
	return f
}
