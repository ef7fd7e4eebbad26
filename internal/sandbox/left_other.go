//go:build !linux

package sandbox

// Moment is a time in the ticks in which the kernel says when processes started.
type Moment uint64

// Now returns the current time.
func Now() Moment { return 0 }

// AnyLeft reports whether a process may be alive that a command began that was confined since a
// time.
func AnyLeft(Moment) bool { return true }
