// Package registry has the list of the contexts of a home: their names, which one is current, and
// when they were used and when chibi removes them. It reads and writes nothing.
package registry

import (
	"cmp"
	"context"
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

// File is state.json, the registry of the contexts of a home.
type File struct {
	Contexts []Context `json:"contexts"`
	Current  string    `json:"current_context"`
	Previous *string   `json:"previous_context"`

	Lists bool `json:"-"` // Contexts are all that exist, as far as the state is not a file
}

// Context is the state of a context.
type Context struct {
	Name                        string `json:"name"`
	CreatedAt                   int64  `json:"created_at"`
	LastActivityAt              int64  `json:"last_activity_at"`
	DestroyAfterSecondsInactive int64  `json:"destroy_after_seconds_inactive"`
	DestroyAt                   int64  `json:"destroy_at"`
	// FailedMail is how many messages runs took and did not answer. The original does not write it.
	FailedMail int `json:"failed_mail,omitempty"`
}

// Validate returns an error if the file is not a valid state.json.
func (f *File) Validate() error {
	if f.Current == "" {
		return nil
	}
	return ValidName(f.Current)
}

// Complete sets the current context if the file does not have it.
func (f *File) Complete() {
	f.Current = cmp.Or(f.Current, DefaultName)
}

// IsDue returns why chibi must remove a context, "" if it need not. lastUse returns when
// something in it was last written: for contexts used with -C, nothing else says that.
func (e Context) IsDue(now time.Time, lastUse func(name string) time.Time) string {
	if e.DestroyAt >= 1 && now.After(time.Unix(e.DestroyAt, 0)) {
		return fmt.Sprintf("destroy_at was %s", time.Unix(e.DestroyAt, 0).Format(time.DateTime))
	}
	idle := time.Duration(e.DestroyAfterSecondsInactive) * time.Second
	if idle < time.Second {
		return ""
	}
	last := lastUse(e.Name)
	if used := time.Unix(e.LastActivityAt, 0); e.LastActivityAt >= 1 && used.After(last) {
		last = used
	}
	if last.IsZero() || now.Sub(last) <= idle {
		return ""
	}
	return fmt.Sprintf("nothing happened in it for %s", idle)
}

// expires reports whether the context has a rule to be destroyed.
func (e Context) expires() bool { return e.DestroyAt != 0 || e.DestroyAfterSecondsInactive != 0 }

// Expiring lists the entries with a rule to be destroyed.
func (f *File) Expiring() (list []Context) {
	for _, e := range f.Contexts {
		if e.expires() {
			list = append(list, e)
		}
	}
	return list
}

// Listing has the names of the contexts that exist, and the entries with a rule to be destroyed.
type Listing struct {
	Names []string
	Rules []Context
}

// Walk calls each with the names after one, in their order, until it returns an error or ctx ends.
func (l Listing) Walk(ctx context.Context, after string, each func(name string, c Context) error) error {
	known := map[string]Context{}
	for _, e := range l.Rules {
		known[e.Name] = e
	}
	slices.Sort(l.Names)
	for _, name := range l.Names {
		if name <= after {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e := known[name]
		e.Name = name
		if err := each(name, e); err != nil {
			return err
		}
	}
	return nil
}

// Names returns the names of the listed contexts.
func (f *File) Names() (names []string) {
	for _, e := range f.Contexts {
		names = append(names, e.Name)
	}
	return names
}

func (f *File) sort() {
	slices.SortFunc(f.Contexts, func(a, b Context) int { return strings.Compare(a.Name, b.Name) })
}

// Before returns the previous context, "" if there was none.
func (f *File) Before() string {
	if f.Previous == nil {
		return ""
	}
	return *f.Previous
}

// Enter makes a context the current one.
func (f *File) Enter(name string) (from string) {
	if from = f.Current; from != name {
		f.Previous = &from
	}
	f.Current = name
	return from
}

// Find returns the entry of a context, nil if there is none.
func (f *File) Find(name string) *Context {
	for i := range f.Contexts {
		if f.Contexts[i].Name == name {
			return &f.Contexts[i]
		}
	}
	return nil
}

// Register returns the entry of a context, a new one if there is none.
func (f *File) Register(name string, now time.Time) *Context {
	if e := f.Find(name); e != nil {
		return e
	}
	f.Contexts = append(f.Contexts, Context{Name: name, CreatedAt: now.Unix()})
	f.sort()
	return f.Find(name)
}

// Forget removes a context. If it was the current one, the previous one becomes
// current, or the default one.
func (f *File) Forget(name string) {
	f.Contexts = slices.DeleteFunc(f.Contexts, func(e Context) bool { return e.Name == name })
	if f.Before() == name {
		f.Previous = nil
	}
	if f.Current == name {
		f.Current = DefaultName
		if f.Before() != "" {
			f.Current, f.Previous = f.Before(), nil
		}
	}
}

// Rename gives a context another name and keeps the rest of its entry.
func (f *File) Rename(from, to string) {
	f.Contexts = slices.DeleteFunc(f.Contexts, func(e Context) bool { return e.Name == to })
	if e := f.Find(from); e != nil {
		e.Name = to
	}
	f.sort()
	if f.Current == from {
		f.Current = to
	}
	if f.Before() == from {
		f.Previous = &to
	}
}

// Reconcile brings the registry up to date with the existing contexts: it removes
// entries of deleted contexts and adds contexts without an entry, which runs with
// -C and other programs leave.
func (f *File) Reconcile(names []string, now time.Time) {
	unknown := map[string]bool{}
	for _, name := range names {
		unknown[name] = true
	}
	f.Contexts = slices.DeleteFunc(f.Contexts, func(e Context) bool {
		return e.Name != f.Current && !unknown[e.Name]
	})
	for _, e := range f.Contexts {
		delete(unknown, e.Name)
	}
	for name := range unknown {
		f.Contexts = append(f.Contexts, Context{Name: name, CreatedAt: now.Unix()})
	}
	f.sort()
}

// Describe adds the state of contexts, in place of their earlier state. Of the two times of
// last use, it keeps the later one.
func (f *File) Describe(list []Context) {
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
