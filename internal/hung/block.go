package hung

import (
	"bytes"
	"io"

	"github.com/chibi-host/chibi/internal/disk"
)

// The word that a plugin's schema has if its failure blocks, and how much of a
// file is looked through for it.
const (
	blocks    = "on_failure"
	maxLooked = 64 << 20
)

// mayBlock reports whether a plugin's failure may block, by its own word: its schema,
// which it did not give, would say so. A file that is too large to know may.
func mayBlock(path string) bool {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return true
	}
	defer f.Close()
	piece := make([]byte, 64<<10)
	for kept, looked := 0, 0; looked < maxLooked; {
		n, err := f.Read(piece[kept:])
		text := piece[:kept+n]
		if bytes.Contains(text, []byte(blocks)) {
			return true
		}
		if err != nil {
			return err != io.EOF
		}
		looked += n
		kept = copy(piece, text[max(0, len(text)-len(blocks)+1):])
	}
	return true
}
