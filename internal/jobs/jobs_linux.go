package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/disk"
	"golang.org/x/sys/unix"
)

// maxEnviron bounds what is read of a process.
const maxEnviron = 1 << 20

// all lists the person's processes that have the variable, the oldest first. One that has removed it
// from its environment is not found.
func all() (list []Job, err error) {
	proc, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	for _, entry := range proc {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if job, isJob := read(pid); isJob {
			list = append(list, job)
		}
	}
	slices.SortFunc(list, func(a, b Job) int { return a.Started.Compare(b.Started) })
	return list, nil
}

// read reads a process; isJob is false if a command of a model did not start it, or it has ended.
func read(pid int) (j Job, isJob bool) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	environ, err := disk.ReadFile(disk.OS{}, dir+"environ", maxEnviron)
	if err != nil {
		return j, false
	}
	for pair := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(pair, []byte(Variable+"=")); ok {
			j.Run, isJob = string(value), true
		}
	}
	stat, err := disk.ReadFile(disk.OS{}, dir+"stat", maxEnviron)
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // state, parent, group, session; the 20th: the start
	if !isJob || err != nil || len(fields) < 20 || fields[0][0] == 'Z' {
		return j, false
	}
	j.PID = pid
	j.parent, _ = strconv.Atoi(string(fields[1]))
	j.Session, _ = strconv.Atoi(string(fields[3]))
	ticks, _ := strconv.ParseInt(string(fields[19]), 10, 64)
	j.Started = bootTime().Add(time.Duration(ticks) * (time.Second / 100))
	line, _ := disk.ReadFile(disk.OS{}, dir+"cmdline", maxEnviron)
	j.Command = clip.Text(strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " ")), 300)
	j.Dir, _ = os.Readlink(dir + "cwd")
	return j, true
}

// bootTime is when the ticks began in which the kernel counts.
func bootTime() time.Time {
	var since unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &since)
	return time.Now().Add(-time.Duration(since.Nano()))
}

// end ends processes. A pidfd keeps a signal from one that gets the same id meanwhile.
func end(ctx context.Context, wanted map[int]bool) (err error) {
	var open []int
	for pid := range wanted {
		fd, failed := unix.PidfdOpen(pid, 0)
		if failed != nil {
			continue // it has ended
		}
		defer unix.Close(fd)
		if _, isJob := read(pid); !isJob {
			continue
		}
		open = append(open, fd)
		failed = unix.PidfdSendSignal(fd, unix.SIGTERM, nil, 0)
		if failed != nil && failed != unix.ESRCH {
			err = errors.Join(err, fmt.Errorf("ending process %d: %w", pid, failed))
		}
		unix.PidfdSendSignal(fd, unix.SIGCONT, nil, 0)
	}
	for _, fd := range open {
		for ctx.Err() == nil {
			// A pidfd can be read when its process has ended.
			if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 50); n > 0 {
				break
			}
		}
		unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
	return err
}
