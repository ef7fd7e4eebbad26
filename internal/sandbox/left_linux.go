package sandbox

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Moment is a time in the ticks in which the kernel says when processes started.
type Moment uint64

// ticks is how many there are in a second, for every program on Linux.
const ticks = 100

// Now returns the current time.
func Now() Moment {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0
	}
	return Moment(now.Sec*ticks + now.Nsec/(1e9/ticks))
}

// scans is how often processes are listed if some end in the meantime: they may have started others.
const scans = 20

// AnyLeft reports whether a process may be alive that a command began that was confined since a
// time. It goes by what no process gets rid of, that it cannot gain rights, so that a process of
// others that gave up its rights counts too.
func AnyLeft(since Moment) bool {
	others := map[string]bool{strconv.Itoa(os.Getpid()): true} // which are not ours
	for range scans {
		switch left, isSure := findLeft(since, others); {
		case left:
			return true
		case isSure:
			return false
		}
	}
	return true
}

// findLeft looks once at processes that are not known; isSure is false if one of them ended in the
// meantime.
func findLeft(since Moment, others map[string]bool) (left, isSure bool) {
	proc, err := os.Open("/proc")
	if err != nil {
		return true, true
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return true, true
	}
	isSure = true
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' || others[name] {
			continue
		}
		left, err := isLeft(name, since)
		if left {
			return true, true
		}
		others[name] = err == nil
		isSure = isSure && err == nil
	}
	return false, isSure
}

// isLeft looks at one process. The error means that it has ended.
func isLeft(pid string, since Moment) (bool, error) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if errors.Is(err, fs.ErrPermission) {
		return false, nil // of somebody else
	}
	// Behind the name, which may have any character, are the state, and as the 18th and 20th field the number
	// of threads and the start.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if err != nil || len(fields) < 20 {
		return false, fs.ErrNotExist
	}
	started, err := strconv.ParseUint(string(fields[19]), 10, 64)
	isOver := fields[0][0] == 'X' || fields[0][0] == 'Z' && string(fields[17]) <= "1" // or only its first thread is
	if err != nil || Moment(started)+1 < since || isOver {
		return false, nil
	}
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return false, fs.ErrNotExist
	}
	return bytes.Contains(status, []byte("\nNoNewPrivs:\t1\n")), nil
}
