package app

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/jsonfile"
)

// saidName is the name of the list, in a home, of sentences that were shown once.
const saidName = "said.json"

// maxSaid bounds the list; the sentences that were shown first are forgotten.
const maxSaid = 500

// saidOnce are the hashes of sentences that are shown at one run only, in the order in which they were shown.
type saidOnce struct {
	Hashes []string `json:"sha256"`
}

// noticeOnce shows the sentences that no earlier run showed. If the list cannot be read
// or written, it shows them again: that loses nothing.
func noticeOnce(p person, home string, texts []string) {
	if len(texts) == 0 {
		return
	}
	file := jsonfile.File{Path: filepath.Join(home, saidName)}
	said, _ := jsonfile.Read[saidOnce](file)
	var first []string
	for _, text := range texts {
		if hash := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); !slices.Contains(said.Hashes, hash) {
			p.notice(text + "; chibi says this once")
			first = append(first, hash)
		}
	}
	if len(first) > 0 {
		_ = jsonfile.Update(file, func(said *saidOnce) error {
			said.Hashes = append(said.Hashes, first...)
			said.Hashes = said.Hashes[max(0, len(said.Hashes)-maxSaid):]
			return nil
		})
	}
}
