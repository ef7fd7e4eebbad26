//go:build unix && !linux

package process

import "syscall"

// signalSession does nothing where the processes of a session cannot be listed.
func signalSession(int, syscall.Signal) bool { return false }
