package sandbox

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

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
