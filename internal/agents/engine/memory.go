package engine

import (
	"maps"
	"slices"
	"sync"
)

// Memory is what the hooks of one agent share in a run. It is safe for concurrent use; a nil
// *Memory remembers nothing.
type Memory struct {
	mu         sync.Mutex
	env        map[string]string
	background background
}

// setVariables adds variables for the hooks that run later.
func (m *Memory) setVariables(env map[string]string) {
	if m == nil || len(env) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.env == nil {
		m.env = map[string]string{}
	}
	maps.Copy(m.env, env)
}

// variables returns the variables of earlier hooks as "NAME=value".
func (m *Memory) variables() (list []string) {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.env)) {
		list = append(list, name+"="+m.env[name])
	}
	return list
}
