package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// maxSessionName bounds the name of a session's directory, in bytes.
const maxSessionName = 100

// noSession is the id of events whose agent names no session.
const noSession = "none"

// sessionOf returns the id of the agent's session, and the name of its directory: the id if it
// can be one, else its hash.
func sessionOf(m engine.Moment) (id, name string) {
	id = m.Text(engine.Session)
	if id == "" {
		id = noSession
	}
	isPlain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
	}
	if len(id) <= maxSessionName && !strings.ContainsFunc(id, func(r rune) bool { return !isPlain(r) }) {
		return id, strings.ToLower(id)
	}
	sum := sha256.Sum256([]byte(id))
	return id, "sha256-" + hex.EncodeToString(sum[:16])
}
