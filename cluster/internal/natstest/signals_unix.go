//go:build unix

package natstest

import "syscall"

// Pause stops the process: it hangs, and its connections stay.
func (n *Node) Pause() { _ = n.process.Process.Signal(syscall.SIGSTOP) }

// Resume lets it go on.
func (n *Node) Resume() { _ = n.process.Process.Signal(syscall.SIGCONT) }
