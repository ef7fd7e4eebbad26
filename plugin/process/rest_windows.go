package process

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// settle waits until the readers have passed on what is in the pipes of processes that have
// ended, however late they come to it. Whoever still holds a pipe then is given up.
func (s *streams) settle() {
	for !s.drainedWithin(drainDelay) && (hasMore(s.stdout) || hasMore(s.stderr)) {
	}
}

func hasMore(pipe *os.File) bool {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	peek := windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")
	var left uint32
	conn.Control(func(fd uintptr) { peek.Call(fd, 0, 0, 0, uintptr(unsafe.Pointer(&left)), 0) })
	return left > 0
}

// cut has nothing to do either: the end of a process comes at once.
func cut(*os.File) {}

// readRest has nothing to do: pipes have no deadlines here, see settle.
func readRest(*os.File, []byte, func([]byte)) {}
