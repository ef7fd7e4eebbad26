package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"unsafe"

	"github.com/chibi-host/chibi/internal/disk"
	"golang.org/x/sys/unix"
)

// abi is a set of system calls of this processor, such as the calls of 32-bit programs, and what the filter
// does with some of them. Calls above last are newer than this program: they fail as on an older
// kernel, because one of them may mark files by their path.
type abi struct {
	architecture uint32
	actions      map[uint32]uint32
	last         uint32
	// limit is prlimit64, which is refused but for a process's own limits: with it a command ends others,
	// chibi too, by limits that they are beyond of.
	limit uint32
}

// lastCall is the newest call that this program knows (rseq_slice_yield, Linux 7.0).
const lastCall = 471

// The actions of the filter.
const (
	ask     = uint32(unix.SECCOMP_RET_USER_NOTIF)
	missing = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.ENOSYS)
	refuse  = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EACCES)
)

// nativeABI has the supervisor asked about calls that mark files. Rings (io_uring) mark files too, and no
// filter sees how; programs do without them, as without the newest forms of calls.
func nativeABI() abi {
	actions := map[uint32]uint32{unix.SYS_IO_URING_SETUP: missing, unix.SYS_SETXATTRAT: missing,
		unix.SYS_REMOVEXATTRAT: missing, unix.SYS_FILE_SETATTR: missing}
	for number := range calls() {
		actions[number] = ask
	}
	return abi{nativeArchitecture, actions, lastCall, unix.SYS_PRLIMIT64}
}

// The instructions of a filter.
const (
	load    = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	isEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	isAbove = unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K
	answer  = unix.BPF_RET | unix.BPF_K
)

// program is the filter for some sets of calls. Calls of another set end the program.
func program(sets ...abi) []unix.SockFilter {
	const number, architecture, first = 0, 4, 16 // where they are in struct seccomp_data
	list := []unix.SockFilter{{Code: load, K: architecture}}
	for _, set := range sets {
		body := []unix.SockFilter{{Code: load, K: number}, {Code: isAbove, K: set.last, Jf: 1}, {Code: answer, K: missing},
			{Code: isEqual, K: set.limit, Jf: 4}, {Code: load, K: first}, {Code: isEqual, K: 0, Jt: 1},
			{Code: answer, K: refuse}, {Code: answer, K: unix.SECCOMP_RET_ALLOW}}
		body = append(body, search(slices.Sorted(maps.Keys(set.actions)), set.actions)...)
		list = append(list, unix.SockFilter{Code: isEqual, K: set.architecture, Jf: uint8(len(body))})
		list = append(list, body...)
	}
	return append(list, unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_KILL_PROCESS})
}

// search finds the action of a call among sorted ones, by halves: the kernel tries a filter with every
// call when it is installed. Calls that are not there are allowed.
func search(calls []uint32, actions map[uint32]uint32) []unix.SockFilter {
	switch half := len(calls) / 2; len(calls) {
	case 0:
		return []unix.SockFilter{{Code: answer, K: unix.SECCOMP_RET_ALLOW}}
	case 1:
		return append([]unix.SockFilter{{Code: isEqual, K: calls[0], Jf: 1}, {Code: answer, K: actions[calls[0]]}},
			search(nil, nil)...)
	default:
		lower, upper := search(calls[:half], actions), search(calls[half:], actions)
		list := []unix.SockFilter{{Code: isAbove, K: calls[half] - 1, Jt: uint8(len(lower))}}
		return append(append(list, lower...), upper...)
	}
}

// errNone means that calls cannot be supervised here.
var errNone = errors.New("seccomp user notification")

// install puts a filter on this thread and on what it executes, and returns the descriptor at which
// the calls arrive that need an answer. A caller that was heard waits for the answer: a signal that is not
// its end does not have it ask twice.
func install(filter []unix.SockFilter) (listener int, err error) {
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV |
		unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW
	all := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&all)))
	switch errno {
	case 0:
		return int(fd), nil
	case unix.EBUSY:
		return -1, fmt.Errorf("another program supervises the calls of this one (%w)", errNone)
	case unix.ENOSYS, unix.EINVAL, unix.EPERM, unix.EACCES:
		return -1, fmt.Errorf("this system passes no calls on to a supervisor (%w): %w", errNone, errno)
	}
	return -1, fmt.Errorf("installing a filter of calls: %w", errno)
}

// beSupervised puts the filter on this thread and passes its listener on to the supervisor. Where calls
// cannot be supervised, Landlock alone confines.
func beSupervised() error {
	unix.CloseOnExec(supervisorFile)
	listener, err := install(program(append(otherABIs(), nativeABI())...))
	if errors.Is(err, errNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return unix.Sendmsg(supervisorFile, []byte{0}, unix.UnixRights(listener), nil, 0)
}

// unable returns why calls cannot be supervised, whatever the system allows; nil if they may be.
func unable() error {
	if nativeArchitecture == 0 {
		return errors.New("supervision of calls is not built for this processor")
	}
	scope, err := disk.ReadFile(disk.OS{}, "/proc/sys/kernel/yama/ptrace_scope", 16)
	if err == nil && string(scope) > "1\n" {
		return errors.New("the setting kernel.yama.ptrace_scope is above 1, so that no supervisor reads what a call asks for")
	}
	return nil
}

// Unsupervised returns why confined commands can mark files by their path, with modes, owners, times and
// extended attributes, wherever they are; nil if a supervisor makes these calls for them, in the
// directories that are open for writing.
func (r Rules) Unsupervised() error {
	if err := unable(); err != nil {
		return err
	}
	result := make(chan error, 1)
	go try(result)
	return <-result
}

// try installs a filter that allows everything, on a thread that ends with that: a filter cannot be
// taken off.
func try(result chan<- error) {
	runtime.LockOSThread()              // for good: the thread ends with this goroutine
	if unix.Gettid() == unix.Getpid() { // the first thread of a program does not end; it is held here
		other := make(chan error, 1)
		go try(other)
		result <- <-other
		runtime.UnlockOSThread()
		return
	}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		var listener int
		all := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
		if listener, err = install(all); err == nil {
			unix.Close(listener)
		}
	}
	result <- err
}
