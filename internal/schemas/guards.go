package schemas

import (
	"maps"
	"os"
	"slices"
)

// Guards lists the entries of a plugins directory that must be there. Unlike an answer, that
// outlives the file that gave it.
func (m *Memory) Guards(dir string) []string {
	if m.opts.Use == Off {
		return nil
	}
	return m.stored.Guards[dir]
}

// KeepGuards replaces them.
func (m *Memory) KeepGuards(dir string, names []string) {
	if m.opts.Use == Off || m.opts.Elsewhere {
		return
	}
	changed := map[string]bool{}
	for _, name := range names {
		changed[name] = true
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
// Directories that are gone are left out.
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
	maps.DeleteFunc(kept, func(dir string, names []string) bool {
		_, err := os.Lstat(dir)
		return err != nil || len(names) == 0
	})
	return kept
}
