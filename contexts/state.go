package contexts

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// State holds the current and the previous context.
type State struct {
	// Current is the context of runs that do not name one.
	Current string
	// Previous is the one before it, "" if there was none.
	Previous string
}

// wholeState is a registry that keeps one state for all contexts. update changes it while
// nobody else can.
type wholeState struct {
	settings *Settings
	update   func(change func(*stateFile)) error
}

func (w wholeState) enter(name string) (from string, err error) {
	now := w.settings.Now()
	err = w.update(func(state *stateFile) {
		from = state.enter(name)
		state.register(name, now).LastActivityAt = now.Unix()
	})
	return from, err
}

func (w wholeState) change(name string, change func(*contextState)) error {
	return w.update(func(state *stateFile) { change(state.register(name, w.settings.Now())) })
}

func (w wholeState) describe(list []contextState) error {
	return w.update(func(state *stateFile) { state.describe(list) })
}

func (w wholeState) moved(from, to string) error {
	return w.update(func(state *stateFile) { state.rename(from, to) })
}

func (w wholeState) forget(names ...string) (current string, err error) {
	err = w.update(func(state *stateFile) {
		for _, name := range names {
			state.forget(name)
		}
		current = state.Current
	})
	return current, err
}

// stateFile is state.json, the registry of the contexts of a home.
type stateFile struct {
	Contexts []contextState `json:"contexts"`
	Current  string         `json:"current_context"`
	Previous *string        `json:"previous_context"`

	lists bool // Contexts are all that exist, as far as the state is not a file
}

type contextState struct {
	Name                        string `json:"name"`
	CreatedAt                   int64  `json:"created_at"`
	LastActivityAt              int64  `json:"last_activity_at"`
	DestroyAfterSecondsInactive int64  `json:"destroy_after_seconds_inactive"`
	DestroyAt                   int64  `json:"destroy_at"`
}

// Validate returns an error if the file is not a valid state.json.
func (f *stateFile) Validate() error {
	if f.Current == "" {
		return nil
	}
	return ValidName(f.Current)
}

// complete sets the current context if the file does not have it.
func (f *stateFile) complete() {
	if f.Current == "" {
		f.Current = DefaultName
	}
}

// isDue returns why a context is to be removed, "" if it is not. lastUse returns
// when something in it was last written: of contexts used with -C nothing else is
// known.
func (e contextState) isDue(now time.Time, lastUse func(name string) time.Time) string {
	if e.DestroyAt >= 1 && now.After(time.Unix(e.DestroyAt, 0)) {
		return fmt.Sprintf("destroy_at was %s", time.Unix(e.DestroyAt, 0).Format(time.DateTime))
	}
	idle := time.Duration(e.DestroyAfterSecondsInactive) * time.Second
	if idle < time.Second || e.LastActivityAt < 1 {
		return ""
	}
	last := time.Unix(e.LastActivityAt, 0)
	if written := lastUse(e.Name); written.After(last) {
		last = written
	}
	if now.Sub(last) <= idle {
		return ""
	}
	return fmt.Sprintf("nothing happened in it for %s", idle)
}

// expires reports whether the context has a rule to be destroyed.
func (e contextState) expires() bool { return e.DestroyAt != 0 || e.DestroyAfterSecondsInactive != 0 }

// expiring lists the entries with a rule to be destroyed.
func (f *stateFile) expiring() (list []contextState) {
	for _, e := range f.Contexts {
		if e.expires() {
			list = append(list, e)
		}
	}
	return list
}

func (f *stateFile) names() (names []string) {
	for _, e := range f.Contexts {
		names = append(names, e.Name)
	}
	return names
}

func (f *stateFile) sort() {
	slices.SortFunc(f.Contexts, func(a, b contextState) int { return strings.Compare(a.Name, b.Name) })
}

func (f *stateFile) previous() string {
	if f.Previous == nil {
		return ""
	}
	return *f.Previous
}

// enter makes a context the current one.
func (f *stateFile) enter(name string) (from string) {
	if from = f.Current; from != name {
		f.Previous = &from
	}
	f.Current = name
	return from
}

func (f *stateFile) find(name string) *contextState {
	for i := range f.Contexts {
		if f.Contexts[i].Name == name {
			return &f.Contexts[i]
		}
	}
	return nil
}

// register returns the entry of a context, a new one if there is none.
func (f *stateFile) register(name string, now time.Time) *contextState {
	if e := f.find(name); e != nil {
		return e
	}
	f.Contexts = append(f.Contexts, contextState{Name: name, CreatedAt: now.Unix()})
	f.sort()
	return f.find(name)
}

// forget removes a context. If it was the current one, the previous one becomes
// current, or the default one.
func (f *stateFile) forget(name string) {
	f.Contexts = slices.DeleteFunc(f.Contexts, func(e contextState) bool { return e.Name == name })
	if f.previous() == name {
		f.Previous = nil
	}
	if f.Current == name {
		f.Current = DefaultName
		if f.previous() != "" {
			f.Current, f.Previous = f.previous(), nil
		}
	}
}

// rename gives a context another name and keeps the rest of its entry.
func (f *stateFile) rename(from, to string) {
	f.Contexts = slices.DeleteFunc(f.Contexts, func(e contextState) bool { return e.Name == to })
	if e := f.find(from); e != nil {
		e.Name = to
	}
	f.sort()
	if f.Current == from {
		f.Current = to
	}
	if f.previous() == from {
		f.Previous = &to
	}
}

// reconcile brings the registry up to date with the existing contexts: it removes
// entries of deleted contexts and adds contexts without an entry, which runs with
// -C and other programs leave.
func (f *stateFile) reconcile(names []string, now time.Time) {
	unknown := map[string]bool{}
	for _, name := range names {
		unknown[name] = true
	}
	f.Contexts = slices.DeleteFunc(f.Contexts, func(e contextState) bool {
		return e.Name != f.Current && !unknown[e.Name]
	})
	for _, e := range f.Contexts {
		delete(unknown, e.Name)
	}
	for name := range unknown {
		f.Contexts = append(f.Contexts, contextState{Name: name, CreatedAt: now.Unix()})
	}
	f.sort()
}

// describe adds what is known of contexts, in the place of what was known of them. Each was
// last used when the later of both says.
func (f *stateFile) describe(list []contextState) {
	at := map[string]int{}
	for i, e := range f.Contexts {
		at[e.Name] = i
	}
	for _, e := range list {
		if i, ok := at[e.Name]; ok {
			e.LastActivityAt = max(e.LastActivityAt, f.Contexts[i].LastActivityAt)
			f.Contexts[i] = e
			continue
		}
		f.Contexts = append(f.Contexts, e)
	}
	f.sort()
}
