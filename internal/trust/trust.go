// Package trust remembers which files of a project a person has approved.
//
// An approval lives in the person's home, not in the project, and holds for one
// directory. It pins files by name, mode and the SHA-256 of their content: recipes one by
// one, see [Approval.Content], and hooks with all files beside them, see [Approval.Look],
// because a hook may load code from there. The package promises that a file that was not
// approved, or has changed since, never counts as approved, and that a damaged list of
// approvals approves nothing.
package trust

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/term"
)

// Format is the format of approvals. Those of earlier formats, which pinned hooks without
// the files beside them, approve nothing.
const Format = 2

// Approval is what a person has approved in one directory.
type Approval struct {
	// Project is the real path of the project.
	Project string `json:"folder"`
	// Format is Format.
	Format int `json:"format,omitempty"`
	// At is when it was approved.
	At time.Time `json:"at"`
	// Files are the approved files, by path.
	Files []File `json:"files"`
	// Data are patterns for files beside hooks that are not code and may change,
	// see [CheckData].
	Data []string `json:"data,omitempty"`
}

// ErrUntrusted means that a file came with a project directory and was not approved in
// its current state.
var ErrUntrusted = errors.New("not approved")

// File is one file as it was approved.
type File struct {
	// Path is its path relative to the project.
	Path string `json:"path"`
	// SHA256 is the hash of its content, in hexadecimal; "" for a dangling link.
	SHA256 string `json:"sha256"`
	// Mode is its mode, as ls shows it.
	Mode string `json:"mode"`
	// Link is the target of a link; the fields above then describe the target.
	Link string `json:"link,omitempty"`
}

// Content returns why a text, read from a file with the given full path and mode, must not
// be trusted; nil: it is approved. The reason is an [ErrUntrusted].
func (a Approval) Content(path string, text []byte, mode fs.FileMode) error {
	rel, err := filepath.Rel(a.Project, path)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrUntrusted, err)
	}
	approved, _ := a.find(rel)
	return a.Same(File{Path: rel, SHA256: hash(text), Mode: mode.String(), Link: approved.Link})
}

// Same returns why a file of the project, as it is now, must not be trusted; nil: it is as it
// was approved. The reason is an [ErrUntrusted].
func (a Approval) Same(now File) error {
	approved, ok := a.find(now.Path)
	switch {
	case !ok:
		return ErrUntrusted
	case a.Format != Format:
		return a.old()
	}
	if what := differs(approved, now); what != "" {
		return fmt.Errorf("%w: its %s", ErrUntrusted, what)
	}
	return nil
}

// old is the error for an approval of an earlier format.
func (a Approval) old() error {
	return fmt.Errorf("%w: it was approved for an earlier version of chibi, which did not look at the files beside a hook",
		ErrUntrusted)
}

func hash(text []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// differs returns what has changed in a file, "" if nothing has.
func differs(approved, now File) string {
	switch {
	case now.Link != approved.Link:
		return "link has changed since it was approved, from " + linkText(approved.Link) + " to " + linkText(now.Link)
	case now.SHA256 != approved.SHA256:
		return "content has changed since it was approved"
	case now.Mode != approved.Mode:
		return fmt.Sprintf("mode has changed since it was approved, from %s to %s", approved.Mode, now.Mode)
	}
	return ""
}

func linkText(target string) string {
	if target == "" {
		return "none"
	}
	return term.Name(target)
}

func (a Approval) find(path string) (File, bool) {
	for _, f := range a.Files {
		if f.Path == path {
			return f, true
		}
	}
	return File{}, false
}

// State describes how a file differs from the approval.
func (a Approval) State(now File) string {
	approved, ok := a.find(now.Path)
	short := approved.SHA256[:min(12, len(approved.SHA256))]
	switch {
	case !ok && len(a.Files) > 0:
		return "new"
	case !ok:
		return "not approved"
	case a.Format != Format:
		return "approved for an earlier version of chibi"
	case approved.Link != now.Link:
		return "link changed, was " + linkText(approved.Link)
	case approved.SHA256 != now.SHA256:
		return "content changed, was " + short
	case approved.Mode != now.Mode:
		return "mode changed from " + approved.Mode
	}
	return "approved"
}
