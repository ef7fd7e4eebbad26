//go:build !unix

package screen

import "os"

// notifyResumed does nothing: there are no signals for a stopped program.
func notifyResumed(chan<- os.Signal) {}

// inForeground returns true: there are no background jobs of a shell.
func inForeground(*os.File) bool { return true }
