// Package fuzztest bounds the memory that one input of a fuzz target may use, so that
// fuzzing finds small inputs that use much memory, not only those that crash.
package fuzztest

import (
	"runtime/metrics"
	"testing"
)

// limit bounds the total of the bytes that are allocated for one input. Inputs of the
// fuzzer are small.
const limit = 256 << 20

// Memory fails a test that allocates more than the limit. A fuzz target calls it first.
func Memory(t *testing.T) {
	t.Helper()
	before := allocated()
	t.Cleanup(func() {
		if n := allocated() - before; n > limit {
			t.Errorf("this input made its reader allocate %d MiB", n>>20)
		}
	})
}

// allocated returns how many bytes the program has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
