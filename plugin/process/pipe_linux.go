package process

import "syscall"

// openPipe makes a pipe that processes do not inherit.
func openPipe() (r, w int, err error) {
	ends := []int{-1, -1}
	err = syscall.Pipe2(ends, syscall.O_CLOEXEC)
	return ends[0], ends[1], err
}
