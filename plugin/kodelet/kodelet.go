// Package kodelet runs hooks written for Kodelet, unmodified: executables that
// answer `hook` with one event and are run as `run` with a JSON payload on
// standard input.
//
// The protocol is the one of Kodelet 0.1.23 to 0.4.22 and of its documents ADR 021,
// ADR 025 and HOOKS.md: the events before_tool_call, after_tool_call,
// user_message_send, turn_end, after_turn and agent_stop.
//
// Where Kodelet drops parts of what hooks answer, this package does not; docs/MIGRATING.md
// lists the differences. It promises that hooks come in the order of their directories and
// then of their file names, bytewise; that a file that cannot be used never
// hides one of the same name in a later directory; and that a field that has no
// effect here is reported, not dropped.
package kodelet

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// Protocol is the name of this protocol in plugin.Origin.
const Protocol = "kodelet"

// DefaultQueryTimeout bounds how long `hook` may take.
const DefaultQueryTimeout = oneshot.DefaultProbeTimeout

// Options specifies where hooks are and how they are run.
type Options struct {
	// Dirs are looked through in this order; of hooks with the same file
	// name, and of the same plugin, the first usable one is used.
	Dirs []Dir
	// Runner runs the processes.
	Runner process.Runner
	// Prober asks hooks for their events; nil: a new one, which asks every hook.
	Prober *oneshot.Prober
	// QueryTimeout and HookTimeout bound the processes; 0 means 5 and 30
	// seconds.
	QueryTimeout, HookTimeout time.Duration
	// Overrides are settings for single hooks, by plugin name.
	Overrides map[string]plugin.Override
	// Conversation is passed to hooks as conv_id, Dir as cwd.
	Conversation, Dir string
	// AutoCompact and Threshold (0.8 is 80 %) are passed to hooks as
	// auto_compact_enabled and auto_compact_threshold.
	AutoCompact bool
	Threshold   float64
}

// ErrUntrusted means that a file came with a project directory and was not approved in
// its current state.
var ErrUntrusted = trust.ErrUntrusted

// Dir is a directory of hooks.
type Dir struct {
	// Path is the directory. If it does not exist, it has no hooks.
	Path string
	// Prefix is put before Plugin and the file name in the names of its hooks.
	Prefix string
	// Plugin is what Kodelet calls the plugin that the directory belongs to,
	// "org/repo/"; "" for none. Hooks have the same name only within a plugin.
	Plugin string
	// Skipped, if set, says why the directory is not looked through.
	Skipped string
	// Look examines the directory as it is now and returns a function that says why a
	// file in it must not be run; nil: all files belong to the person. It is called
	// right before each process starts. An error that wraps ErrUntrusted is a file that
	// somebody can approve.
	Look func() func(path string) error
	// Env holds additional KEY=VALUE pairs for the environment of its hooks.
	Env []string
}

// Load finds the hooks and asks them for their events. It returns an error
// only if ctx ends; a directory that cannot be read is reported as skipped.
func Load(ctx context.Context, opts Options) (plugin.Loaded, error) {
	opts.Prober = cmp.Or(opts.Prober, oneshot.NewProber(nil, 0))
	l := loader{opts: opts, names: map[string]executable{}}
	found, skipped := l.find()
	answers := l.ask(ctx, slices.Concat(found...))
	if ctx.Err() != nil {
		return plugin.Loaded{}, ctx.Err()
	}
	for i, files := range found {
		l.Skipped = append(l.Skipped, skipped[i]...)
		l.add(files, answers[:len(files)])
		answers = answers[len(files):]
	}
	return l.Loaded, nil
}

type loader struct {
	plugin.Loaded
	opts  Options
	names map[string]executable // the usable ones, by plugin and file name
}

// find lists the possible hooks and the skipped files of each directory.
func (l *loader) find() (found [][]executable, skipped [][]plugin.SkippedPlugin) {
	for _, dir := range l.opts.Dirs {
		files, left := discover(dir, l.opts.Overrides)
		found, skipped = append(found, files), append(skipped, left)
	}
	return found, skipped
}

// add adds the hooks of one directory, given their answers.
func (l *loader) add(files []executable, answers []answer) {
	for i, file := range files {
		switch before, taken := l.names[file.key]; {
		case answers[i].err != nil:
			l.skip(file, answers[i].err.Error(), true)
		case taken && l.opts.Overrides[file.name].Required():
			l.Plugins = append(l.Plugins, l.build(file, answers[i].event)) // a required hook always runs
		case taken && before.check == nil:
			l.skip(file, sameName(before), false)
		case taken:
			p := l.build(file, answers[i].event)
			p.Handler, p.Note = fallback{p.Handler, before}, "fallback: "+sameName(before)
			l.Plugins = append(l.Plugins, p)
		default:
			l.names[file.key] = file
			l.Plugins = append(l.Plugins, l.build(file, answers[i].event))
		}
	}
}

func sameName(first executable) string { return first.path + " has the same name and comes first" }

// fallback is a hook that runs only while an earlier one of the same name must not be
// run: a project's file that has changed must not disable the person's own hook.
type fallback struct {
	plugin.Handler
	first executable
}

// Handle runs the hook if the first one must no longer be run.
func (s fallback) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	if s.first.check() == nil {
		return plugin.Answer{Skipped: sameName(s.first)}, nil
	}
	return s.Handler.Handle(ctx, ev)
}

func (l *loader) skip(file executable, reason string, reportable bool) {
	l.Skipped = append(l.Skipped, plugin.SkippedPlugin{Name: file.name, Origin: file.origin(), Reason: reason,
		Reportable: reportable})
}

// answer is the result of asking a hook for its event.
type answer struct {
	event event
	err   error
}

// ask asks hooks for their events, concurrently.
func (l *loader) ask(ctx context.Context, found []executable) []answer {
	list := make([]answer, len(found))
	l.opts.Prober.Each(len(found), func(i int) {
		list[i].event, list[i].err = query(ctx, l.opts, found[i])
	})
	return list
}

func (l *loader) build(file executable, e event) plugin.Plugin {
	p := plugin.Plugin{
		Name: file.name, Origin: file.origin(), Hooks: []hookpoints.Name{e.point},
		Events: map[hookpoints.Name]string{e.point: e.name},
	}
	override, timeout := l.opts.Overrides[file.name], l.opts.HookTimeout
	l.Notices = append(l.Notices, slices.Concat(override.NoStdin(p.Name), override.Apply(&p))...)
	if override.Timeout > 0 {
		timeout = override.Timeout
	}
	run := oneshot.Handler{Codec: codec{opts: l.opts, file: file, event: e}, Runner: l.opts.Runner.WithEnv(override.Env),
		Timeout: timeout, Timeouts: override.Timeouts()}
	p.Handler = handler{run, e}
	return p
}

// handler runs a hook for the payloads that its event fires for.
type handler struct {
	oneshot.Handler
	event event
}

// Handle runs the hook if its event fires for the payload.
func (h handler) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	if why := h.event.skips(ev.Payload); why != "" {
		return plugin.Answer{Skipped: why}, nil
	}
	return h.Handler.Handle(ctx, ev)
}
