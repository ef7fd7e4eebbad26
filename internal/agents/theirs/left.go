package theirs

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// Variables are the variables that hooks of coding agents leave for the commands that run after them. They are safe
// for concurrent use.
type Variables struct {
	mu        sync.Mutex
	variables map[string]string
	dir       string // where hooks leave them; "" until one does
}

// add adds variables.
func (l *Variables) add(variables map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.variables == nil {
		l.variables = map[string]string{}
	}
	maps.Copy(l.variables, variables)
}

// List returns them as "NAME=value".
func (l *Variables) List() (list []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(l.variables)) {
		list = append(list, name+"="+l.variables[name])
	}
	return list
}

// value returns one of them.
func (l *Variables) value(name string) (value string, set bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	value, set = l.variables[name]
	return value, set
}

// forget forgets where hooks leave variables.
func (l *Variables) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dir = ""
}

// leavingOf returns how the hooks of the run leave variables.
func leavingOf(l Options) hooks.Leaving {
	left := l.Left
	return hooks.Leaving{
		Dir: func() (string, error) {
			left.mu.Lock()
			defer left.mu.Unlock()
			if left.dir != "" {
				return left.dir, nil
			}
			dir, remove, err := disk.MkdirTemp("chibi-variables-*")
			if err == nil {
				left.dir = dir
				l.AtEnd(func() {
					left.forget()
					remove()
				})
			}
			return dir, err
		},
		Add: left.add,
		Getenv: func(name string) string {
			if value, set := left.value(name); set {
				return value
			}
			return l.Runner().Getenv(name)
		},
	}
}

// concerningOf returns the reader of rules of hooks, in chibi's names.
func concerningOf(l Options) hooks.Concerning {
	return func(rule string) (func(tools.Spec, json.RawMessage) bool, error) { return concerns(l, rule) }
}

// concerns reads a rule.
func concerns(l Options, rule string) (func(tools.Spec, json.RawMessage) bool, error) {
	dir := l.Project.Dir
	c, err := permissions.NewCondition(rule, permissions.Settings{Root: l.Project.ToolRoot(), Dir: dir,
		ChibiHome: l.Home, UserHome: l.Project.User})
	if err != nil {
		return nil, err
	}
	return func(spec tools.Spec, arguments json.RawMessage) bool {
		return c.Concerns(permissions.Call{Tool: spec, Arguments: arguments,
			Access: permissions.AccessOf(spec, arguments, dir)})
	}, nil
}

// allowed returns the URLs that hooks may have and the variables that their headers may have, of all files
// together; nil: no file limits them.
func (a *settings) allowed() (urls, variables []string) {
	for _, f := range a.files {
		if f.untrusted == nil {
			urls, variables = append(urls, f.URLs...), append(variables, f.HeaderVariables...)
			if f.URLs != nil && urls == nil {
				urls = []string{}
			}
			if f.HeaderVariables != nil && variables == nil {
				variables = []string{}
			}
		}
	}
	return urls, variables
}
