package sandbox

import (
	"bytes"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// caller is a confined thread that waits for the answer to its call. What is read of it holds if it
// still waits afterwards.
type caller struct {
	thread    int
	rights    identity // the rights of the supervisor, if the caller has the same
	elsewhere bool     // it is in a user namespace of its own
	held      []int    // descriptors that are closed with the call
}

// hold keeps a descriptor until the call is answered.
func (c *caller) hold(fd int, err error) (int, error) {
	if err == nil {
		c.held = append(c.held, fd)
	}
	return fd, err
}

func (c *caller) release() {
	for _, fd := range c.held {
		unix.Close(fd)
	}
}

func (c *caller) about(what string) string { return fmt.Sprintf("/proc/%d/%s", c.thread, what) }

// process is the process of the thread, 0 if that has ended.
func (c *caller) process() int {
	who, _ := identityOf(c.about("status"))
	return who.process
}

func (c *caller) read(address uint64, into []byte) error {
	n, err := c.readSome(address, into)
	if err == nil && n < len(into) {
		return unix.EFAULT
	}
	return err
}

// readSome reads memory of the caller, up to where there is none, and returns how much it read.
func (c *caller) readSome(address uint64, into []byte) (n int, err error) {
	memory, err := c.hold(unix.Open(c.about("mem"), unix.O_RDONLY|unix.O_CLOEXEC, 0))
	if err != nil {
		return 0, unix.EACCES
	}
	for n < len(into) {
		more, err := unix.Pread(memory, into[n:], int64(address)+int64(n))
		if err != nil || more == 0 {
			break
		}
		n += more
	}
	return n, nil
}

// text reads a text that ends with a zero byte, which counts in the bound.
func (c *caller) text(address uint64, most int) (string, error) {
	memory := make([]byte, most)
	n, err := c.readSome(address, memory)
	text, _, found := bytes.Cut(memory[:n], []byte{0})
	switch {
	case err != nil:
		return "", err
	case found:
		return string(text), nil
	case n == most:
		return "", unix.ENAMETOOLONG
	}
	return "", unix.EFAULT
}

// file returns what a descriptor of the caller is open for, as a descriptor that is for its name only.
func (c *caller) file(descriptor int) (int, error) {
	fd, err := c.hold(unix.Open(c.about("fd/"+strconv.Itoa(descriptor)), unix.O_PATH|unix.O_CLOEXEC, 0))
	if err == unix.ENOENT {
		err = unix.EBADF
	}
	return fd, err
}

// base returns the directory that a path begins at.
func (c *caller) base(at int) (dir int, err error) {
	if at == unix.AT_FDCWD {
		dir, err = c.hold(unix.Open(c.about("cwd"), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0))
	} else {
		dir, err = c.file(at)
	}
	if err != nil {
		return -1, err
	}
	return named(c, dir)
}

func isSame(one, other string) bool {
	var first, second unix.Stat_t
	return unix.Stat(one, &first) == nil && unix.Stat(other, &second) == nil &&
		first.Dev == second.Dev && first.Ino == second.Ino
}
