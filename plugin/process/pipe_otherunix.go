//go:build unix && !linux

package process

import "syscall"

// openPipe makes a pipe that processes do not inherit.
func openPipe() (r, w int, err error) {
	ends := []int{-1, -1}
	syscall.ForkLock.RLock() // no process starts in between
	defer syscall.ForkLock.RUnlock()
	if err = syscall.Pipe(ends); err != nil {
		return -1, -1, err
	}
	syscall.CloseOnExec(ends[0])
	syscall.CloseOnExec(ends[1])
	return ends[0], ends[1], nil
}
