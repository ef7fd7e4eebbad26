package homes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/store"
)

// sharedRegistry keeps in the documents of names when contexts were made and used and when
// they are to be destroyed, and in this machine's state.json which one is current here: that
// is a person's, not a team's.
type sharedRegistry struct{ *sharedHome }

// State reads all names.
func (h sharedRegistry) State(ctx context.Context) (*registry.File, error) {
	current, err := h.Current(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.docs.list(ctx)
	state := registry.File{Current: current.Current, Lists: true}
	for _, n := range list {
		state.Contexts = append(state.Contexts, n.state())
	}
	return &state, err
}

func (h sharedRegistry) Current(ctx context.Context) (registry.State, error) {
	return fileRegistry{h.host}.Current(ctx)
}

func (h sharedRegistry) Expiring(ctx context.Context) ([]registry.Context, error) {
	state, err := h.State(ctx)
	if err != nil {
		return nil, err
	}
	return state.Expiring(), nil
}

// Walk goes through the names in the order in which their documents were changed, and so needs no list of
// all: the place is a revision. It leaves out contexts that are damaged or being renamed; a list names them.
func (h sharedRegistry) Walk(ctx context.Context, after string, each func(string, registry.Context) error) error {
	var from uint64
	if after != "" {
		var err error
		if from, err = strconv.ParseUint(after, 10, 64); err != nil {
			return fmt.Errorf("the place %.80q among the contexts: %w", after, err)
		}
	}
	var failed error
	err := h.engine.Docs.Walk(ctx, prefixName, from, func(d store.Doc) bool {
		n, err := decodeName(d)
		if err != nil || n.Moving != "" {
			return true
		}
		h.docs.remember(n.Name, n)
		failed = each(strconv.FormatUint(d.Rev, 10), n.state())
		return failed == nil && ctx.Err() == nil
	})
	return cmp.Or(failed, err, ctx.Err())
}

func (h sharedRegistry) Entry(ctx context.Context, name string) (*registry.Context, error) {
	n, err := h.docs.lookup(ctx, name)
	if err != nil || n.ID == "" {
		return nil, err
	}
	state := n.state()
	return &state, nil
}

// touchAgain is how old a time of use is, in seconds, that is brought up to date.
const touchAgain = 10

// Touch takes no time back: the clock of another machine may be ahead. The store's clock is asked
// where the time decides whether the context is destroyed.
func (h sharedRegistry) Touch(name string) error { return h.touch(context.Background(), name) }

func (h sharedRegistry) touch(ctx context.Context, name string) error {
	n, err := h.docs.lastKnown(ctx, name)
	if err != nil || n.ID == "" {
		return err
	}
	now := h.settings.Now()
	if n.DestroyAfter != 0 {
		if now, err = h.engine.Time(ctx); err != nil {
			return err
		}
	}
	return h.docs.change(ctx, name, func(n *nameDoc) {
		if now.Unix()-n.Last >= touchAgain {
			n.Last = now.Unix()
		}
	})
}

func (h sharedRegistry) Enter(name string) (from string, err error) {
	if err = h.Touch(name); err == nil {
		err = h.here(func(state *registry.File) { from = state.Enter(name) })
	}
	return from, err
}

// Change counts as a use of the context, by the store's clock: what destroys it after a time counts
// from there, whatever the clocks of those say that used it before.
func (h sharedRegistry) Change(name string, change func(*registry.Context)) error {
	ctx := context.Background()
	now, err := h.engine.Time(ctx)
	if err != nil {
		return err
	}
	return h.docs.change(ctx, name, func(n *nameDoc) {
		state := n.state()
		change(&state)
		n.Last, n.DestroyAt, n.DestroyAfter = now.Unix(), state.DestroyAt, state.DestroyAfterSecondsInactive
		n.Failed = state.FailedMail
	})
}

func (h sharedRegistry) Describe(list []registry.Context) error {
	for _, e := range list {
		err := h.docs.change(context.Background(), e.Name, func(n *nameDoc) {
			n.Created, n.Last = e.CreatedAt, max(n.Last, e.LastActivityAt)
			n.DestroyAt, n.DestroyAfter, n.Failed = e.DestroyAt, e.DestroyAfterSecondsInactive, e.FailedMail
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (h sharedRegistry) Moved(from, to string) error {
	return h.here(func(state *registry.File) { state.Rename(from, to) })
}

func (h sharedRegistry) Forget(names ...string) (current string, err error) {
	state, err := h.Current(context.Background())
	isHere := func(name string) bool { return name == state.Current || name == state.Previous }
	if err != nil || !slices.ContainsFunc(names, isHere) {
		return state.Current, err
	}
	err = h.here(func(state *registry.File) {
		for _, name := range names {
			state.Forget(name)
		}
		current = state.Current
	})
	return current, err
}

// here changes state.json of this machine.
func (h sharedRegistry) here(change func(*registry.File)) error {
	return jsonfile.Update(fileRegistry{h.host}.stateFile(), func(state *registry.File) error {
		state.Complete()
		change(state)
		return nil
	})
}
