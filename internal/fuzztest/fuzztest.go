// Package fuzztest holds what one input of a fuzz target may cost, so that
// fuzzing finds small inputs that take much memory and not only those that crash.
package fuzztest

import (
	"runtime/metrics"
	"testing"
)

// limit is how many bytes one input may make a parser allocate, in sum. Inputs of
// the fuzzer are small.
const limit = 256 << 20

// Memory fails a test that allocates more than one input may. A fuzz target calls
// it first.
func Memory(t *testing.T) {
	t.Helper()
	before := allocated()
	t.Cleanup(func() {
		if n := allocated() - before; n > limit {
			t.Errorf("this input made its reader allocate %d MiB", n>>20)
		}
	})
}

// allocated is how many bytes the program has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
