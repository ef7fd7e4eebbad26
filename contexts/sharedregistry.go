package contexts

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/jsonfile"
)

// sharedRegistry keeps in the documents of names when contexts were made and used and when
// they are to be destroyed, and in this machine's state.json which one is current here: that
// is a person's, not a team's.
type sharedRegistry struct{ *sharedHome }

// state reads all names.
func (h sharedRegistry) state(ctx context.Context) (*stateFile, error) {
	current, err := h.current(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.docs.list(ctx)
	state := stateFile{Current: current.Current, lists: true}
	for _, n := range list {
		state.Contexts = append(state.Contexts, n.state())
	}
	return &state, err
}

func (h sharedRegistry) current(ctx context.Context) (State, error) {
	return fileRegistry{h.host}.current(ctx)
}

func (h sharedRegistry) expiring(ctx context.Context) ([]contextState, error) {
	state, err := h.state(ctx)
	if err != nil {
		return nil, err
	}
	return state.expiring(), nil
}

func (h sharedRegistry) entry(ctx context.Context, name string) (*contextState, error) {
	n, err := h.docs.lookup(ctx, name)
	if err != nil || n.ID == "" {
		return nil, err
	}
	state := n.state()
	return &state, nil
}

// touchAgain is how old a time of use is, in seconds, that is brought up to date.
const touchAgain = 10

// touch takes no time back: the clock of another machine may be ahead.
func (h sharedRegistry) touch(name string) error {
	now := h.settings.Now().Unix()
	return h.docs.change(context.Background(), name, func(n *nameDoc) {
		if now-n.Last >= touchAgain {
			n.Last = now
		}
	})
}

func (h sharedRegistry) enter(name string) (from string, err error) {
	if err = h.touch(name); err == nil {
		err = h.here(func(state *stateFile) { from = state.enter(name) })
	}
	return from, err
}

func (h sharedRegistry) change(name string, change func(*contextState)) error {
	return h.docs.change(context.Background(), name, func(n *nameDoc) {
		state := n.state()
		change(&state)
		n.DestroyAt, n.DestroyAfter = state.DestroyAt, state.DestroyAfterSecondsInactive
	})
}

func (h sharedRegistry) describe(list []contextState) error {
	for _, e := range list {
		err := h.docs.change(context.Background(), e.Name, func(n *nameDoc) {
			n.Created, n.Last = e.CreatedAt, max(n.Last, e.LastActivityAt)
			n.DestroyAt, n.DestroyAfter = e.DestroyAt, e.DestroyAfterSecondsInactive
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (h sharedRegistry) moved(from, to string) error {
	return h.here(func(state *stateFile) { state.rename(from, to) })
}

func (h sharedRegistry) forget(names ...string) (current string, err error) {
	state, err := h.current(context.Background())
	isHere := func(name string) bool { return name == state.Current || name == state.Previous }
	if err != nil || !slices.ContainsFunc(names, isHere) {
		return state.Current, err
	}
	err = h.here(func(state *stateFile) {
		for _, name := range names {
			state.forget(name)
		}
		current = state.Current
	})
	return current, err
}

// here changes state.json of this machine.
func (h sharedRegistry) here(change func(*stateFile)) error {
	file := jsonfile.File{Path: filepath.Join(h.host.home, "state.json"), FS: h.host.fs,
		Report: func(text string) { report(h.settings, "%s", text) }}
	return jsonfile.Update(file, func(state *stateFile) error {
		state.complete()
		change(state)
		return nil
	})
}
