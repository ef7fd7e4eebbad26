// Package native implements chibi's own plugin protocol: executables in a directory,
// run with --schema to describe themselves, with CHIBI_HOOK at the points that they
// subscribed to and with CHIBI_TOOL_NAME when the model calls them.
// docs/HOOKS.md and docs/PROTOCOL.md describe the protocol to plugin authors.
//
// [Load] promises that a broken plugin never prevents the others from loading, that
// each skipped plugin is reported with a reason, and that plugins are returned in
// bytewise order of their file names. Processes are bounded by process.Runner.
package native

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
)

// Protocol is the name of this protocol in plugin.Origin.
const Protocol = "chibi"

// Default time limits.
const (
	DefaultProbeTimeout = oneshot.DefaultProbeTimeout
	DefaultToolTimeout  = 10 * time.Minute
)

// DefaultMaxToolOutput bounds a tool's output, in bytes, where it is spooled.
const DefaultMaxToolOutput = 2 << 30

// Options specifies where plugins are and how they are run.
type Options struct {
	// Dir is the plugins directory. If it does not exist, there are no plugins.
	Dir string
	// Home, Context and Verbose are passed to every process as CHIBI_HOME,
	// CHIBI_CONTEXT and CHIBI_VERBOSE=1.
	Home    string
	Context string
	Verbose bool
	// Runner runs the processes.
	Runner process.Runner
	// Prober asks for schemas; nil: a new one, which asks every plugin.
	Prober *oneshot.Prober
	// ProbeTimeout, HookTimeout and ToolTimeout bound the processes; 0 means
	// 5 seconds, 30 seconds and 10 minutes. The schema of a plugin precedes the last two,
	// Overrides precede the schema.
	ProbeTimeout time.Duration
	HookTimeout  time.Duration
	ToolTimeout  time.Duration
	// AllowLinks are directories or files outside Dir that links in Dir may
	// point to.
	AllowLinks []string
	// MaxToolOutput bounds the output of a tool in bytes; 0: 2 GiB.
	MaxToolOutput int64
	// Spool makes files for tool output that is too large for memory; nil: it
	// is kept in memory, at most 8 MiB.
	Spool func() (process.Spool, error)
	// Residents holds the processes of resident plugins, which the caller ends by closing
	// it; nil: those plugins are started for each event, as all others.
	Residents *resident.Group
	// Overrides are settings for single plugins, by plugin name.
	Overrides map[string]plugin.Override
	// Only names the entries of Dir to look at; nil: all.
	Only []string
	// Placed maps names to files and directories that are loaded as if they had been
	// copied to Dir under that name, replacing an entry of that name, and enabled.
	Placed map[string]string

	// Probed, if set, is called with the time that each plugin took to print its
	// schema. Calls may be concurrent.
	Probed func(name string, took time.Duration)
	// Strict reports unknown keys of schemas.
	Strict bool
	// Points are hook points known in addition to chibi's own: the points of a program that embeds the
	// host. Plugins subscribe to them by name; a hook of another name is left out, with a notice.
	Points []hookpoints.Name
	// Meant returns the points that another program's name of an event stands for, for messages about
	// hooks that do not exist; nil: messages propose only similar names.
	Meant func(event string) []hookpoints.Name
	// Within, if set, returns the value of CHIBI_WITHIN for a call of a tool of the category shell,
	// by which a chibi that the call starts knows that a model commands it. Hooks and other tools
	// do not have that variable.
	Within func(tool string) string
	// Reserved are tool names that plugins may not take.
	Reserved []string
}

// Load finds the plugins in opts.Dir and asks them concurrently for their schemas.
// It returns an error if the directory cannot be read or ctx ends.
func Load(ctx context.Context, opts Options) (plugin.Loaded, error) {
	prober := cmp.Or(opts.Prober, oneshot.NewProber(nil, 0))
	guards := guardsBefore(opts, prober)
	found, skipped, err := discover(opts)
	if err != nil {
		return plugin.Loaded{}, err
	}
	for i := range found {
		found[i].guard = guards[found[i].name]
	}
	probes := probeAll(ctx, opts, prober, found)
	if ctx.Err() != nil {
		return plugin.Loaded{}, ctx.Err()
	}
	leftOut := opts.adopt(found, skipped, probes)
	l := loader{opts: opts, leftOut: leftOut, taken: map[string]string{}, guards: guards, points: pointsThatBlock{}}
	for _, entry := range skipped {
		l.leaveOut(entry)
	}
	for _, name := range opts.Reserved {
		l.taken[name] = ""
	}
	for i, file := range found {
		l.add(file, probes[i])
	}
	slices.SortStableFunc(l.Skipped, func(a, b plugin.SkippedPlugin) int { return strings.Compare(a.Name, b.Name) })
	guards.keep(opts, prober, l.Loaded)
	return l.Loaded, nil
}

// loader turns probed executables into plugins.
type loader struct {
	plugin.Loaded
	opts   Options
	taken  map[string]string // tool name -> the plugin that has it, "" for chibi itself
	guards guards
	points pointsThatBlock
	// leftOut are those that are not used because of settings under a name in their schemas.
	leftOut map[string]plugin.SkippedPlugin
}

