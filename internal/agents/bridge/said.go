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

// teller tells the person of the agent what there is to say, each sentence once in a session.
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

// saidFile names the file of a session that has the hashes of what the person was told.
const saidFile = "said"

// maxSaid bounds it, in bytes; then it begins anew.
const maxSaid = 64 << 10

// message returns what the person is told at a moment, and notes that they are told. Where that
// cannot be noted, they are told where a session or a prompt begins; where the session is not
// known, always.
func (t *teller) message(at engine.Kind) string {
	fresh, noted := t.unsaid()
	isHeard := noted || t.dir == "" || at == engine.SessionStart || at == engine.Prompt
	if len(fresh) == 0 || !isHeard {
		return ""
	}
	return "chibi: " + strings.Join(fresh, "\nchibi: ")
}

// unsaid returns the sentences that the person was not told, and whether it could be noted that
// they are.
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
