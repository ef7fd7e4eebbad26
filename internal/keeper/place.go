package keeper

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Place is where the keeper of a home is reached.
type Place struct {
	// Socket is the path of its socket, Lock the path of the file that it holds a lock on.
	Socket string
	Lock   string
}

// ForeignError means that what stands at a keeper's place is not a keeper of this user's.
type ForeignError struct {
	Path string
	// Why continues a sentence that begins with the path.
	Why string
}

// Error names the path and says what is wrong with it.
func (e *ForeignError) Error() string {
	return e.Path + " " + e.Why
}

// ErrNone means that no keeper runs.
var ErrNone = errors.New("no keeper is running")

// maxPath is the longest path of a socket, in bytes; a zero byte follows it.
func maxPath() int { return len(syscall.RawSockaddrUnix{}.Path) - 1 }

// PlaceOf returns the place of the keeper of a home: in the home, or where that path would be
// too long for a socket, in the person's runtime directory, else in a directory of their own
// for temporary files, which it creates.
func PlaceOf(home string) (Place, error) {
	home, err := filepath.Abs(home)
	if err != nil {
		return Place{}, err
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	if path := filepath.Join(home, "keeper.sock"); len(path) <= maxPath() {
		return placeAt(path), nil
	}
	sum := sha256.Sum256([]byte(home))
	name := "chibi-" + hex.EncodeToString(sum[:8]) + ".sock"
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && private(dir) == nil {
		if path := filepath.Join(dir, name); len(path) <= maxPath() {
			return placeAt(path), nil
		}
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("chibi-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return Place{}, err
	}
	if err := private(dir); err != nil {
		return Place{}, err
	}
	path := filepath.Join(dir, name)
	if len(path) > maxPath() {
		return Place{}, fmt.Errorf("no directory has a path that is short enough for the socket of a keeper: %s", path)
	}
	return placeAt(path), nil
}

func placeAt(socket string) Place { return Place{Socket: socket, Lock: socket + ".lock"} }

func private(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &ForeignError{dir, "is not a directory; remove it"}
	}
	return owned(dir, info)
}

// owned returns an error if a file belongs to somebody else, or others may use it.
func owned(path string, info fs.FileInfo) error {
	switch {
	case !isOurs(info):
		return &ForeignError{path, "belongs to another user"}
	case info.Mode().Perm()&0o077 != 0:
		return &ForeignError{path, fmt.Sprintf("may be used by others (its mode is %04o); remove it",
			info.Mode().Perm())}
	}
	return nil
}

// check returns an error if what has the socket's name is not a socket that only this user
// can use; ErrNone if nothing has it.
func (p Place) check() error {
	info, err := os.Lstat(p.Socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNone
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return &ForeignError{p.Socket, "is not a socket; remove it"}
	}
	return owned(p.Socket, info)
}
