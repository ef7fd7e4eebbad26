package contexts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/homes"
	"github.com/chibi-host/chibi/contexts/internal/memory"
	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/store"
)

// Files is a home on this machine's disk, in the format of the original chibi: its
// contexts, and the part of a home that stays on its machine wherever they are.
type Files struct {
	*Store
	Host
}

// Open opens a home directory, which need not exist. It writes nothing.
func Open(home string) (*Files, error) {
	info, err := os.Stat(home)
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("home %s is a file; a directory is needed there", home)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening home: %w", err)
	}
	return newFiles(home, disk.OS{}, time.Now), nil
}

func newFiles(home string, fsys disk.FS, now func() time.Time) *Files {
	files := &Files{}
	files.Store = newStore(now, func(s *Settings) (b parts.Backend) {
		b, files.Host = homes.Files(s, home, fsys)
		return b
	})
	return files
}

// OpenShared opens the contexts in a store that many machines share. home is this
// machine's directory: it keeps which context is current here, prompts for all contexts but
// the reflection, copies for scripts, and entries that could not be stored. It need not exist.
// OpenShared writes nothing. The names of contexts that differ only in case are the same name.
//
// The lock of a context is a lease there, which ends when its holder has not renewed it in
// time. The holder takes it again as soon as it can, until it unlocks the context, and goes on if
// nobody else has taken the context meanwhile. If somebody has, the context.Context from Lock ends
// with [ErrLost], and storing fails with a [TakenError]. Entries that cannot be stored because the
// store does not answer stay on this machine, see [UnsentError].
func OpenShared(e *store.Engine, home string) *Store {
	return newStore(e.Now, func(s *Settings) parts.Backend { return homes.Shared(s, e, home) })
}

// Unsaved returns a store with the contexts of this one that keeps nothing: changes are in memory
// and end with the process, and this store does not change. Its locks keep
// nobody out and wait for nobody. Inboxes are empty there, and sending a message is an error.
func (s *Store) Unsaved() *Store {
	u := newStore(s.Now, func(set *Settings) parts.Backend { return memory.Unsaved(set, s.backend) })
	u.Settings = s.Settings
	return u
}

// NewMemory makes a home that is in memory and ends with the process: for
// programs that embed an agent and store nothing, and for tests. It behaves like
// files, except that nothing is durable.
func NewMemory() *Store {
	return newStore(time.Now, memory.New)
}
