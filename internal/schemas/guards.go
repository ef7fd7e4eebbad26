package schemas

import (
	"maps"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// Guards lists the entries of a plugins directory that must be there. Unlike an answer, that
// outlives the file that gave it.
func (m *Memory) Guards(dir string) []string {
	if m.opts.Use == Off {
		return nil
	}
	return m.stored.Guards[folder(m.path, dir)]
}

// folder is how a plugins directory is named in the memory at a path: from there, if it is in
// the same home, however that was named.
func folder(memory, dir string) string {
	if inHome, err := filepath.Rel(filepath.Dir(memory), dir); err == nil && filepath.IsLocal(inHome) {
		return inHome
	}
	return dir
}

// KeepGuards replaces them.
func (m *Memory) KeepGuards(dir string, names []string) {
	if m.opts.Use == Off || m.opts.Elsewhere {
		return
	}
	dir = folder(m.path, dir)
	changed := map[string]bool{}
	for _, name := range names {
		if utf8.ValidString(name) { // JSON has no others
			changed[name] = true
		}
	}
	for _, name := range m.stored.Guards[dir] {
		if changed[name] {
			delete(changed, name)
		} else {
			changed[name] = false
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.guards[dir] = changed
	if len(changed) == 0 {
		delete(m.guards, dir)
	}
}

// applied makes the changes of a run to the guards that another run may have written since.
func applied(changed map[string]map[string]bool, now map[string][]string) map[string][]string {
	kept := map[string][]string{}
	maps.Copy(kept, now)
	for dir, names := range changed {
		all := map[string]bool{}
		for _, name := range now[dir] {
			all[name] = true
		}
		maps.Copy(all, names)
		maps.DeleteFunc(all, func(_ string, stays bool) bool { return !stays })
		kept[dir] = slices.Sorted(maps.Keys(all))
	}
	maps.DeleteFunc(kept, func(_ string, names []string) bool { return len(names) == 0 })
	return kept
}