// add adds the plugin of an executable, or the reason why it is skipped.
func (l *loader) add(file executable, p probed) {
	if p.err != nil {
		l.skip(file, p.err.Error())
		return
	}
	if left, isLeft := l.leftOut[file.name]; isLeft {
		left.Name, left.Origin = file.name, origin(file.path)
		l.leaveOut(left)
		return
	}
	isGuard := p.isGuard(l.points)
	if !isGuard {
		delete(l.guards, file.name)
	}
	schemas, warnings := l.takeNames(file, p)
	lost := p.elements - len(schemas)
	isPart := lost > 0 && l.requires(file.name)
	if len(schemas) == 0 || isPart { // a guard must be loaded as a whole
		reason := strings.Join(few(warnings), "; ")
		if !isPart {
			reason += fmt.Sprintf("; remove the plugin, disable it (chibi plugin disable %s), or rename its tool",
				term.ShellWord(file.name))
		}
		maps.DeleteFunc(l.taken, func(_, owner string) bool { return owner == file.name }) // none of its tools is used
		l.skip(file, reason)
		return
	}
	for _, text := range warnings {
		l.Notices = append(l.Notices, plugin.Notice{Plugin: file.name, Text: text})
	}
	if isGuard && lost == 0 {
		l.guards[file.name] = true
	}
	made := l.build(file, schemas)
	made.LostTools = lost
	l.Plugins = append(l.Plugins, made)
}

// takeNames takes the names of a plugin's tools. It returns the schemas without the tools
// whose names are taken, and the warnings with one for each of these.
func (l *loader) takeNames(file executable, p probed) (kept []schema, warnings []string) {
	warnings = p.warnings
	for _, s := range p.schemas {
		if s.isTool() {
			if owner, taken := l.taken[s.Name]; taken {
				l.Taken = append(l.Taken, plugin.TakenTool{Tool: s.Name, By: owner, From: file.name})
				warnings = append(warnings, whyTaken(s.Name, owner, file.name))
				continue
			}
			l.taken[s.Name] = file.name
		}
		kept = append(kept, s)
	}
	return kept, warnings
}

func (l *loader) skip(file executable, reason string) {
	l.leaveOut(plugin.SkippedPlugin{Name: file.name, Origin: origin(file.path), Reason: reason, Reportable: true})
}

// leaveOut adds an entry that is not used. One that must be there and that nobody disabled is
// missing.
func (l *loader) leaveOut(entry plugin.SkippedPlugin) {
	if !entry.Disabled && l.requires(entry.Name) {
		entry.Required, entry.Reportable = true, true
		entry.Note = "its failure blocks: without it chibi answers no prompt and calls no tool"
	}
	l.Skipped = append(l.Skipped, entry)
}

// requires reports whether nothing may go on without a plugin.
func (l *loader) requires(name string) bool { return l.opts.requires(name, l.guards[name]) }

// whyTaken returns who already has the name of a plugin's tool.
func whyTaken(tool, owner, from string) string {
	switch owner {
	case "":
		return fmt.Sprintf("chibi has a tool %q built in, which is used instead", tool)
	case from:
		return fmt.Sprintf("its --schema has a second tool %q, which is skipped", tool)
	}
	return fmt.Sprintf("plugin %q comes first and also has a tool %q, which is used instead", owner, tool)
}

// build returns the plugin of an executable with one or more schemas.
func (l *loader) build(file executable, schemas []schema) plugin.Plugin {
	p := plugin.Plugin{Name: file.name, Origin: origin(file.path)}
	override := l.opts.Overrides[file.name]
	p.Resident = slices.ContainsFunc(schemas, func(s schema) bool { return s.Resident })
	p.Transcript = slices.ContainsFunc(schemas, func(s schema) bool { return s.Transcript })
	exe := program{opts: l.opts, path: file.real, env: environment(l.opts), runner: l.opts.runner(file.name),
		transcript: p.Transcript}
	var stays *staying
	if p.Resident && override.Stdin != "inherit" {
		stays = exe.stay(file, schemas)
	}
	for _, s := range schemas {
		p.Hooks = union(p.Hooks, s.Hooks)
		p.Guards = union(p.Guards, s.Guards)
		p.Async = union(p.Async, s.Async)
		if s.OnFailure == plugin.Block { // only a person can set "ignore"
			p.OnFailure = plugin.Block
		}
		if s.isTool() {
			p.Tools = append(p.Tools, stays.runs(exe.tool(file.name, s, override)))
		} else {
			p.NotTools = append(p.NotTools, s.Name)
		}
	}
	p.Pure, p.HidesNothing = arePure(schemas), hideNothing(schemas)
	l.Notices = append(l.Notices, override.Apply(&p)...)
	usual := cmp.Or(l.opts.HookTimeout, oneshot.DefaultTimeout)
	ordinary := oneshot.Handler{Codec: codec{exe, override.Stdin == "inherit"}, Runner: exe.runner,
		Timeout: cmp.Or(override.Timeout, hookTimeout(schemas, usual)), Timeouts: override.Timeouts()}
	stays.answers(&p, ordinary)
	return p
}

// runner returns the runner for the processes of one plugin. They do not inherit the
// variables that an outer run passed to its own hooks and tools.
func (o Options) runner(name string) process.Runner {
	runner := o.Runner.WithEnv(o.Overrides[name].Env)
	runner.Drop = slices.Concat(runner.Drop, PerCall())
	return runner
}

// PerCall lists the prefixes of the variables that belong to a single hook or tool
// call. Processes started within that call do not inherit them.
func PerCall() []string {
	return []string{"CHIBI_HOOK", "CHIBI_TOOL", "CHIBI_VERBOSE", "CHIBI_SESSION_ID", "CHIBI_PROMPT_ID",
		"CHIBI_TRANSCRIPT_PATH"}
}

func origin(path string) plugin.Origin { return plugin.Origin{Protocol: Protocol, Path: path} }

func union(list, more []hookpoints.Name) []hookpoints.Name {
	for _, name := range more {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
