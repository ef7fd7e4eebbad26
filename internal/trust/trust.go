// Package trust remembers which files of a project a person has approved.
//
// An approval pins each file's content by its SHA-256, and its mode. It lives in
// the person's home, not in the project, and holds for one folder. The package
// promises that a file that was not approved, or is not as it was approved, is
// never taken for approved, and that a damaged list of approvals approves
// nothing.
package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/plugin"
)

// Approval is what a person has approved in one folder.
type Approval struct {
	// Folder is the folder's real path.
	Folder string `json:"folder"`
	// At is when it was approved.
	At time.Time `json:"at"`
	// Files are the approved files, by path.
	Files []File `json:"files"`
}

// File is one file as it was approved.
type File struct {
	// Path is its path from the folder on.
	Path string `json:"path"`
	// SHA256 is the hash of its content, in hexadecimal.
	SHA256 string `json:"sha256"`
	// Mode are its permissions, as ls shows them.
	Mode string `json:"mode"`
}

// Fingerprint reads a file of a folder as it is now. A link counts as what it
// leads to.
func Fingerprint(folder, path string) (File, error) {
	f, err := disk.OpenRegular(filepath.Join(folder, path))
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return File{}, err
	}
	return File{Path: path, SHA256: hex.EncodeToString(hash.Sum(nil)), Mode: info.Mode().Perm().String()}, nil
}

// Check says why a file, given by its full path, must not be trusted as it is
// now; nil: it was approved so. The reason is a plugin.ErrUntrusted.
func (a Approval) Check(path string) error {
	rel, err := filepath.Rel(a.Folder, path)
	if err != nil {
		return fmt.Errorf("%w: %v", plugin.ErrUntrusted, err)
	}
	approved, ok := a.find(rel)
	if !ok {
		return plugin.ErrUntrusted
	}
	now, err := Fingerprint(a.Folder, rel)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %v", plugin.ErrUntrusted, err)
	case now.SHA256 != approved.SHA256:
		return fmt.Errorf("%w: its content has changed since it was approved", plugin.ErrUntrusted)
	case now.Mode != approved.Mode:
		return fmt.Errorf("%w: its mode has changed since it was approved, from %s to %s", plugin.ErrUntrusted, approved.Mode, now.Mode)
	}
	return nil
}

func (a Approval) find(path string) (File, bool) {
	for _, f := range a.Files {
		if f.Path == path {
			return f, true
		}
	}
	return File{}, false
}

// State says how a file compares with the approval.
func (a Approval) State(now File) string {
	approved, ok := a.find(now.Path)
	switch {
	case !ok && len(a.Files) > 0:
		return "new"
	case !ok:
		return "not approved"
	case approved.SHA256 != now.SHA256:
		return "content changed, was " + approved.SHA256[:min(12, len(approved.SHA256))]
	case approved.Mode != now.Mode:
		return "mode changed from " + approved.Mode
	}
	return "approved"
}

// Store is the list of approvals in a home. It is safe for concurrent use, also
// by several processes.
type Store struct{ path string }

// Open is the store of a home. Nothing is read or written yet.
func Open(home string) *Store { return &Store{filepath.Join(home, "trust.json")} }

// Folder is the real path of a folder, as approvals name it.
func Folder(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Find is the approval of a folder's real path; one without files if there is
// none.
func (s *Store) Find(folder string) (Approval, error) {
	all, err := s.List()
	for _, a := range all {
		if a.Folder == folder {
			return a, nil
		}
	}
	return Approval{Folder: folder}, err
}

// List lists all approvals by folder.
func (s *Store) List() ([]Approval, error) {
	all, err := jsonfile.Read[[]Approval](jsonfile.File{Path: s.path})
	var damaged *jsonfile.DamagedError
	switch {
	case errors.As(err, &damaged):
		return nil, fmt.Errorf("%w; nothing in it counts, remove it and approve anew", err)
	case err != nil:
		return nil, fmt.Errorf("reading the approvals: %w", err)
	}
	return all, nil
}

// Approve puts an approval in the place of the folder's earlier one.
func (s *Store) Approve(a Approval) error {
	return s.change(func(all []Approval) []Approval { return append(without(all, a.Folder), a) })
}

// Revoke removes a folder's approval, and says whether there was one.
func (s *Store) Revoke(folder string) (found bool, err error) {
	err = s.change(func(all []Approval) []Approval {
		left := without(all, folder)
		found = len(left) < len(all)
		return left
	})
	return found, err
}

func without(all []Approval, folder string) []Approval {
	return slices.DeleteFunc(slices.Clone(all), func(a Approval) bool { return a.Folder == folder })
}

// change rewrites the list while nobody else does. A damaged one is kept aside, and
// what it approved counts no more.
func (s *Store) change(do func([]Approval) []Approval) error {
	err := jsonfile.Update(jsonfile.File{Path: s.path}, func(all *[]Approval) error {
		*all = do(*all)
		slices.SortFunc(*all, func(a, b Approval) int { return cmp.Compare(a.Folder, b.Folder) })
		return nil
	})
	if err != nil {
		return fmt.Errorf("keeping the approvals: %w", err)
	}
	return nil
}
