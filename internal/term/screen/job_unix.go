//go:build unix

package screen

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyResumed passes on that the program was stopped and goes on.
func notifyResumed(resumed chan<- os.Signal) { signal.Notify(resumed, syscall.SIGCONT) }
