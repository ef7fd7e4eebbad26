package native

import (
	"maps"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// guards are the entries of the plugins directory that say themselves that their failure
// blocks, and that were used as a whole. For one that does not answer now, its last answer counts:
// so a guard that breaks is missing, and does not pass for a plugin like any
// other. One that was never used, such as the copy of a guard that an editor keeps, guards nothing.
type guards map[string]bool

// guardsBefore returns the guards of the last time.
func guardsBefore(opts Options, prober *oneshot.Prober) guards {
	g := guards{}
	for _, name := range prober.Guards(opts.Dir) {
		g[name] = true
	}
	return g
}

// keep has the guards remembered that are still in the directory, if it was looked at as it is.
func (g guards) keep(opts Options, prober *oneshot.Prober, l plugin.Loaded) {
	if opts.Only != nil || opts.Placed != nil {
		return
	}
	there := guards{}
	for i := range l.Plugins {
		there[l.Plugins[i].Name] = true
	}
	for i := range l.Skipped {
		there[l.Skipped[i].Name] = true
	}
	maps.DeleteFunc(g, func(name string, _ bool) bool { return !there[name] })
	prober.KeepGuards(opts.Dir, slices.Collect(maps.Keys(g)))
}

// requires reports whether nothing may go on without a plugin, which said itself, or not, that
// its failure blocks: the person's settings count more.
func (o Options) requires(name string, said bool) bool {
	set := o.Overrides[name]
	return set.Required() || said && set.OnFailure != plugin.Ignore
}

// isGuard reports whether the executable says that its failure blocks, and has a hook where it
// can.
func (p probed) isGuard(points pointsThatBlock) bool {
	return slices.ContainsFunc(p.schemas, func(s schema) bool { return s.OnFailure == plugin.Block }) &&
		slices.ContainsFunc(p.schemas, func(s schema) bool { return slices.ContainsFunc(s.Hooks, points.have) })
}

// pointsThatBlock knows of the points that were looked up whether they can block: to examine the
// type of an answer takes as long as to read a schema.
type pointsThatBlock map[hookpoints.Name]bool

// have reports whether a point can block; of one that is not chibi's, that is not known.
func (p pointsThatBlock) have(name hookpoints.Name) bool {
	if can, known := p[name]; known {
		return can
	}
	info, isOurs := hookpoints.Find(name)
	p[name] = !isOurs || info.CanBlock()
	return p[name]
}
