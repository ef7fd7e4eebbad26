package coding

import (
	"crypto/sha256"
	"sync"
)

// Reads remembers the content of files that the model has read or written, so that it
// changes no file that differs from what it knows. The zero value is empty. It is safe for
// concurrent use. It remembers 10,000 files; at that number it forgets all.
type Reads struct {
	mu     sync.Mutex
	hashes map[readKey][sha256.Size]byte
}

const maxReads = 10_000

// readKey is a file as a conversation knows it. It is a path and no inode, because programs
// change files by replacing them.
type readKey struct{ context, real string }

// remember keeps what the model knows about a file.
func (r *Reads) remember(context, real string, hash [sha256.Size]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hashes == nil || len(r.hashes) >= maxReads {
		r.hashes = map[readKey][sha256.Size]byte{}
	}
	r.hashes[readKey{context, real}] = hash
}

func (r *Reads) isOutdated(context, real string, now [sha256.Size]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.hashes[readKey{context, real}]
	return ok && known != now
}
