// Package target has a fuzz target that reads a file of its package and finds something at once.
package target

import (
	"os"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
)

func FuzzByte(f *testing.F) {
	digit, err := os.ReadFile("testdata/dir/digit.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(digit[0])
	f.Fuzz(func(t *testing.T, b byte) {
		fuzztest.Memory(t)
		if b != '7' {
			t.Error("another byte")
		}
	})
}
