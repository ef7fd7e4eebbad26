package contexts

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/chibi-host/chibi/internal/jsonfile"
)

// fileRegistry is state.json.
type fileRegistry struct{ *fileHome }

func (f fileRegistry) stateFile() jsonfile.File {
	return jsonfile.File{Path: filepath.Join(f.home, "state.json"), FS: f.fs,
		Report: func(text string) { f.store.report("%s", text) }}
}

// state reads state.json. A damaged one counts as empty, and is reported.
func (f fileRegistry) state(context.Context) (*stateFile, error) {
	state, err := jsonfile.Read[stateFile](f.stateFile())
	switch {
	case jsonfile.IsDamaged(err):
		f.store.report("%v; the current context is taken to be %q, and the contexts are those with a directory", err,
			DefaultName)
		state = stateFile{}
	case err != nil:
		return nil, fmt.Errorf("reading state: %w", err)
	}
	state.complete()
	return &state, nil
}

// update changes state.json while no other process can, and brings it up to date
// with the existing directories. A damaged file is kept beside it.
func (f fileRegistry) update(change func(*stateFile)) error {
	err := jsonfile.Update(f.stateFile(), func(state *stateFile) error {
		state.complete()
		change(state)
		names, err := fileNames(f).names(context.Background())
		if err == nil {
			state.reconcile(names, f.store.now())
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("writing state: %w", err)
	}
	return nil
}
