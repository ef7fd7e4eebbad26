package schemas

import (
	"bytes"
	"io"

	"github.com/chibi-host/chibi/internal/disk"
)

// The key that the schema of a blocking plugin has, and how many bytes of a file are
// searched for it.
const (
	blocks    = "on_failure"
	maxLooked = 64 << 20
)

// mayBlock reports whether a plugin's failure may block: its schema is unknown, so its
// file is searched for the key. A file that is too large to be searched may block.
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
