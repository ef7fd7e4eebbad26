// Package kodelet runs hooks written for Kodelet, unmodified: executables that
// answer `hook` with one event and are run as `run` with a JSON payload on
// standard input.
//
// The protocol is that of Kodelet 0.1.23 to 0.4.22 and of its documents ADR 021,
// ADR 025 and HOOKS.md: the events before_tool_call, after_tool_call,
// user_message_send, turn_end, after_turn and agent_stop.
//
// Where Kodelet loses what hooks say, this package does not; docs/HOOKS.md lists
// the differences. It promises that hooks come in the order of their folders and
// then of their file names, bytewise; that a file that cannot be used never
// hides one of the same name in a later folder; and that a field that has no
// effect here is reported, not dropped.
package kodelet

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"golang.org/x/sync/errgroup"
)

// Protocol is the name of this protocol in plugin.Origin.
const Protocol = "kodelet"

// DefaultQueryTimeout bounds what `hook` may take.
const DefaultQueryTimeout = 5 * time.Second

// Options say where hooks are and how they are run.
type Options struct {
	// Folders are looked through in this order; of hooks with the same file
	// name, and of the same plugin, the first one that can be used counts.
	Folders []Folder
	// Exec runs the processes.
	Exec plugin.Exec
	// QueryTimeout and HookTimeout bound the processes; 0 means 5 and 30
	// seconds.
	QueryTimeout, HookTimeout time.Duration
	// Answers is a file that keeps what hooks have answered to `hook`, so that
	// they need not be asked again; "": they are asked each time.
	Answers string
	// Overrides are settings for single hooks, by plugin name.
	Overrides map[string]plugin.Override
	// Conversation is told to hooks as conv_id, Dir as cwd.
	Conversation, Dir string
	// AutoCompact and Threshold (0.8 is 80 %) are told to hooks as
	// auto_compact_enabled and auto_compact_threshold.
	AutoCompact bool
	Threshold   float64
}

// Folder is a place for hooks.
type Folder struct {
	// Path is the folder. A missing one holds no hooks.
	Path string
	// Prefix is what its hooks' names begin with, before Plugin and the file's
	// name.
	Prefix string
	// Plugin is what Kodelet calls the plugin that the folder belongs to,
	// "org/repo/"; "" for none. Hooks have the same name only within a plugin.
	Plugin string
	// LeftOut, if set, says why the folder is not looked through.
	LeftOut string
	// Look looks at the folder as it is now, and returns what says of a file in
	// it why it must not be run; nil: all are the person's own. It is called
	// right before each process starts.
	Look func() func(path string) error
	// Env holds KEY=VALUE pairs that its hooks get besides.
	Env []string
}

// Load finds the hooks and asks those whose answer is not known for their
// event. The error is the end of ctx: a folder that cannot be read is reported
// among what was left out.
func Load(ctx context.Context, opts Options) (plugin.Loaded, error) {
	l := loader{opts: opts, answers: readAnswers(opts.Answers), names: map[string]executable{}}
	for _, folder := range opts.Folders {
		if err := l.folder(ctx, folder); err != nil {
			return plugin.Loaded{}, err
		}
	}
	if err := l.answers.save(); err != nil {
		l.Notices = append(l.Notices, plugin.Notice{Plugin: Protocol,
			Text: fmt.Sprintf("%v; hooks are asked for their event each time", err)})
	}
	return l.Loaded, nil
}

type loader struct {
	plugin.Loaded
	opts    Options
	answers *answers
	names   map[string]executable // by plugin and file name, those that can be used
}

// folder adds the hooks of one folder.
func (l *loader) folder(ctx context.Context, folder Folder) error {
	found, leftOut := discover(folder, l.opts.Overrides)
	l.LeftOut = append(l.LeftOut, leftOut...)
	events, errs := l.ask(ctx, found)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, file := range found {
		switch before, taken := l.names[file.key]; {
		case errs[i] != nil:
			l.leaveOut(file, errs[i].Error(), true)
		case taken && l.opts.Overrides[file.name].Required():
			l.Plugins = append(l.Plugins, l.build(file, events[i])) // nothing may go on without it
		case taken && before.check == nil:
			l.leaveOut(file, sameName(before), false)
		case taken:
			p := l.build(file, events[i])
			p.Handler, p.Note = standby{p.Handler, before}, "stands by: "+sameName(before)
			l.Plugins = append(l.Plugins, p)
		default:
			l.names[file.key] = file
			l.Plugins = append(l.Plugins, l.build(file, events[i]))
		}
	}
	return nil
}

func sameName(first executable) string { return first.path + " has the same name and comes first" }

// standby is a hook that another one of its name takes the place of, as long as
// that one may be run: a file that changes must not disable the person's own.
type standby struct {
	plugin.Handler
	first executable
}

// Handle runs the hook if the first one may not be run any more.
func (s standby) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	if s.first.check() == nil {
		return plugin.Answer{Skipped: sameName(s.first)}, nil
	}
	return s.Handler.Handle(ctx, ev)
}

func (l *loader) leaveOut(file executable, reason string, meant bool) {
	l.LeftOut = append(l.LeftOut, plugin.LeftOut{Name: file.name, Origin: file.origin(), Reason: reason, Meant: meant})
}

// ask asks all hooks of a folder for their events, as many at once as there are
// cores.
func (l *loader) ask(ctx context.Context, found []executable) ([]event, []error) {
	events, errs := make([]event, len(found)), make([]error, len(found))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range found {
		g.Go(func() error {
			events[i], errs[i] = l.answers.eventOf(ctx, l.opts, file)
			return nil
		})
	}
	g.Wait()
	return events, errs
}

// build makes a plugin of a hook.
func (l *loader) build(file executable, e event) plugin.Plugin {
	p := plugin.Plugin{
		Name: file.name, Origin: file.origin(), Hooks: []hookpoints.Name{e.point},
		Events: map[hookpoints.Name]string{e.point: e.name},
	}
	override, timeout := l.opts.Overrides[file.name], l.opts.HookTimeout
	l.Notices = append(l.Notices, override.NoStdin(p.Name)...)
	override.Failure(&p)
	if override.Timeout > 0 {
		timeout = override.Timeout
	}
	process := plugin.Process{Codec: codec{opts: l.opts, file: file, event: e}, Exec: override.Exec(l.opts.Exec),
		Timeout: timeout, Timeouts: override.Timeouts()}
	p.Handler = handler{process, e}
	return p
}

// handler runs a hook where it is to be run.
type handler struct {
	plugin.Process
	event event
}

// Handle runs the hook if the event is for it.
func (h handler) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	if why := h.event.skips(ev.Payload); why != "" {
		return plugin.Answer{Skipped: why}, nil
	}
	return h.Process.Handle(ctx, ev)
}
