package bridge

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
)

// firedFile is an empty file whose time says when an agent ran the entry for an event last.
func firedFile(home, agent, event string) string {
	return filepath.Join(home, "bridge", "fired", agent+"."+event)
}

// noteFired notes that the agent runs the entry for the event.
func (r *run) noteFired() {
	if r.home != "" && r.event.Name != "" {
		_ = disk.Touch(r.home, firedFile(r.home, r.Agent.Name, r.event.Name)) // chibi bridge list then shows an older time
	}
}

// sessionFired is the name of an empty file in a session's directory. Its time is the time of the session's last
// event: without plugins the directory may have nothing else.
const sessionFired = "fired"

// noteSession notes that an entry fired in the session.
func (r *run) noteSession() {
	if dir := r.bridge.Dir(r.home); r.bridge.Run != noSession && disk.CheckOwn(dir) == nil {
		_ = disk.Touch(r.home, filepath.Join(dir, sessionFired)) // as above
	}
}

// FiredLast returns when the agent last ran the entry of the home for each event. It leaves out events for which
// the agent never did.
func (f Found) FiredLast() map[string]time.Time {
	last := map[string]time.Time{}
	for _, event := range f.Events {
		if info, err := os.Stat(firedFile(f.Home, f.Agent.Name, event)); err == nil {
			last[event] = info.ModTime()
		}
	}
	return last
}

// Session is a session in which the agent did not ask chibi: its file, and the file's time.
type Session struct {
	File string    `json:"file"`
	Last time.Time `json:"last"`
}

// Unasked lists the sessions of the agent, by the names and times of its own files, in which no entry fired
// although they went on after chibi added the entries to the person's settings. The newest comes first. Sessions
// that are older than chibi's own records do not count.
func (i Installer) Unasked(f Found) (list []Session) {
	added, err := receiptsOf(f.Home)
	since := added[f.File].At
	if err != nil || since.IsZero() || f.Scope != engine.ScopeUser || f.Agent.Sessions.Path == "" {
		return nil
	}
	if oldest := time.Now().Add(-keptFor); since.Before(oldest) {
		since = oldest
	}
	asked := askedSessions(f.Home, f.Agent)
	for _, s := range i.sessionsOf(f.Agent.Sessions) {
		if s.Last.After(since) && !slices.ContainsFunc(asked, func(a Session) bool { return isOf(f.Agent.Sessions, s, a) }) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Session) int { return b.Last.Compare(a.Last) })
	return list
}

// askedSessions lists the sessions of the agent that have a directory in the home, by their ids.
func askedSessions(home string, d engine.Dialect) (list []Session) {
	dir := app.BridgeDir(home, d.Name)
	entries, _ := os.ReadDir(dir) // without one there were none
	for _, e := range entries {
		list = append(list, Session{e.Name(), lastEvent(filepath.Join(dir, e.Name()))})
	}
	return list
}

// isOf reports whether a file of the agent belongs to a session in which the agent asked chibi, or to its
// sub-agent. A sub-agent's file was last written in the hour before the session's last event.
func isOf(files engine.SessionFiles, file, asked Session) bool {
	id := asked.File
	if files.Begin > 0 && len(id) > files.Begin {
		id = id[:files.Begin]
	}
	age := asked.Last.Sub(file.Last)
	return strings.Contains(file.File, id) || files.Nested && age >= 0 && age < time.Hour
}

// maxSessionFiles bounds how many files of sessions chibi looks at.
const maxSessionFiles = 10_000

// sessionsOf lists an agent's own files of sessions.
func (i Installer) sessionsOf(files engine.SessionFiles) (list []Session) {
	pattern := i.path(engine.Place{Scope: engine.ScopeUser, Path: files.Path, Variable: files.Variable})
	at := strings.IndexByte(files.Path, '*')
	root := strings.TrimSuffix(pattern, filepath.FromSlash(files.Path[at:]))
	names, _ := fs.Glob(os.DirFS(root), files.Path[at:]) // the pattern is a good one
	for _, name := range names[:min(len(names), maxSessionFiles)] {
		path := filepath.Join(root, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			list = append(list, Session{path, info.ModTime()})
		}
	}
	return list
}
