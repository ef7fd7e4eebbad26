//go:build !unix

package screen

import "os"

// notifyResumed does nothing: there are no signals for a stopped program.
func notifyResumed(chan<- os.Signal) {}
