//go:build unix && !linux

package typing

import "golang.org/x/sys/unix"

// getModes and setModes are the requests for the modes of a terminal.
const getModes, setModes = unix.TIOCGETA, unix.TIOCSETA
