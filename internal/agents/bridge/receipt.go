package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/jsonedit"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// receipt says what chibi inserted into a file, so that it can take exactly that out again.
type receipt struct {
	// Sum is the hash of the file afterwards. The receipt is valid only while nobody else has written to the file.
	Sum string `json:"sum"`
	// Inserts are the inserted texts.
	Inserts []jsonedit.Insert `json:"inserts"`
	// NewFile says that there was no file. NewDirs are the directories that chibi made for it, the outermost first.
	NewFile bool     `json:"new_file,omitempty"`
	NewDirs []string `json:"new_dirs,omitempty"`
	// At is the time of the first insert.
	At time.Time `json:"at,omitzero"`
}

// receipts are a home's receipts, by the paths of the files.
type receipts map[string]receipt

// keep keeps a receipt.
func (all *receipts) keep(path string, r receipt) {
	if *all == nil {
		*all = receipts{}
	}
	(*all)[path] = r
}

// inherit leaves directories that are not yet empty to another file in them.
func (all receipts) inherit(dirs []string) {
	for path, r := range all {
		if len(dirs) > 0 && isBelow(path, dirs[len(dirs)-1]) {
			r.NewDirs = append(slices.Clone(dirs), r.NewDirs...)
			all[path] = r
			return
		}
	}
}

// isBelow reports whether a path is in a directory.
func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// receiptsFile returns the file that keeps them.
func receiptsFile(home string) jsonfile.File {
	return jsonfile.File{Path: filepath.Join(home, "bridge", "added.json"), Private: true}
}

// sumOf returns the hash of a text.
func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// undo returns the text from before the receipt; false: somebody else has written to the file since.
func (r receipt) undo(text []byte) ([]byte, bool) {
	if r.Sum != sumOf(text) {
		return nil, false
	}
	return jsonedit.Undo(text, r.Inserts)
}
