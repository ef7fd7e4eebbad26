package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/jsonedit"
	"github.com/chibi-host/chibi/internal/project"
)

// Found are the entries of one home in a settings file.
type Found struct {
	// Agent is the agent. Scope says whose settings have the entries.
	Agent engine.Dialect
	Scope string
	// File is the settings file, Home the home, Chibi the program; "": the shell finds it by its name.
	File, Home, Chibi string
	// Events are the events that have an entry.
	Events []string
	// FailClosed says that the entries deny what they cannot ask plugins about.
	FailClosed bool
	// Deadline is how long plugins may take together; 0: the constant Deadline.
	Deadline time.Duration
	// Own says that Home is the installer's home.
	Own bool
	// Problem says how the entries differ from what they should be; "": they do not. IsDead says that they ask no
	// plugin because of it.
	Problem string
	IsDead  bool
}

// FindAll lists the entries of all homes in the settings of all agents, the person's and the
// project's. unread has the errors of settings that it cannot read. The installer's agent and scope do not count. A
// file that is both, as in the person's own directory, is the person's.
func (i Installer) FindAll() (list []Found, unread []error) {
	for _, d := range agents.Bridges() {
		for _, scope := range []string{engine.ScopeUser, engine.ScopeProject} {
			i.Agent, i.Scope = d, scope
			found, err := i.Find()
			var none *NoPlaceError
			isSaid := func(e error) bool { return e.Error() == err.Error() }
			if err != nil && !errors.As(err, &none) && !slices.ContainsFunc(unread, isSaid) {
				unread = append(unread, err)
			}
			for _, f := range found {
				if !slices.ContainsFunc(list, f.isOther) {
					list = append(list, f)
				}
			}
		}
	}
	return list, unread
}

// isOther reports whether the entries are the same in another scope, because the file is the same.
func (f Found) isOther(other Found) bool {
	return f.Scope != other.Scope && f.Agent.Name == other.Agent.Name && f.Home == other.Home &&
		project.IsSameFile(f.File, other.File)
}

// Find lists the entries of all homes in the settings files of the scope; none if there is no such
// file. The error says why it cannot read a file.
func (i Installer) Find() (list []Found, err error) {
	_, read, err := i.place()
	if err != nil {
		return nil, err
	}
	for _, place := range i.places() {
		found, err := i.in(place).findIn(place)
		if err != nil {
			return nil, err
		}
		for n := range found {
			if found[n].File != read {
				found[n].IsDead, found[n].Problem = true, fmt.Sprintf("%s reads no hooks there, as there is %s; chibi bridge "+
					"add %s writes them into that", i.Agent.Title, read, i.Agent.Name)
			}
		}
		list = append(list, found...)
	}
	return list, nil
}

// findIn lists the entries in one file.
func (i Installer) findIn(place engine.Place) (list []Found, err error) {
	path := i.path(place)
	text, err := readSettings(path)
	if err != nil || text == nil {
		return nil, err
	}
	if place.Format == javascript {
		return i.carrierIn(path, text), nil
	}
	entries, err := i.entriesIn(text, place.Format)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	commands := map[string][]string{} // of each home's events
	for _, one := range entries {
		e, is := ParseEntry(one.command)
		if !is || e.Agent != i.Agent.Name {
			continue
		}
		home := filepath.Clean(cmp.Or(e.Home, i.DefaultHome))
		n := slices.IndexFunc(list, func(f Found) bool { return f.Home == home })
		if n < 0 {
			n = len(list)
			list = append(list, Found{Agent: i.Agent, Scope: i.Scope, File: path, Home: home, Chibi: e.Chibi,
				FailClosed: e.FailClosed, Deadline: e.Deadline, Own: home == filepath.Clean(i.Home)})
		}
		list[n].Events = append(list[n].Events, e.Event)
		commands[home] = append(commands[home], one.command)
	}
	refused := ""
	if place.Format == "toml" {
		refused = i.refused(text)
	}
	for n, f := range list {
		if list[n].Problem = cmp.Or(refused, i.deathOf(f)); list[n].Problem != "" {
			list[n].IsDead = true
		} else if f.Own {
			list[n].Problem = i.problemOf(f, commands[f.Home])
		}
	}
	return list, nil
}

// entriesIn lists the handlers of a settings file.
func (i Installer) entriesIn(text []byte, format string) (list []listed, err error) {
	if format == "toml" {
		return i.listedIn(text)
	}
	doc, err := jsonedit.Open(text, jsonedit.Format(format))
	if err != nil {
		return nil, err
	}
	for _, event := range doc.Names(below(i.Agent.Shape.Root)...) {
		for _, command := range i.commands(doc, event) {
			list = append(list, listed{event, command})
		}
	}
	return list, nil
}

// deathOf says why entries ask no plugin; "": they do.
func (i Installer) deathOf(f Found) string {
	if f.Chibi == "" && i.Has != nil && !i.Has("chibi") {
		return "the program is gone: there is no chibi in PATH"
	}
	if info, err := os.Stat(f.Chibi); f.Chibi != "" && (err != nil || info.IsDir() || info.Mode()&0o111 == 0) {
		return "the program is gone: " + f.Chibi
	}
	if _, err := os.Stat(f.Home); err != nil {
		return "the home is gone: " + f.Home
	}
	return ""
}

// problemOf says how entries of this home differ from what they should be.
func (i Installer) problemOf(f Found, commands []string) string {
	var missing []string
	for _, e := range i.Agent.Events {
		if e.Bridged && !slices.Contains(f.Events, e.Name) {
			missing = append(missing, e.Name)
		}
	}
	again := fmt.Sprintf("chibi bridge add %s brings them up to date", i.Agent.Name)
	if len(missing) > 0 {
		return fmt.Sprintf("entries for %s are missing; %s", strings.Join(missing, ", "), again)
	}
	as := i
	as.FailClosed, as.Chibi = f.FailClosed, f.Chibi
	for n, event := range f.Events {
		e, _ := ParseEntry(commands[n])
		want := as.entry(event)
		if want.Deadline = e.Deadline; want.Command() != commands[n] {
			return fmt.Sprintf("the entry for %s has changed, or a different version of chibi wrote it; %s", event, again)
		}
	}
	return ""
}
