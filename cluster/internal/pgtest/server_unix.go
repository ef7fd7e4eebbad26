//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// nobody is whom servers of root run as: PostgreSQL refuses root.
const nobody = 65534

// tempDir is where data directories are made. For root it is one that nobody can reach.
func tempDir() string {
	if os.Getuid() == 0 {
		return "/tmp"
	}
	return os.TempDir()
}

func giveAway(path string) error {
	if os.Getuid() != 0 {
		return nil
	}
	return os.Chown(path, nobody, nobody)
}

// asServer makes a command run as whom servers run, and end with this process.
func asServer(c *exec.Cmd) {
	c.SysProcAttr = endsWithParent()
	if os.Getuid() == 0 {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
}

// Kill ends all processes of the server at once, as a crash of the machine does but for what
// the system has not written yet, and returns when they are gone.
func (s *Server) Kill() {
	first := s.process.Process.Pid
	syscall.Kill(first, syscall.SIGSTOP) // it starts no other processes
	until(first, "TtZX")
	all := processes(first)
	for _, pid := range all {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	<-s.ended
	for _, pid := range all { // the next server does not start while one has the memory that they share
		until(pid, "ZX")
	}
}

// until waits until a process is in one of some states, which are letters, or gone.
func until(pid int, states string) {
	for end := time.Now().Add(startTime); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if state, _ := status(pid); state == "" || strings.Contains(states, state) {
			return
		}
	}
}

// Freeze stops all processes of the server until Thaw: it answers nothing, and its connections
// stay open.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw lets the server go on.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

// Shutdown ends the server as an administrator does, at once for its clients.
func (s *Server) Shutdown() {
	s.process.Process.Signal(syscall.SIGINT)
	<-s.ended
}

// quit has the server end at once, also if it is frozen.
func (s *Server) quit() {
	s.process.Process.Signal(syscall.SIGQUIT)
	s.Thaw()
}

// signal sends a signal to all processes of the server.
func (s *Server) signal(sig syscall.Signal) {
	for _, pid := range processes(s.process.Process.Pid) {
		syscall.Kill(pid, sig)
	}
}
