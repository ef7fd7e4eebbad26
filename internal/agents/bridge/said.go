package bridge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/disk"
)

// teller tells the person each sentence once in a session.
type teller struct {
	dir   string // of the session; "" if it is not known
	texts []string
}

// say notes a sentence.
func (t *teller) say(text string) {
	if !slices.Contains(t.texts, text) {
		t.texts = append(t.texts, text)
	}
}

// saidFile names the file of a session that has the hashes of the sentences for the person.
const saidFile = "said"

// maxSaid bounds it, in bytes; beyond that a new file begins.
const maxSaid = 64 << 10

// message returns the new sentences for the person at a moment, and notes them. If it cannot note them, it returns
// them only where a session or a prompt begins; if the session is not known, always.
func (t *teller) message(at engine.Kind) string {
	fresh, noted := t.unsaid()
	isHeard := noted || t.dir == "" || at == engine.SessionStart || at == engine.Prompt
	if len(fresh) == 0 || !isHeard {
		return ""
	}
	return "chibi: " + strings.Join(fresh, "\nchibi: ")
}

// unsaid returns the sentences that the person has not seen, and reports whether it could note them.
func (t *teller) unsaid() (fresh []string, noted bool) {
	if t.dir == "" || len(t.texts) == 0 {
		return t.texts, false
	}
	path := filepath.Join(t.dir, saidFile)
	said, err := disk.ReadFile(disk.OS{}, path, maxSaid)
	if err != nil {
		said = nil
	}
	for _, text := range t.texts {
		sum := sha256.Sum256([]byte(text))
		if line := []byte(hex.EncodeToString(sum[:8]) + "\n"); !bytes.Contains(said, line) {
			fresh, said = append(fresh, text), append(said, line...)
		}
	}
	if len(fresh) == 0 {
		return nil, true
	}
	_ = disk.MkdirAll(disk.OS{}, t.dir, 0o700) // writing says what is wrong
	return fresh, disk.WritePrivate(path, said) == nil
}
