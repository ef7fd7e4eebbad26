//go:build unix

package process

import (
	"fmt"
	"os"
	"syscall"
)

// Detach starts a command that outlives this program: in a session of its own, with the
// null device as its standard streams. Of the command, Path, Args, Env and Dir are used. It
// returns when the process was started; its end is not reported. The error is ErrStart.
func (e Runner) Detach(c Command) error {
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrStart, err)
	}
	defer syscall.Close(null)
	s := &spawn{path: c.Path, args: append([]string{c.Path}, c.Args...)}
	s.attr = syscall.ProcAttr{Dir: c.Dir, Env: e.environment(c, true), Sys: &syscall.SysProcAttr{Setsid: true},
		Files: []uintptr{uintptr(null), uintptr(null), uintptr(null)}}
	pid, err := s.start()
	if err != nil {
		return fmt.Errorf("%w: %s", ErrStart, explain(c, err))
	}
	go endedGroup(pid) // so that nothing is left of it when it ends before this program
	return nil
}
