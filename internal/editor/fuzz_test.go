package editor

import (
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

// FuzzFeed holds that keys mean the same however a terminal cuts them into pieces.
func FuzzFeed(f *testing.F) {
	f.Add([]byte("hello\r\x1b[A\x1b[200~two\nlines\x1b[201~\x03"), 7)
	f.Add([]byte("\x1b[200~\x1b[200~\x1b[201~\x1b[20"), 3)
	f.Fuzz(func(t *testing.T, keys []byte, at int) {
		fuzztest.Memory(t)
		at = max(0, min(at, len(keys)))
		var whole, pieces keyboard
		whole.feed(keys)
		pieces.feed(keys[:at])
		pieces.feed(keys[at:])
		if string(whole.pending) != string(pieces.pending) || whole.interrupted != pieces.interrupted || whole.pasting != pieces.pasting {
			t.Errorf("%q at once is %q, cut at %d it is %q", keys, whole.pending, at, pieces.pending)
		}
	})
}
