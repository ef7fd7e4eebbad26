package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"golang.org/x/sys/unix"
)

// place is a directory. Files below it may be marked.
type place struct {
	dir  int
	path string // where it was when somebody looked
}

func (r Rules) places() (list []place, err error) {
	for _, path := range r.Writable {
		dir, isDirectory, err := r.open(path)
		switch {
		case isDirectory:
			list = append(list, place{dir: dir})
		case dir >= 0:
			unix.Close(dir)
		}
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// linkTo is a path that leads to what a descriptor of this program is open for.
func linkTo(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// beneath returns a descriptor for the file of another one, reached from one of the places
// without a link and without "..": what it is open for is beneath the place, whoever renames what
// in the meantime. The error is EACCES if the file is elsewhere.
func (s *supervisor) beneath(c *caller, file int) (int, error) {
	for range 100 { // as often as it may be renamed in the meantime
		at, err := os.Readlink(linkTo(file))
		if err != nil {
			return -1, unix.EACCES
		}
		isNear := false
		for _, p := range s.places {
			if !disk.IsBelow(p.path, at) {
				continue
			}
			isNear = true
			if found, err := p.reach(c, at); err == nil && isOpenFor(found, file) {
				return found, nil
			}
		}
		if moved := s.look(); !isNear && !moved {
			return -1, unix.EACCES
		}
	}
	return -1, unix.EACCES
}

// reach opens what is beneath the place at a path, if the place is where it was.
func (p place) reach(c *caller, path string) (int, error) {
	rest, err := filepath.Rel(p.path, path)
	if err != nil || rest == "." {
		return p.dir, err
	}
	return c.hold(openAt(p.dir, rest, unix.O_NOFOLLOW, unix.RESOLVE_BENEATH|unix.RESOLVE_NO_SYMLINKS))
}

// look looks where the places are, and reports whether one has been moved.
func (s *supervisor) look() (moved bool) {
	for i := range s.places {
		now, err := os.Readlink(linkTo(s.places[i].dir))
		if err == nil && now != s.places[i].path {
			s.places[i].path, moved = now, true
		}
	}
	return moved
}

// openAt opens a file by its path, for its name only. A link of the kernel's, as those
// in /proc are, is not followed: it may lead where no path does.
func openAt(dir int, path string, flags uint64, resolve uint64) (int, error) {
	for tries := 0; ; tries++ {
		fd, err := unix.Openat2(dir, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | flags,
			Resolve: unix.RESOLVE_NO_MAGICLINKS | resolve})
		if (err != unix.EAGAIN && err != unix.EINTR) || tries == 100 {
			return fd, err
		}
	}
}

func isOpenFor(one, other int) bool {
	var first, second unix.Stat_t
	return unix.Fstat(one, &first) == nil && unix.Fstat(other, &second) == nil &&
		first.Dev == second.Dev && first.Ino == second.Ino
}

// named opens again, by its name, what a descriptor of the caller is open for, which may come from
// where no path leads here, as a mount of the caller's own.
func named(c *caller, file int) (int, error) {
	at, err := os.Readlink(linkTo(file))
	if err != nil || !filepath.IsAbs(at) {
		return -1, unix.EACCES
	}
	found, err := c.hold(openAt(unix.AT_FDCWD, at, unix.O_NOFOLLOW, unix.RESOLVE_NO_SYMLINKS))
	if err == nil && !isOpenFor(found, file) {
		err = unix.EACCES
	}
	return found, err
}

// isNameless reports whether what a descriptor is open for has no name in any directory, so that only
// those who have it open can reach it: a pipe, a socket, a file that was removed.
func isNameless(file int) bool {
	var info unix.Stat_t
	at, err := os.Readlink(linkTo(file))
	if err != nil || unix.Fstat(file, &info) != nil {
		return false
	}
	if kind := info.Mode & unix.S_IFMT; kind == unix.S_IFIFO || kind == unix.S_IFSOCK {
		return !filepath.IsAbs(at)
	}
	return strings.HasSuffix(at, " (deleted)") && info.Nlink == 0
}

// descriptorIn returns the descriptor of the caller that a path of the kernel's leads to, which
// libraries use where a call takes no descriptor.
func descriptorIn(c *caller, path string) (number int, is bool) {
	text, is := strings.CutPrefix(path, "/dev/fd/")
	if parts := strings.Split(path, "/"); len(parts) == 5 && parts[1] == "proc" && parts[3] == "fd" {
		text, is = parts[4], slices.Contains([]string{"self", "thread-self", strconv.Itoa(c.thread),
			strconv.Itoa(c.process())}, parts[2])
	}
	value, err := strconv.ParseUint(text, 10, 31)
	return int(value), is && err == nil
}

func (s *supervisor) target(c *caller, request change) (int, error) {
	if request.open {
		return s.opened(c, request.at)
	}
	path, err := c.text(request.path, unix.PathMax)
	switch {
	case err != nil:
		return -1, err
	case request.flags&^(unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH) != 0:
		return -1, unix.EINVAL
	case path == "" && request.flags&unix.AT_EMPTY_PATH == 0:
		return -1, unix.ENOENT
	case path == "" && request.at == unix.AT_FDCWD:
		path = "."
	case path == "":
		return s.opened(c, request.at)
	}
	switch number, is := descriptorIn(c, path); {
	case is && request.flags&unix.AT_SYMLINK_NOFOLLOW != 0:
		return -1, unix.EACCES // the link itself is the kernel's
	case is:
		return s.opened(c, number)
	}
	return s.byPath(c, request, path)
}

func (s *supervisor) byPath(c *caller, request change, path string) (file int, err error) {
	if !isSame(c.about("root"), "/") {
		return -1, unix.EACCES // the path means something else to it
	}
	base, flags := unix.AT_FDCWD, uint64(0)
	if !filepath.IsAbs(path) {
		if base, err = c.base(request.at); err != nil {
			return -1, err
		}
	}
	if request.flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		flags = unix.O_NOFOLLOW
	}
	err = s.own.as(c.rights, func() (err error) {
		file, err = c.hold(openAt(base, path, flags, 0))
		return err
	})
	if err != nil {
		return -1, err
	}
	return s.beneath(c, file)
}

// opened returns the file of a descriptor of the caller, which it may have open to read.
func (s *supervisor) opened(c *caller, descriptor int) (int, error) {
	file, err := c.file(descriptor)
	if err != nil || isNameless(file) {
		return file, err
	}
	if file, err = named(c, file); err != nil {
		return -1, err
	}
	return s.beneath(c, file)
}
