package parts

import "github.com/chibi-host/chibi/contexts/internal/registry"

// WholeState is a registry that keeps one state for all contexts. Update changes it while
// nobody else can.
type WholeState struct {
	Settings *Settings
	Update   func(change func(*registry.File)) error
}

// Enter makes a context the current one, and says that it was used now.
func (w WholeState) Enter(name string) (from string, err error) {
	now := w.Settings.Now()
	err = w.Update(func(state *registry.File) {
		from = state.Enter(name)
		state.Register(name, now).LastActivityAt = now.Unix()
	})
	return from, err
}

// Change changes the state of a context.
func (w WholeState) Change(name string, change func(*registry.Context)) error {
	return w.Update(func(state *registry.File) { change(state.Register(name, w.Settings.Now())) })
}

// Describe replaces the state of contexts by the state that another registry has of them.
func (w WholeState) Describe(list []registry.Context) error {
	return w.Update(func(state *registry.File) { state.Describe(list) })
}

// Moved gives the entry of a context another name.
func (w WholeState) Moved(from, to string) error {
	return w.Update(func(state *registry.File) { state.Rename(from, to) })
}

// Forget removes deleted contexts. It returns the current context.
func (w WholeState) Forget(names ...string) (current string, err error) {
	err = w.Update(func(state *registry.File) {
		for _, name := range names {
			state.Forget(name)
		}
		current = state.Current
	})
	return current, err
}
