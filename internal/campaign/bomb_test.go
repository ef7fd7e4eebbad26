//go:build linux

package campaign

import (
	"compress/gzip"
	"io"
)

// compress writes a text and then another one many times.
func compress(to io.Writer, begin, again []byte, times int) {
	w := gzip.NewWriter(to)
	defer w.Close()
	w.Write(begin)
	for range times {
		w.Write(again)
	}
}
