package homes

import (
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// Layout names directories and files of a home on disk, for callers that need
// paths. Stores that are not files have none.
type Layout struct {
	// Home is the home directory.
	Home string
}

// Contexts returns the directory of all contexts.
func (l Layout) Contexts() string { return filepath.Join(l.Home, "contexts") }

// Directory returns the directory of a context.
func (l Layout) Directory(name string) string { return filepath.Join(l.Contexts(), name) }

// Directories lists the entries of the directory of all contexts: contexts, and
// remains of those that are being deleted.
func (l Layout) Directories() (paths []string) {
	entries, err := os.ReadDir(l.Contexts())
	if err != nil {
		return nil
	}
	for _, e := range entries {
		paths = append(paths, filepath.Join(l.Contexts(), e.Name()))
	}
	return paths
}

// Cache returns the directory of a context's large tool outputs, which may be
// missing; see package cache.
func (l Layout) Cache(name string) string { return filepath.Join(l.Directory(name), "tool_cache") }

// SharedCache returns the directory of copies of the large tool outputs of a context that a store
// keeps for many machines. It is not Cache, which a context of the same name in files may use.
func (l Layout) SharedCache(name string) string {
	return filepath.Join(l.Directory(name), "shared_cache")
}

// LocalConfig returns a context's configuration file, which may be missing.
func (l Layout) LocalConfig(name string) string {
	return filepath.Join(l.Directory(name), parts.TextLocalConfig)
}

// LocalConfigs lists the existing configuration files of contexts.
func (l Layout) LocalConfigs() (paths []string) {
	for _, dir := range l.Directories() {
		if _, err := os.Stat(filepath.Join(dir, parts.TextLocalConfig)); err == nil {
			paths = append(paths, filepath.Join(dir, parts.TextLocalConfig))
		}
	}
	return paths
}

// Trace returns the file with the trace of the newest turns of a context.
func (l Layout) Trace(name string) string { return filepath.Join(l.Directory(name), "trace.jsonl") }
