//go:build unix

package clitest

import "syscall"

// leaveTerminal makes this process one without a terminal.
func leaveTerminal() { syscall.Setsid() }
