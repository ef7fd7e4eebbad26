package hooks

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Remembered is what hooks of an agent leave for the hooks that run later in the session.
type Remembered struct {
	// Env are variables for later hooks, Left are variables for later commands.
	Env  map[string]string `json:"env,omitzero"`
	Left map[string]string `json:"left,omitzero"`
	// Ran are the keys of hooks that run once and have run.
	Ran []string `json:"ran,omitzero"`
	// Said are answers from the background that nobody has seen yet.
	Said []Said `json:"said,omitzero"`
}

// Said is a hook's answer from the background.
type Said struct {
	// Context is for the model, Message for the person, and Notes name the parts that have no effect.
	Context string   `json:"context,omitzero"`
	Message string   `json:"message,omitzero"`
	Notes   []string `json:"notes,omitzero"`
	// Wakes says that the turn goes on with the context.
	Wakes bool `json:"wakes,omitzero"`
}

// The bounds of what chibi remembers: of variables together in bytes, of hooks, and of answers, whose newest stay.
const (
	maxVariables = 32 << 10
	maxRan       = 1000
	maxSaid      = 32
	maxNotes     = 8
	maxText      = 10_000
)

// Keeping keeps it where the processes of later events find it.
type Keeping struct {
	// Read returns what hooks left.
	Read func() Remembered
	// Change changes it while nobody else does.
	Change func(step func(*Remembered)) error
	// Hears says that the agent takes a text for the model at this event.
	Hears bool
	// Start starts a process that asks a hook in the background and outlives this one; nil: this
	// process asks it, and waits at its end.
	Start func(Job) error
}

// Memory is what the hooks of one agent share: in a run, or with Keeping in a session whose events are
// processes of their own. It is safe for concurrent use.
type Memory struct {
	Keeping *Keeping

	mu         sync.Mutex
	own        Remembered
	background background
}

// read returns what hooks left. Nobody changes the value.
func (m *Memory) read() Remembered {
	if m.Keeping != nil {
		return m.Keeping.Read()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.own
}

// change changes what hooks left; step replaces members and does not change their content.
func (m *Memory) change(step func(*Remembered)) error {
	if m.Keeping != nil {
		return m.Keeping.Change(step)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	step(&m.own)
	return nil
}

// setVariables adds variables for the hooks that run later. notes name those that it does not keep.
func (m *Memory) setVariables(env map[string]string) (notes []string) {
	return m.add(env, func(r *Remembered) *map[string]string { return &r.Env })
}

// leave adds variables for commands, if commands are not this process's. Later hooks can build theirs from them, as
// in export B="$A".
func (m *Memory) leave(variables map[string]string) (notes []string) {
	if m.Keeping == nil || len(variables) == 0 {
		return nil
	}
	notes = m.add(variables, func(r *Remembered) *map[string]string { return &r.Left })
	return append(notes, "no command here has the variables that it leaves for later commands: the other agent runs them")
}

func (m *Memory) add(env map[string]string, to func(*Remembered) *map[string]string) (notes []string) {
	if len(env) == 0 {
		return nil
	}
	err := m.change(func(r *Remembered) {
		all := maps.Clone(*to(r))
		if all == nil {
			all = map[string]string{}
		}
		for name, value := range env {
			if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
				notes = append(notes, fmt.Sprintf("its variable %q is not kept: no process can have such a variable", name))
				continue
			}
			all[name] = value
		}
		size := 0
		for name, value := range all {
			size += len(name) + len(value)
		}
		if size > maxVariables {
			notes = append(notes, fmt.Sprintf("its variables are not kept: with the earlier hooks' variables they are %d "+
				"bytes, and at most %d are", size, maxVariables))
			return
		}
		*to(r) = all
	})
	if err != nil {
		notes = append(notes, fmt.Sprintf("its variables are not kept: %v", err))
	}
	return notes
}

// variables returns the variables of earlier hooks as "NAME=value".
func (m *Memory) variables() (list []string) {
	env := m.read().Env
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// first reports whether a hook has not run yet, and notes that it runs. If it cannot note that, the hook has not
// run.
func (m *Memory) first(key string) (is bool) {
	err := m.change(func(r *Remembered) {
		if is = !slices.Contains(r.Ran, key); is {
			r.Ran = newest(append(slices.Clone(r.Ran), key), maxRan)
		}
	})
	return is || err != nil
}

// newest returns the last elements of a list.
func newest[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }

// key tells a hook from all others of its agent, whichever others there are.
func (h *hook) key() string {
	one := h.handler
	one.Number, one.Line = 0, 0
	text, err := strictjson.Encode(one)
	if err != nil { // it was read from JSON or TOML
		text = []byte(h.opts.Name)
	}
	return fmt.Sprintf("%.16x", sha256.Sum256(append(text, h.opts.Path...)))
}
