package disk

import (
	"io/fs"
	"os"
	"time"
)

// settledAgo is how far before now Settle dates a file: farther than the steps in which
// any file system stores times.
const settledAgo = 5 * time.Second

// Settle says that an open file is complete, and returns it as it is now: [IsUntouched]
// then finds every later change. It dates the file back a few seconds, because a change
// within the same step of the kernel's clock would otherwise leave the time as it is.
func Settle(f *os.File) (fs.FileInfo, error) {
	if err := os.Chtimes(f.Name(), time.Time{}, time.Now().Add(-settledAgo)); err != nil {
		return nil, err
	}
	return f.Stat()
}

// IsUntouched reports whether a file is still the one that [Settle] saw, and has not been
// written to, replaced, renamed or given other times since. Outside Linux, a change by a
// program that sets the time back goes unnoticed.
func IsUntouched(settled, now fs.FileInfo) bool {
	return os.SameFile(settled, now) && settled.Size() == now.Size() && settled.ModTime().Equal(now.ModTime()) &&
		ChangedAt(settled).Equal(ChangedAt(now))
}
