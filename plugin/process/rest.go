//go:build unix

package process

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// settle ends reading: the readers pass on what is in the pipes, however late they come to it,
// and nothing that somebody writes after that. No timer decides about bytes that are there.
func (s *streams) settle() {
	cut(s.stdout)
	cut(s.stderr)
	<-s.drained
}

// cut has the reader of a pipe pass on what is in it, and end.
func cut(pipe *os.File) {
	if pipe != nil {
		pipe.SetReadDeadline(time.Unix(1, 0))
	}
}

// readRest passes on what is in a pipe, without waiting. A child may go on writing, so it reads
// only the bytes that were there when it began.
func readRest(pipe *os.File, buf []byte, pass func([]byte)) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	conn.Control(func(fd uintptr) {
		left, _ := unix.IoctlGetInt(int(fd), bytesInPipe)
		for left > 0 {
			n, err := syscall.Read(int(fd), buf[:min(left, len(buf))])
			if err == syscall.EINTR {
				continue
			}
			if n <= 0 {
				return
			}
			pass(buf[:n])
			left -= n
		}
	})
}
