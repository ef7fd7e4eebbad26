package contexts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
)

// Files is a home on this machine's disk, in the format of the original chibi: its
// contexts, and what a home keeps on its machine wherever they are.
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
	f := &fileHome{home: home, fs: fsys}
	s := newStore(now, func(s *Settings) backend {
		f.settings = s
		return newFileBackend(f)
	})
	return &Files{Store: s, Host: Host{f}}
}
