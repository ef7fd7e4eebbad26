package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
)

// runOf returns a function that says what is known about the run, for the hooks of a file.
func (a *agentLoader) runOf(f *hookFile) func(context.Context) engine.Run {
	version, project := cmp.Or(a.set.Version, "chibi-"+a.opts.Version), a.rootOf(f)
	return func(ctx context.Context) engine.Run {
		about := a.about(ctx)
		about.Project, about.Version = project, version
		return about
	}
}

// aboutRun says what is known about the session's run. The conversation is told with each event.
func aboutRun(s *Session) engine.Run {
	about := engine.Run{Cwd: s.Project.Dir, Home: s.Project.User, Model: s.Config.Model, Mode: "run",
		Trusted: s.opts.Permissions.TrustTools, Now: time.Now()}
	if effort := s.Config.API.Reasoning.Effort; effort != nil {
		about.Effort = *effort
	}
	return about
}

// programChanged returns why a hook of the project must not run: a file that its command names
// is not as it was approved.
func (a *agentLoader) programChanged(programs *foreign.Programs, h agentHook) error {
	if !h.file.isProject || a.project.Own {
		return nil
	}
	if foreign.HasTooManyWords(*h.Handler) {
		return fmt.Errorf("%w: its command has too many words to say which files it names; put it into a script",
			plugin.ErrUntrusted)
	}
	files := HookFilesOf(a.project)
	for _, path := range files.programsOf(programs, h.file.File, *h.Handler) {
		if err := files.asApproved(a.home, path); err != nil {
			why := strings.TrimPrefix(err.Error(), plugin.ErrUntrusted.Error())
			return fmt.Errorf("%w: %s%s", plugin.ErrUntrusted, term.Name(a.project.Below(path)), why)
		}
	}
	return nil
}

// hookCheck returns what is called right before a hook's process starts: of the project's, the
// files that it names must still be as they were approved.
func (a *agentLoader) hookCheck(h agentHook) func() error {
	if !h.file.isProject || a.project.Own {
		return nil
	}
	return func() error {
		if err := a.programChanged(HookFilesOf(a.project).programs(), h); err != nil {
			return fmt.Errorf("it is not started: %w; see what it is and approve it: chibi trust", err)
		}
		return nil
	}
}

// runner runs the hooks of a file: without the terminal, and those of the project with
// programs from places that are the same in every directory.
func (a *agentLoader) runner(f *hookFile) process.Runner {
	r, made := a.runners[f.isProject]
	if made {
		return r
	}
	r = a.Runner()
	r.NoTerminal, r.Lender, r.Terminal = true, nil, nil
	r.Stderr = nil // it is a reason for the model, or part of the message that the hook failed
	if f.isProject {
		r.Env = append(slices.Clip(r.Env), absolutePaths(r)...)
	}
	a.runners[f.isProject] = r
	return r
}

// ofPlugin returns a hook with what the agent's plugins are told: the directory of the plugin, and
// one for its data.
func ofPlugin(a *agentLoader, h agentHook) engine.Handler {
	if !h.file.IsPlugin {
		return *h.Handler
	}
	root, data := h.file.Root, filepath.Join(a.told, "plugin-data", a.dialect.Name, filepath.Base(h.file.Root))
	env := map[string]string{"CLAUDE_PLUGIN_ROOT": root, "CLAUDE_PLUGIN_DATA": data, "PLUGIN_ROOT": root,
		"PLUGIN_DATA": data}
	var pairs []string
	for name, value := range env {
		pairs = append(pairs, "${"+name+"}", value)
	}
	one, replace := h.InExtension(a.dialect, root, a.project.Dir), strings.NewReplacer(pairs...).Replace
	maps.Copy(env, one.Env)
	one.Env = env
	if one.Exec {
		one.Command, one.Args = replace(one.Command), slices.Clone(one.Args)
		for i, arg := range one.Args {
			one.Args[i] = replace(arg)
		}
	}
	return one
}
