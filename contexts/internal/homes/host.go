package homes

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
)

// Host is what a home's directory keeps on this machine wherever the contexts are: the
// files that are only written for people, scripts and later runs here.
type Host struct{ home *fileHome }

// HostOf returns the part of a home that is on this machine. It writes nothing. Damage of
// its files is not reported: they are only read by people.
func HostOf(home string) Host {
	return Host{&fileHome{home: home, fs: disk.OS{}, settings: &parts.Settings{Now: time.Now}}}
}

// Layout returns the names of the directories and files of the home.
func (h Host) Layout() Layout { return Layout{Home: h.home.home} }

// Log appends a record to a file of a context that people read to find out what
// happened, such as requests.jsonl.
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
// only the home's own directories and those of the named contexts.
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
