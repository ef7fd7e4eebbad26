//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// isDetached reports whether this process does not belong to the session of its parent, or
// began one.
func isDetached(parent int) bool {
	session, err := unix.Getsid(0)
	return err != nil || session == os.Getpid() || session == parent
}
