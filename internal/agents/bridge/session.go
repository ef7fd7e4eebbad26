package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
)

// maxSessionName bounds the name of a session's directory, in bytes.
const maxSessionName = 100

// noSession is the id of events whose agent names no session.
const noSession = "none"

// sessionOf returns the id of the agent's session, and the name of its directory: the id if any file system takes
// it as a name, else its hash.
func sessionOf(m engine.Moment) (id, name string) {
	id = cmp.Or(m.Text(engine.Session), noSession)
	isPlain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if len(id) <= maxSessionName && !strings.ContainsFunc(id, func(r rune) bool { return !isPlain(r) }) {
		return id, id
	}
	sum := sha256.Sum256([]byte(id))
	return id, "sha256-" + hex.EncodeToString(sum[:16])
}

// ServerName is the name by which agents know chibi as an MCP server.
const ServerName = "chibi"

// isServed reports whether the event is about a tool of chibi's own MCP server, whose calls
// pass all hooks in the server. A server with this name is not enough: a project can bring one with other tools,
// and some agents write names of servers and tools so that chibi_x can be either.
func isServed(at engine.Event, m engine.Moment, s *app.Session) bool {
	about := []engine.Kind{engine.BeforeTool, engine.AskPermission, engine.BeforeMCP, engine.AfterTool,
		engine.ToolSucceeded, engine.ToolFailed, engine.AfterMCP}
	if !slices.Contains(about, at.Kind) || m.Text(engine.Server) != ServerName {
		return false
	}
	tool, found := s.Agent.Tools.Lookup(m.Text(engine.ServerTool))
	return found && slices.Contains(app.ServedKinds(), tool.Spec().Kind)
}

// keptFor is how long chibi keeps the trace of a session after its last event. leftFor is how long it keeps what
// hooks left in the session, and the notes of its turn.
const (
	keptFor = 30 * 24 * time.Hour
	leftFor = 24 * time.Hour
)

// forgetOldSessions removes the directories of old sessions of the agent.
func forgetOldSessions(home string, now app.Bridge) {
	dir := app.BridgeDir(home, now.Agent)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		idle := time.Since(lastEvent(path))
		switch { // if it cannot remove a file, the next session tries again
		case e.Name() == now.Session:
		case idle > keptFor:
			_ = disk.OS{}.RemoveAll(path)
		case idle > leftFor:
			_ = disk.OS{}.RemoveAll(behindDir(path))
			_ = disk.OS{}.RemoveAll(askedDir(path))
			_ = disk.OS{}.Remove(filepath.Join(path, stateName))
		}
	}
}

// lastEvent returns the time of the newest file in a session's directory.
func lastEvent(dir string) (last time.Time) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	if last.IsZero() { // another process is making it, or it is unreadable
		last = time.Now()
	}
	return last
}
