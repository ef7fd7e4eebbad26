package homes

import (
	"path/filepath"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonl"
)

// fileHome is a home's directory.
type fileHome struct {
	settings *parts.Settings
	home     string
	fs       disk.FS
}

func (f *fileHome) directory(name string) string { return Layout{f.home}.Directory(name) }

// hasContext reports whether a context has a directory.
func (f *fileHome) hasContext(name string) bool { return disk.Exists(f.fs, f.directory(name)) }

// removeStale removes temporary files of crashed processes.
func (f *fileHome) removeStale(dirs ...string) {
	for _, dir := range dirs {
		disk.RemoveStale(f.fs, dir, f.settings.Now())
	}
}

// appendTo appends records, and reports a line that a crash has torn.
func (f *fileHome) appendTo(path string, records [][]byte) error {
	cut, err := jsonl.Append(f.fs, path, records...)
	f.reportCut(path, cut)
	return err
}

// reportCut reports that the torn end of a file was removed, if it had one.
func (f *fileHome) reportCut(path string, cut int64) {
	if cut > 0 {
		parts.Report(f.settings, "%s: the last line was torn by a crash; its %d bytes were never acknowledged and "+
			"are removed", path, cut)
	}
}

// fileContext is a context's directory.
type fileContext struct {
	*parts.Ref
	home *fileHome
}

func (c *fileContext) directory() string { return c.home.directory(c.Name) }

func (c *fileContext) path(name string) string { return filepath.Join(c.directory(), name) }

// hasFile reports whether a file exists; true if that is unknown.
func (c *fileContext) hasFile(path string) bool { return disk.Exists(c.home.fs, path) }
