package homes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/contexts/internal/statetext"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// fileRegistry is state.json. A home may have many contexts: what each run needs of the
// file is read, and changed, without decoding all of it, where its text has the layout
// that update writes.
type fileRegistry struct{ *fileHome }

func (f fileRegistry) stateFile() jsonfile.File {
	return jsonfile.File{Path: filepath.Join(f.home, "state.json"), FS: f.fs,
		Report: func(text string) { parts.Report(f.settings, "%s", text) }}
}

// State reads state.json. A damaged one counts as empty, and is reported.
func (f fileRegistry) State(context.Context) (*registry.File, error) {
	state, err := jsonfile.Read[registry.File](f.stateFile())
	switch {
	case jsonfile.IsDamaged(err):
		parts.Report(f.settings, "%v; chibi takes %q as the current context, and each directory as a context",
			err, registry.DefaultName)
		state = registry.File{}
	case err != nil:
		return nil, fmt.Errorf("reading state: %w", err)
	}
	state.Complete()
	return &state, nil
}

// Current reads the end of state.json.
func (f fileRegistry) Current(ctx context.Context) (registry.State, error) {
	var end statetext.Ending
	err := f.inText(func(file disk.File, size int64) (err error) {
		end, err = statetext.End(file, size)
		return err
	})
	if err == nil && registry.ValidName(end.Current) == nil {
		return registry.State(end), nil
	}
	state, err := f.State(ctx)
	if err != nil {
		return registry.State{}, err
	}
	return registry.State{Current: state.Current, Previous: state.Before()}, nil
}

// Expiring lists the entries with a rule to be destroyed.
func (f fileRegistry) Expiring(ctx context.Context) (list []registry.Context, err error) {
	err = f.inText(func(file disk.File, _ int64) error {
		return statetext.Expiring(file, func(e statetext.Entry) {
			list = append(list, registry.Context{Name: string(e.Name), CreatedAt: e.Created, LastActivityAt: e.LastActivity,
				DestroyAfterSecondsInactive: e.DestroyAfterInactive, DestroyAt: e.DestroyAt})
		})
	})
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	state, err := f.State(ctx)
	if err != nil {
		return nil, err
	}
	return state.Expiring(), nil
}

// Walk goes through the directories by their names.
func (f fileRegistry) Walk(ctx context.Context, after string, each func(string, registry.Context) error) error {
	names, err := fileNames(f).Names(ctx)
	if err != nil {
		return err
	}
	rules, err := f.Expiring(ctx)
	if err != nil {
		return err
	}
	return registry.Listing{Names: names, Rules: rules}.Walk(ctx, after, each)
}

// Entry finds the entry of a context.
func (f fileRegistry) Entry(ctx context.Context, name string) (*registry.Context, error) {
	state, err := f.State(ctx)
	if err != nil {
		return nil, err
	}
	return state.Find(name), nil
}

// inText opens state.json for a step that reads its text. An error of the step's means
// that the file is to be decoded.
func (f fileRegistry) inText(step func(file disk.File, size int64) error) error {
	file, err := f.fs.OpenFile(f.stateFile().Path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > jsonfile.DefaultMax {
		return statetext.ErrLayout
	}
	return step(file, info.Size())
}

// Touch overwrites the digits that say when a context was last used. Whichever of them a
// power failure leaves, the file stays valid, so nothing waits until they are durable. If
// the context is not listed, or the text has another layout, the file is replaced.
func (f fileRegistry) Touch(name string) error {
	now, done := f.settings.Now().Unix(), false
	err := f.stateFile().Patch(func(file disk.File) error {
		info, err := file.Stat()
		if err != nil {
			return err
		}
		e, err := statetext.Find(file, info.Size(), name)
		if err != nil || e == nil || digits(e.LastActivity) != digits(now) {
			return err
		}
		if e.LastActivity != now {
			if _, err = file.Seek(e.LastActivityAt, io.SeekStart); err == nil {
				_, err = io.WriteString(file, strconv.FormatInt(now, 10))
			}
		}
		done = err == nil
		return err
	})
	if done && err == nil {
		return nil
	}
	return f.update(func(state *registry.File) { state.Register(name, f.settings.Now()).LastActivityAt = now })
}

// digits returns how many digits a time has.
func digits(at int64) int { return len(strconv.FormatInt(at, 10)) }

// update changes state.json while no other process can, and brings it up to date
// with the existing directories. A damaged file is kept beside it.
func (f fileRegistry) update(change func(*registry.File)) error {
	err := jsonfile.Update(f.stateFile(), func(state *registry.File) error {
		state.Complete()
		change(state)
		names, err := fileNames(f).Names(context.Background())
		if err != nil {
			return err
		}
		state.Reconcile(names, f.settings.Now())
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing state: %w", err)
	}
	return nil
}
