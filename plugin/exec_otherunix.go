//go:build unix && !linux

package plugin

import "syscall"

// supervised gives a process a group of its own.
func supervised() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
