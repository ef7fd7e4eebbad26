package bridge

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/jsonedit"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/plugin/process"
)

// Installer writes entries into an agent's settings files, and takes them out again.
type Installer struct {
	// Agent is the agent. Scope says whose settings to change: engine.ScopeUser or ScopeProject.
	Agent engine.Dialect
	Scope string
	// Home is chibi's home. DefaultHome is the home of entries that name none.
	Home, DefaultHome string
	// Chibi is the program of entries; "": the shell finds it by its name.
	Chibi string
	// UserHome and Project are the directories of settings files. Getenv reads the variables that move them.
	UserHome, Project string
	Getenv            func(string) string
	// FailClosed and Limit are for the entries.
	FailClosed bool
	Limit      time.Duration
	// NoServer leaves out the MCP server.
	NoServer bool
	// Trial reports the changes and the errors that would come, and changes nothing.
	Trial bool
	// Run runs a program of the agent, for agents that take MCP servers by a program; false: it does not exist.
	Run func(program string, args ...string) (found bool, err error)
	// Has reports whether a program is in PATH; nil: the installer does not look.
	Has func(program string) bool
}

// NewInstaller returns an installer for the entries of a home, in the settings of whoever runs this
// program and of the project in the working directory.
func NewInstaller(home string) (i Installer, err error) {
	i = Installer{UserHome: project.UserHome(), Getenv: os.Getenv}
	i.DefaultHome = filepath.Join(i.UserHome, ".chibi")
	i.Has = func(program string) bool {
		_, found := process.Runner{}.LookPath(program)
		return found
	}
	if i.Home, err = filepath.Abs(home); err != nil {
		return i, err
	}
	i.Project, err = os.Getwd()
	return i, err
}

// Runner runs programs of agents, for at most a minute each.
func Runner(ctx context.Context) func(string, ...string) (bool, error) {
	return func(name string, args ...string) (found bool, err error) {
		r := process.Runner{NoTerminal: true}
		path, found := r.LookPath(name)
		if !found {
			return false, nil
		}
		outcome, err := r.Run(ctx, process.Command{Path: path, Args: args, Timeout: time.Minute})
		if err == nil && !outcome.Ok() {
			err = outcome.Err()
		}
		return true, err
	}
}

// Done says what an installer has done.
type Done struct {
	// Files are the files that it changed. Ran are the commands of the agent that it ran, each of which changed a
	// file of the agent. Notes are for the person.
	Files, Ran, Notes []string
}

func (d *Done) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// NoPlaceError means that an agent has no settings file of a scope.
type NoPlaceError struct{ Title, Scope string }

// Error says so.
func (e *NoPlaceError) Error() string {
	return fmt.Sprintf("%s has no settings file of the scope %q into which chibi can write hooks", e.Title, e.Scope)
}

// places lists the settings files of the scope into which chibi writes entries.
func (i Installer) places() (list []engine.Place) {
	for _, p := range i.Agent.Places {
		if p.Write && p.Scope == i.Scope {
			list = append(list, p)
		}
	}
	return list
}

// place returns the settings file whose hooks the agent reads, and its path.
func (i Installer) place() (p engine.Place, path string, err error) {
	list := i.places()
	if len(list) == 0 {
		return p, "", &NoPlaceError{i.Agent.Title, i.Scope}
	}
	for _, p := range list[:len(list)-1] {
		text, err := readSettings(i.path(p))
		if err != nil {
			return p, "", err
		}
		if doc, err := jsonedit.Open(text, jsonedit.Format(p.Format)); err != nil || len(doc.Names()) > 0 {
			return p, i.path(p), nil
		}
	}
	p = list[len(list)-1]
	return p, i.path(p), nil
}

// path returns where a file of the scope is.
func (i Installer) path(p engine.Place) string {
	base := i.UserHome
	if p.Scope != engine.ScopeUser {
		base = i.Project
	}
	rel := filepath.FromSlash(p.Path)
	if p.Variable != "" && i.Getenv(p.Variable) != "" {
		first, _, _ := strings.Cut(p.Path, "/")
		rest := strings.TrimPrefix(p.Path, cmp.Or(p.Moved, first))
		return filepath.Join(i.Getenv(p.Variable), filepath.FromSlash(rest))
	}
	return filepath.Join(base, rel)
}

// limit is the time limit of entries.
func (i Installer) limit() time.Duration { return cmp.Or(i.Limit, Limit) }

// deadlineOf returns the deadline for a time limit: early enough to end plugins.
func deadlineOf(limit time.Duration) time.Duration {
	return max(time.Second, limit-max(limit/6, 2*time.Second)).Truncate(time.Second)
}

// namedHome is the home that entries name. Entries without a program, in settings that other people use too, do not
// name the default home.
func (i Installer) namedHome() string {
	if i.Chibi == "" && i.Home == i.DefaultHome {
		return ""
	}
	return i.Home
}

// isOwn reports whether a command line is an entry for this agent and home.
func (i Installer) isOwn(command string) bool {
	e, is := ParseEntry(command)
	return is && e.Agent == i.Agent.Name && filepath.Clean(cmp.Or(e.Home, i.DefaultHome)) == filepath.Clean(i.Home)
}
