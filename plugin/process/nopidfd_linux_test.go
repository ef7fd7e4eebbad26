package process_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"unsafe"

	"github.com/chibi-host/chibi/internal/childtest"
	"golang.org/x/sys/unix"
)

// noPidfds is the variable of a test process in which the kernel refuses pidfds.
const noPidfds = "CHIBI_TEST_NO_PIDFDS"

func TestMain(m *testing.M) {
	if os.Getenv(noPidfds) != "" {
		if err := refusePidfds(); err != nil {
			fmt.Fprintln(os.Stderr, "no filter of system calls:", err)
			os.Exit(skipped)
		}
	}
	os.Exit(m.Run())
}

// skipped is the exit status of a test process that cannot refuse pidfds.
const skipped = 77

// refusePidfds makes pidfd_open fail as in an old kernel, for this process and those that
// it starts.
func refusePidfds() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_PIDFD_OPEN},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}

// TestAllOfThisWithoutPidfds runs every test of the package in a process that gets no
// pidfds, so that goroutines wait from the beginning, as they do on other systems.
func TestAllOfThisWithoutPidfds(t *testing.T) {
	if os.Getenv(noPidfds) != "" {
		if _, err := unix.PidfdOpen(os.Getpid(), 0); !errors.Is(err, unix.ENOSYS) {
			t.Errorf("pidfd_open: %v", err)
		}
		return
	}
	child := exec.CommandContext(t.Context(), childtest.Command(t)[0], "-test.run=.")
	child.Env = childtest.Environ(t, noPidfds, "1")
	out, err := child.CombinedOutput()
	if child.ProcessState != nil && child.ProcessState.ExitCode() == skipped {
		t.Skipf("%s", out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
