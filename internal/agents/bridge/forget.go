package bridge

import (
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/disk"
)

// keptFor is how long the trace of a session is kept after its last event.
const keptFor = 30 * 24 * time.Hour

// forgetOldSessions removes the directories of sessions of the agent in which nothing has
// happened for long.
func forgetOldSessions(home string, now app.Bridge) {
	dir := app.BridgeDir(home, now.Agent)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name(), app.BridgeTrace))
		if err == nil && time.Since(info.ModTime()) > keptFor && e.Name() != now.Session {
			_ = disk.OS{}.RemoveAll(filepath.Join(dir, e.Name())) // the next session tries again
		}
	}
}
