// Package kode runs hooks written for Kode, unmodified: programs that the
// configuration lists for an event, run with the event's JSON on standard input.
//
// The protocol is Kode's hooks contract: the events session_start,
// user_prompt_submit, tool_call_pre, tool_call_post and session_end; an exit
// status other than 0 and a timeout refuse what is about to happen; errors are
// numbered KODE-HOOK-001 to 004.
//
// It promises that the hooks of an event run in the order of the configuration,
// one after another, that each one sees what the previous one changed, and that a
// hook gets only those variables of the person's environment that Kode promises,
// besides CHIBI_DEPTH.
package kode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// Protocol is the name of this protocol in plugin.Origin.
const Protocol = "kode"

// DefaultTimeout bounds a hook that has no timeout of its own.
const DefaultTimeout = 5 * time.Second

// Hook is one entry of the configuration.
type Hook struct {
	// Event is the event's name.
	Event string
	// Exec is the program: a path, with "~/" for the person's home, or a name
	// that is looked up in PATH. Args are its arguments.
	Exec string
	Args []string
	// Timeout bounds it; 0: 5 seconds.
	Timeout time.Duration
}

// Options specifies which hooks there are and how they are run.
type Options struct {
	// Hooks are the hooks, in the order in which chibi asks them at their events.
	Hooks []Hook
	// Dir is where relative paths with a slash begin.
	Dir string
	// UserHome is the home directory that "~/" of a path means; "": $HOME of Runner.
	UserHome string
	// WorkDir is the working directory of hooks, which their payload also names.
	WorkDir string
	// Session identifies this run.
	Session string
	// Runner runs the processes. Of its environment, hooks get PATH, HOME, LANG,
	// TMPDIR and CHIBI_DEPTH.
	Runner process.Runner
	// Idle says that this run neither asks the model nor calls a tool. Kode would not
	// start a session for it, so session_start and session_end do not fire.
	Idle bool
	// TrustTools says that chibi asks nobody before a tool runs: "auto_approve" of tool_call_pre.
	TrustTools bool
	// Overrides are settings for single hooks, by plugin name.
	Overrides map[string]plugin.Override
}

// Load returns the hooks as plugins. Their names are kode:EVENT:FILE, with a number
// if that name is taken. No process is started.
func Load(opts Options) plugin.Loaded {
	var l plugin.Loaded
	taken := map[string]int{}
	opts.Runner.Env = environment(opts.Runner)
	for _, h := range opts.Hooks {
		name := Protocol + ":" + h.Event + ":" + filepath.Base(h.Exec)
		if taken[name]++; taken[name] > 1 {
			name = fmt.Sprintf("%s:%d", name, taken[name])
		}
		override := opts.Overrides[name]
		path := opts.path(h.Exec)
		origin := plugin.Origin{Protocol: Protocol, Path: path}
		point, known := Events()[h.Event]
		switch {
		case !known:
			l.Skipped = append(l.Skipped, plugin.SkippedPlugin{Name: name, Origin: origin, Reportable: true,
				Reason: fmt.Sprintf("unknown event %q", h.Event)})
		case override.Disabled:
			l.Skipped = append(l.Skipped, plugin.SkippedPlugin{Name: name, Origin: origin,
				Reason: fmt.Sprintf("disabled by enabled = false in [plugins.%q] of the configuration", name)})
		default:
			p := plugin.Plugin{Name: name, Origin: origin, Hooks: []hookpoints.Name{point}}
			l.Notices = append(l.Notices, slices.Concat(override.Apply(&p), override.NoStdin(name))...)
			l.Plugins = append(l.Plugins, opts.build(p, event{h.Event, point}, h))
		}
	}
	return l
}

// build completes the plugin of a hook, which has the settings of its table.
func (o Options) build(p plugin.Plugin, e event, h Hook) plugin.Plugin {
	override := o.Overrides[p.Name]
	timeout := DefaultTimeout
	for _, set := range []time.Duration{h.Timeout, override.Timeout} {
		if set > 0 {
			timeout = set
		}
	}
	p.Events = map[hookpoints.Name]string{e.point: e.name}
	p.Sequence = Protocol
	c := codec{opts: o, event: e, path: p.Origin.Path, args: h.Args,
		strict: p.FailureAt(e.point) == plugin.Block, warned: &sync.Map{}}
	p.OnFailure = cmp.Or(p.OnFailure, plugin.Block)
	if _, set := p.OnFailureAt[e.point]; !set && e.point == hookpoints.OnStart.Name {
		p.OnFailureAt = map[hookpoints.Name]plugin.Failure{e.point: p.OnFailure}
	}
	p.Handler = handler{oneshot.Handler{Codec: c, Runner: o.Runner, Timeout: timeout,
		Timeouts: override.Timeouts()}, p.Origin.Path, o.Idle}
	return p
}

// handler numbers failures as Kode does.
type handler struct {
	oneshot.Handler
	path string
	idle bool
}

// Handle runs the hook.
func (h handler) Handle(ctx context.Context, ev plugin.Event) (plugin.Answer, error) {
	if h.idle && (ev.Point == hookpoints.OnStart.Name || ev.Point == hookpoints.OnEnd.Name) {
		return plugin.Answer{Skipped: "this run neither asks the model nor calls a tool"}, nil
	}
	if !filepath.IsAbs(h.path) {
		// A bare name would be looked up in the working directory.
		return plugin.Answer{}, fmt.Errorf("KODE-HOOK-004: %s: there is no such program in PATH", h.path)
	}
	answer, err := h.Handler.Handle(ctx, ev)
	var refusal *plugin.Refusal
	switch {
	case errors.As(err, &refusal):
	case errors.Is(err, process.ErrTimeout):
		err = fmt.Errorf("KODE-HOOK-001: %s: %w", h.path, err)
	case errors.Is(err, process.ErrStart):
		err = fmt.Errorf("KODE-HOOK-004: %s: %w", h.path, err)
	case err != nil && ctx.Err() == nil:
		err = fmt.Errorf("%s: %w", h.path, err)
	}
	return answer, err
}

// path returns the full path of a hook's program, or the bare name if it is not in
// PATH.
func (o Options) path(exec string) string {
	if rest, ok := strings.CutPrefix(exec, "~/"); ok {
		return filepath.Join(cmp.Or(o.UserHome, o.Runner.Getenv("HOME")), rest)
	}
	if path, ok := o.Runner.LookPath(exec); ok && !strings.Contains(exec, "/") {
		return path
	}
	if strings.Contains(exec, "/") && !filepath.IsAbs(exec) {
		return filepath.Join(o.Dir, exec)
	}
	return exec
}

// environment returns the variables that Kode promises to hooks, and those by which chibi knows
// that its runs are inside each other.
func environment(from process.Runner) []string {
	kept := []string{}
	for _, name := range []string{"PATH", "HOME", "LANG", "TMPDIR", "CHIBI_DEPTH", "CHIBI_BRIDGED"} {
		if value := from.Getenv(name); value != "" {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}
