//go:build unix

package process

import (
	"github.com/chibi-host/chibi/internal/fuzztest"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzTailIsShortText(f *testing.F) {
	f.Add([]byte("an error\n"), 1)
	f.Add([]byte("\xff\xfe€"), 2000)
	f.Add([]byte(strings.Repeat("€", 1000)), 3)
	f.Fuzz(func(t *testing.T, chunk []byte, times int) {
		fuzztest.Memory(t)
		var kept tail
		for range min(times, 3000) {
			kept.add(chunk)
		}
		if text := kept.text(); len(text) > stderrTail || !utf8.ValidString(text) {
			t.Errorf("%d bytes: %q", len(text), text)
		}
	})
}
