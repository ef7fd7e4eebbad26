package homes

import (
	"fmt"
	"slices"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/store"
)

// unsentFile is HOME/unsent/ID.json.
type unsentFile struct {
	Context string         `json:"context"`
	ID      string         `json:"id"`
	After   store.Tail     `json:"after"`
	At      time.Time      `json:"at"`
	Records []unsentRecord `json:"records"`
	// Said is when a person was told that it stays on this machine.
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
