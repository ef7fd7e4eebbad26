package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// name is the name of the file in the home.
const name = "schemas.json"

const version = 1

const (
	// maxFile bounds the file, in bytes.
	maxFile = 16 << 20
	// maxStdout bounds an answer that is remembered, in bytes.
	maxStdout = 256 << 10
)

// file is the content of the file. Entries are decoded when they are needed; one that
// cannot be read does not affect the others.
type file struct {
	Version int                        `json:"version"`
	Plugins map[string]json.RawMessage `json:"plugins"`
	Hooks   map[string]json.RawMessage `json:"hooks"`
	Guards  map[string][]string        `json:"guards,omitempty"` // names, by folder of plugins
}

type key struct {
	isHook bool
	path   string
}

func keyOf(f oneshot.File) key { return key{f.Question != "--schema", f.Path} }

// table returns the entries of the plugins, or of Kodelet's hooks.
func (f file) table(k key) map[string]json.RawMessage {
	if k.isHook {
		return f.Hooks
	}
	return f.Plugins
}

// read reads the file; it is empty if it cannot be used.
func read(path string) (f file) {
	data, err := disk.ReadDerived(disk.OS{}, path, maxFile)
	if err != nil || strictjson.Decode(data, &f) != nil || f.Version != version {
		return file{}
	}
	return f
}

// Differed lists the executables whose answers changed although their files did not, and
// which are therefore asked at every start, by their paths in order. Those whose files have
// changed since are not listed.
func (m *Memory) Differed() (paths []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, table := range []map[string]json.RawMessage{m.stored.Plugins, m.stored.Hooks} {
		for path, raw := range table {
			e := decode(raw)
			if id, err := fileid.Stat(path); err == nil && e != nil && e.Differed && e.ID == id {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// patience is how long a run waits for others that write.
const patience = time.Second

// Save writes what has changed, if anything has. Entries of plugins that no longer exist,
// or that were disabled, are removed.
func (m *Memory) Save(pluginsDir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.changed) == 0 && len(m.guards) == 0 {
		return nil
	}
	if err := disk.MkdirAll(disk.OS{}, filepath.Dir(m.path), 0o700); err != nil {
		return err
	}
	if unlock, err := disk.LockWithin(m.path+".lock", patience); err == nil {
		defer unlock()
	}
	now := read(m.path) // another run may have written
	kept := file{Version: version, Plugins: m.current(now.Plugins, pluginsDir), Hooks: m.current(now.Hooks, ""),
		Guards: applied(m.guards, now.Guards)}
	for k := range m.changed {
		delete(kept.table(k), k.path)
		if e := m.entries[k]; e != nil {
			raw, err := json.Marshal(e)
			if err != nil {
				return err
			}
			kept.table(k)[k.path] = raw
		}
	}
	data, err := strictjson.Encode(kept)
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s would be larger than %d bytes", m.path, maxFile)
	}
	if err != nil {
		return err
	}
	return m.write(append(data, '\n'))
}

// current returns the entries of plugins that exist and are not disabled: this run asked the
// plugins of the plugins directory.
func (m *Memory) current(entries map[string]json.RawMessage, pluginsDir string) map[string]json.RawMessage {
	kept := map[string]json.RawMessage{}
	maps.Copy(kept, entries)
	maps.DeleteFunc(kept, func(path string, _ json.RawMessage) bool {
		if _, err := os.Lstat(path); err != nil {
			return true
		}
		inDir, err := filepath.Rel(pluginsDir, path)
		return pluginsDir != "" && err == nil && filepath.IsLocal(inDir) && !m.asked[key{path: path}]
	})
	return kept
}

// write replaces the file. A home that cannot be written to is not an error: its plugins are
// asked each time.
func (m *Memory) write(data []byte) error {
	err := disk.ReplaceDerived(disk.OS{}, m.path, data)
	switch {
	case disk.IsReadOnly(err):
		return nil
	case err == nil && m.isNew:
		removeOld(filepath.Dir(m.path))
	}
	clear(m.changed)
	clear(m.guards)
	return err
}

// removeOld removes from a home what earlier versions remembered.
func removeOld(home string) {
	for _, old := range []string{"hung-plugins.json", "kodelet-events.json"} {
		for _, path := range []string{old, old + ".lock"} {
			disk.OS{}.Remove(filepath.Join(home, path))
		}
	}
}
