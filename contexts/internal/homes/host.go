package homes

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
)

// Host is the part of a home's directory that stays on this machine wherever the contexts
// are: the files that are only for people, scripts and later runs here.
type Host struct{ home *fileHome }

// HostOf returns the part of a home that is on this machine. It writes nothing. It does
// not report damage of its files: only people read them.
func HostOf(home string) Host {
	return Host{&fileHome{home: home, fs: disk.OS{}, settings: &parts.Settings{Now: time.Now}}}
}

// Layout returns the names of the directories and files of the home.
func (h Host) Layout() Layout { return Layout{Home: h.home.home} }

// Log appends a record to a file of a context that explains to people what happened, such as requests.jsonl.
func (h Host) Log(name, file string, record any) (err error) {
	dir := h.home.directory(name)
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s of context %q: %w", file, name, err)
		}
	}()
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if err := disk.MkdirAll(h.home.fs, dir, 0o700); err != nil {
		return err
	}
	return h.home.appendTo(filepath.Join(dir, file), [][]byte{data})
}

// Tidy removes temporary files that are a day old: leftovers of interrupted runs. It reads
// only the home's own directories and the directories of the named contexts.
func (h Host) Tidy(names ...string) {
	h.home.removeStale(h.home.ownDirectories()...)
	h.TidyContexts(names...)
}

// TidyContexts does that in the directories of contexts only.
func (h Host) TidyContexts(names ...string) {
	for _, name := range names {
		h.home.removeStale(h.home.directoriesOf(name)...)
	}
}

// Trash lists the directories of deleted contexts that have not been removed yet.
// [Store.Housekeep] removes them.
func (h Host) Trash() (paths []string, err error) { return h.home.trash() }

// Temps lists temporary files in the home and in all contexts: leftovers of
// interrupted runs, or files that are being written.
func (h Host) Temps(ctx context.Context) (paths []string, err error) {
	names, err := fileNames{h.home}.Names(ctx)
	dirs := h.home.ownDirectories()
	for _, name := range names {
		dirs = append(dirs, h.home.directoriesOf(name)...)
	}
	for _, dir := range dirs {
		paths = append(paths, disk.Temps(h.home.fs, dir, h.home.settings.Now().Add(time.Second))...)
	}
	return paths, err
}

func (f *fileHome) ownDirectories() []string {
	return []string{f.home, filepath.Join(f.home, "prompts"), filepath.Join(f.home, "plugins")}
}

func (f *fileHome) directoriesOf(name string) []string {
	dir := f.directory(name)
	layout := Layout{f.home}
	return []string{dir, filepath.Join(dir, "transcript"), layout.Cache(name), layout.SharedCache(name)}
}

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

// SetAside returns the directory of damaged parts that were taken out of a context, which may be missing.
func (l Layout) SetAside(name string) string { return filepath.Join(l.Directory(name), "set_aside") }

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
