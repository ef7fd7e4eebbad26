package theirs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/chibi-host/chibi/internal/agents/engine"
	agentsettings "github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
)

// settings are the settings files of an agent.
type settings struct {
	dialect engine.Dialect
	files   []*hookFile
}

// hookFile is a settings file of an agent.
type hookFile struct {
	foreign.File
	// untrusted says why chibi must not use a file of the project; nil: it may.
	untrusted error
	// isProject says that the file needs approval.
	isProject bool
	// taken says which hooks of the file the agent of the session runs by itself; nil: it does not read the file.
	taken *taking
	// offset is how many entries of an event the files before it have.
	offset map[string]int
}

// hook is one hook of a settings file.
type hook struct {
	*agentsettings.Handler
	file  *hookFile
	name  string
	stays string // the name that stays, "" if it has none
	// isSet says that the configuration has settings under its name.
	isSet bool
	known knownHook
	other string // why its settings may be another hook's; "" if they are its own
}

// root is the directory of the agent's plugin that a command belongs to, "" if there is none. The same text in two
// plugins runs different files, because it has the directory in it, or in a variable.
func (h hook) root() string {
	if h.file.IsPlugin && h.Kind == engine.CommandHandler {
		return h.file.Root
	}
	return ""
}

// hooks lists the hooks of all files in the order in which chibi asks them: by the order of the events in the
// table, then by the order of the files.
func (a *settings) hooks() (list []hook) {
	for _, f := range a.files {
		for i := range f.Handlers {
			h := &f.Handlers[i]
			list = append(list, hook{Handler: h, file: f, name: a.nameOf(f, h.Event, h.Number)})
		}
	}
	place := map[string]int{}
	for i, e := range a.dialect.Events {
		place[e.Name] = i + 1
		if e.Kind == engine.SessionStart {
			place[e.Name] = -1 // before the prompt at whose point it runs
		}
	}
	slices.SortStableFunc(list, func(x, y hook) int { return place[x.Event] - place[y.Event] })
	return list
}

// nameOf returns the name of an entry of a file, such as claude:PreToolUse:2.
func (a *settings) nameOf(f *hookFile, event string, number int) string {
	return fmt.Sprintf("%s:%s:%d", a.dialect.Name, event, f.offset[event]+number)
}

// origin returns where a hook stands.
func (a *settings) origin(f *hookFile, line int) plugin.Origin {
	return plugin.Origin{Protocol: a.dialect.Name, Path: f.Path, Line: line}
}

// number counts the entries of each event over all files.
func (a *settings) number() {
	total := map[string]int{}
	for _, f := range a.files {
		f.offset = maps.Clone(total)
		for event, count := range f.Entries {
			total[event] += count
		}
	}
}

// switchedOff are the hooks that settings files turn off.
type switchedOff struct {
	by    string // the file that turns all off, "" if none does
	names map[string]string
}

// disabledBy finds out which hooks the files turn off. Of the files that turn all hooks on or off, the nearest to
// the project counts.
func (a *settings) disabledBy() switchedOff {
	off, scope := switchedOff{names: map[string]string{}}, -1
	for _, f := range a.files {
		if f.untrusted != nil {
			continue
		}
		if rank := slices.Index(scopes(), f.Scope); f.Disabled != nil && rank >= scope {
			off.by, scope = "", rank
			if *f.Disabled {
				off.by = f.Path
			}
		}
		for _, name := range f.DisabledNames {
			off.names[name] = f.Path
		}
	}
	return off
}

// scopes lists the scopes of settings files in the order of their precedence.
func scopes() []string {
	return []string{engine.ScopeSystem, engine.ScopeUser, engine.ScopeProject, engine.ScopeLocal}
}

// why says which file turns a hook off, "" if none does. No file turns the organisation's hooks off.
func (o switchedOff) why(h hook) string {
	if h.file.Scope == engine.ScopeSystem {
		return ""
	}
	if o.by != "" {
		return term.Name(o.by) + " turns all hooks off"
	}
	for _, name := range []string{h.Name, h.Command} {
		if path := o.names[name]; name != "" && path != "" {
			return term.Name(path) + " turns it off"
		}
	}
	return ""
}
