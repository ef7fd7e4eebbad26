package coding

import (
	"bytes"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/chibi-host/chibi/internal/clip"
)

const (
	// maxDiff bounds a diff, in bytes.
	maxDiff = 64 << 10
	// maxDiffed bounds each of the texts that are compared, in bytes.
	maxDiffed = 2 << 20
)

// unified returns a change as a unified diff, "" if there is none, if it is too much to
// compare, or if it is not text. A diff that is too long ends with a line that says so.
func unified(path string, before, after []byte) string {
	if max(len(before), len(after)) > maxDiffed || isBinary(before) || isBinary(after) {
		return ""
	}
	text := diff.Diff(path, before, path, after)
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
		text = rest // without the line that names the files twice
	}
	if len(text) <= maxDiff {
		return string(text)
	}
	end := fmt.Sprintf("\n[the diff has %d bytes; this is its beginning]\n", len(text))
	return clip.Bytes(string(text), maxDiff-len(end)) + end
}
