package theirs

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
	"github.com/chibi-host/chibi/internal/agents/hooks"
	agentsettings "github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin/process"
)

// runOf returns a function that returns the facts about the run, for the hooks of a file.
func (a *loader) runOf(f *hookFile) func(context.Context) engine.Run {
	version, project := cmp.Or(a.set.Version, "chibi-"+a.Version), a.rootOf(f)
	return func(ctx context.Context) engine.Run {
		about := a.About(ctx)
		about.Project, about.Version = project, version
		return about
	}
}

// programChanged says why a hook of the project must not run: a file that its command names differs from what the
// person approved.
func (a *loader) programChanged(programs *foreign.Programs, h hook) error {
	if !h.file.isProject || a.Project.Own {
		return nil
	}
	if foreign.HasTooManyWords(*h.Handler) {
		return fmt.Errorf("%w: its command has too many words to say which files it names; put it into a script",
			trust.ErrUntrusted)
	}
	files := FilesOf(a.Project)
	for _, path := range files.programsOf(programs, h.file.File, *h.Handler) {
		if err := files.asApproved(a.Home, path); err != nil {
			why := strings.TrimPrefix(err.Error(), trust.ErrUntrusted.Error())
			return fmt.Errorf("%w: %s%s", trust.ErrUntrusted, term.Name(a.Project.Below(path)), why)
		}
	}
	return nil
}

// hookCheck returns a check that runs right before a hook's process starts. It refuses a hook of the project if a
// file that the hook names differs from what the person approved.
func (a *loader) hookCheck(h hook) func() error {
	if !h.file.isProject || a.Project.Own {
		return nil
	}
	return func() error {
		if err := a.programChanged(FilesOf(a.Project).programs(), h); err != nil {
			return fmt.Errorf("it is not started: %w; see what it is and approve it: chibi trust", err)
		}
		return nil
	}
}

// runner returns a runner for the hooks of a file. They have no terminal, and hooks of the project take programs
// from places that are the same in every directory.
func (a *loader) runner(f *hookFile) process.Runner {
	r, made := a.runners[f.isProject]
	if made {
		return r
	}
	r = a.Runner()
	r.NoTerminal, r.Lender, r.Terminal = true, nil, nil
	r.Stderr = nil // it is a reason for the model, or part of the message that the hook failed
	if f.isProject {
		r.Env = append(slices.Clip(r.Env), project.AbsolutePlaces(r.Getenv)...)
	}
	a.runners[f.isProject] = r
	return r
}

// ofPlugin returns a hook with the variables of the agent's plugins: the directory of the plugin, and a directory
// for its data.
func ofPlugin(a *loader, h hook) agentsettings.Handler {
	if !h.file.IsPlugin {
		return *h.Handler
	}
	root, data := h.file.Root, filepath.Join(a.Told, "plugin-data", a.dialect.Name, filepath.Base(h.file.Root))
	env := map[string]string{"CLAUDE_PLUGIN_ROOT": root, "CLAUDE_PLUGIN_DATA": data, "PLUGIN_ROOT": root,
		"PLUGIN_DATA": data}
	var pairs []string
	for name, value := range env {
		pairs = append(pairs, "${"+name+"}", value)
	}
	one, replace := h.InExtension(a.dialect, root, a.Project.Dir), strings.NewReplacer(pairs...).Replace
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

// backgroundWait is how long the end of a run waits for hooks in the background.
const backgroundWait = 5 * time.Second

// addBackground adds the plugin that passes on the answers of hooks in the background. At the end of the run it
// ends and names the hooks that still run.
func addBackground(a *loader) {
	if !slices.ContainsFunc(a.ready, func(h hook) bool { return h.Async }) {
		return
	}
	a.Plugins = append(a.Plugins, hooks.NewBackground(a.dialect, a.memory))
	if k := a.memory.Keeping; k != nil && k.Start != nil {
		return
	}
	a.AtEnd(func() {
		if ended := a.memory.Close(backgroundWait); len(ended) > 0 {
			a.Notice(fmt.Sprintf("chibi ended hooks that still ran in the background %s after the run: %s",
				backgroundWait, strings.Join(ended, ", ")))
		}
	})
}
