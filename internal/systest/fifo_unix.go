//go:build unix

package systest

import "syscall"

// Mkfifo makes a named pipe, which only its owner reads and writes.
func Mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }
