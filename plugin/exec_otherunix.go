//go:build unix && !linux

package plugin

import "syscall"

// bytesInPipe asks how many bytes nobody has read yet: FIONREAD.
const bytesInPipe = 0x4004667f

// supervised gives a process a group of its own.
func supervised() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
