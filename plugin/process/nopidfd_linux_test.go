package process_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"unsafe"

	"github.com/chibi-host/chibi/internal/systest"
	"golang.org/x/sys/unix"
)

// noPidfds is the variable with which the tests of this package get no pidfds from the kernel,
// so that goroutines wait from the beginning, as they do on other systems. .ci/long sets it.
const noPidfds = "CHIBI_TEST_NO_PIDFDS"

func TestMain(m *testing.M) {
	if os.Getenv(noPidfds) != "" {
		if err := refusePidfds(); err != nil {
			fmt.Fprintln(os.Stderr, "the kernel does not refuse pidfds:", err)
			os.Exit(1)
		}
	}
	os.Exit(systest.Processes{M: m}.Run())
}

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
	if _, err := unix.PidfdOpen(os.Getpid(), 0); !errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("pidfd_open: %v", err)
	}
	return nil
}
