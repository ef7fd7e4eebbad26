package contexts

import "path/filepath"

// Layout names directories and files of a home on disk, for those who need paths.
// Stores that are not files have none.
type Layout struct {
	// Home is the home directory.
	Home string
}

func (l Layout) contexts() string { return filepath.Join(l.Home, "contexts") }

// Directory is where a context is kept.
func (l Layout) Directory(name string) string { return filepath.Join(l.contexts(), name) }

// Cache is where large tool outputs of a context are kept; see package cache. It
// may be missing.
func (l Layout) Cache(name string) string { return filepath.Join(l.Directory(name), "tool_cache") }

// LocalConfig is a context's configuration file, which may be missing.
func (l Layout) LocalConfig(name string) string {
	return filepath.Join(l.Directory(name), "local.toml")
}

// Trace is the file that keeps what happened in the newest turns of a context.
func (l Layout) Trace(name string) string { return filepath.Join(l.Directory(name), "trace.jsonl") }
