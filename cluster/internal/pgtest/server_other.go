//go:build unix && !linux

package pgtest

import "syscall"

func endsWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
