package homes

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/store"
)

// Unsent has entries that a run on this machine could not store in a store that many machines share.
type Unsent struct {
	// Name is the name of its file without the ending, Path is the file.
	Name, Path string
	// Context and ID are the name and the id of its context, and At is when it could not be stored.
	Context, ID string
	At          time.Time
	// Entries are the entries that could not be stored.
	Entries []parts.Entry
	// Err says why the file cannot be used; nil: it can.
	Err error
}

// Unsent lists the entries that runs on this machine could not store, by the names of the files.
func (h Host) Unsent() (list []Unsent) {
	home := &sharedHome{host: h.home}
	for _, path := range home.unsentFiles() {
		u := Unsent{Name: strings.TrimSuffix(filepath.Base(path), unsentEnding), Path: path}
		f, err := home.readUnsent(path)
		u.Context, u.ID, u.At, u.Err = f.Context, f.ID, f.At, err
		for _, r := range f.Records {
			decodeRecord([]byte(r.Data), func(_ []byte, e parts.Entry) bool {
				u.Entries = append(u.Entries, e)
				return true
			}, func(line int, err error) bool {
				u.Err = fmt.Errorf("record %s, line %d: not an entry: %w", r.ID, line, err)
				return true
			})
		}
		list = append(list, u)
	}
	return list
}

// FindUnsent returns the Unsent with a name, or the only one whose name begins so.
func (h Host) FindUnsent(name string) (found Unsent, err error) {
	n := 0
	for _, u := range h.Unsent() {
		if u.Name == name {
			return u, nil
		}
		if strings.HasPrefix(u.Name, name) {
			found, n = u, n+1
		}
	}
	switch {
	case n == 0 || name == "":
		return found, fmt.Errorf("no unsent file has the id %q; chibi unsent lists their ids", name)
	case n > 1:
		return found, fmt.Errorf("the ids of %d things begin with %q; write more of the id", n, name)
	}
	return found, nil
}

// RemoveUnsent removes entries that could not be stored.
func (h Host) RemoveUnsent(u Unsent) error {
	if filepath.Dir(u.Path) != (&sharedHome{host: h.home}).unsentDir() {
		return errors.New("it is not in the home")
	}
	return disk.Remove(h.home.fs, u.Path)
}

// readUnsent reads a file of what could not be stored.
func (h *sharedHome) readUnsent(path string) (*unsentFile, error) {
	f, err := jsonfile.Read[unsentFile](jsonfile.File{Path: path, FS: h.host.fs, Max: maxUnsent})
	f.path = path
	return &f, err
}

// unsentFile is HOME/unsent/ID.json.
type unsentFile struct {
	Context string         `json:"context"`
	ID      string         `json:"id"`
	After   store.Tail     `json:"after"`
	At      time.Time      `json:"at"`
	Records []unsentRecord `json:"records"`
	// Said is when chibi told a person that it stays on this machine.
	Said time.Time `json:"said,omitzero"`

	path string
}

// unsentRecord is a record. It may have been stored, without an answer.
type unsentRecord struct {
	ID     string `json:"id"`
	Begins bool   `json:"begins,omitempty"`
	Data   string `json:"data"`
}

// unsentEnding is what the names of the files end with.
const unsentEnding = ".json"

// maxUnsent bounds a file of what could not be stored, in bytes.
const maxUnsent = 2 * store.MaxRecord

// Validate returns an error if the file cannot be used.
func (f *unsentFile) Validate() error {
	if !isID(f.ID) {
		return fmt.Errorf("%.80q is not the id of a context", f.ID)
	}
	for _, r := range f.Records {
		if err := store.CheckID(r.ID); err != nil {
			return err
		}
	}
	return registry.ValidName(f.Context)
}

func (f *unsentFile) has(id string) bool {
	return slices.ContainsFunc(f.Records, func(r unsentRecord) bool { return r.ID == id })
}
