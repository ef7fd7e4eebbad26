package hooks

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/disk"
)

// maxContent bounds, in bytes, how much of a file chibi shows a hook before a tool reads it.
const maxContent = 1 << 20

// contentOf returns the text of the file that a tool is about to read. It returns "" for a directory and for a file
// that is not text or that it cannot read; the tool then says why. It cuts a longer file and says so at the end.
func contentOf(path string) string {
	f, err := disk.OpenRegular(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxContent+1))
	cut := len(text) > maxContent
	if cut {
		text = text[:maxContent]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
		text = text[:len(text)-1]
	}
	if err != nil || !utf8.Valid(text) || strings.ContainsRune(string(text), 0) {
		return ""
	}
	if cut {
		return string(text) + "\n[truncated after 1 MiB]"
	}
	return string(text)
}
