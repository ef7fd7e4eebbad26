package sandbox

import (
	"maps"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// change is what a call asks for: to mark a file, its mode, owner, times or extended attributes.
type change struct {
	at    int    // the descriptor at which the path begins, or AT_FDCWD
	path  uint64 // where the path is in the caller's memory
	open  bool   // there is no path: the file is the descriptor
	flags uint64 // AT_SYMLINK_NOFOLLOW and AT_EMPTY_PATH
	act   func(file int) error
}

// reading reads what a call asks for from its arguments and the caller's memory.
type reading func(c *caller, args [6]uint64) (change, error)

func calls() map[uint32]reading {
	list := map[uint32]reading{
		unix.SYS_FCHMOD: byFile(readChmod), unix.SYS_FCHMODAT: readFchmodat, unix.SYS_FCHMODAT2: readFchmodat2,
		unix.SYS_FCHOWN: byFile(readChown), unix.SYS_FCHOWNAT: readFchownat,
		unix.SYS_UTIMENSAT: readUtimensat,
		unix.SYS_SETXATTR:  readSetxattr, unix.SYS_LSETXATTR: noFollow(readSetxattr),
		unix.SYS_FSETXATTR:   byFile(readSetxattr),
		unix.SYS_REMOVEXATTR: readRemovexattr, unix.SYS_LREMOVEXATTR: noFollow(readRemovexattr),
		unix.SYS_FREMOVEXATTR: byFile(readRemovexattr),
	}
	maps.Copy(list, olderCalls())
	return list
}

// noFollow reads a call that does not follow a link at the end of its path.
func noFollow(read reading) reading {
	return func(c *caller, args [6]uint64) (change, error) {
		request, err := read(c, args)
		request.flags |= unix.AT_SYMLINK_NOFOLLOW
		return request, err
	}
}

// byFile reads a call whose first argument is a descriptor instead of a path.
func byFile(read reading) reading {
	return func(c *caller, args [6]uint64) (change, error) {
		request, err := read(c, args)
		request.open, request.at = true, descriptor(args[0])
		return request, err
	}
}

// descriptor is an argument that is one: of its bits, the kernel takes half.
func descriptor(argument uint64) int { return int(int32(argument)) }

func readChmod(_ *caller, args [6]uint64) (change, error) {
	mode := uint32(args[1])
	return change{at: unix.AT_FDCWD, path: args[0], act: func(file int) error {
		return unix.Fchmodat(unix.AT_FDCWD, linkTo(file), mode&0o7777, 0)
	}}, nil
}

func readFchmodat(c *caller, args [6]uint64) (change, error) {
	request, err := readChmod(c, [6]uint64{args[1], args[2]})
	request.at = descriptor(args[0])
	return request, err
}

func readFchmodat2(c *caller, args [6]uint64) (change, error) {
	request, err := readFchmodat(c, args)
	request.flags = args[3]
	return request, err
}

func readChown(c *caller, args [6]uint64) (change, error) {
	user, group := descriptor(args[1]), descriptor(args[2]) // -1: as it is
	return change{at: unix.AT_FDCWD, path: args[0], act: func(file int) error {
		if c.elsewhere && (user != -1 || group != -1) {
			return unix.EPERM // these are numbers of its own user namespace
		}
		return unix.Fchownat(file, "", user, group, unix.AT_EMPTY_PATH)
	}}, nil
}

func readFchownat(c *caller, args [6]uint64) (change, error) {
	request, err := readChown(c, [6]uint64{args[1], args[2], args[3]})
	request.at, request.flags = descriptor(args[0]), args[4]
	return request, err
}

// times is the change of a file's times; nil: to now.
func times(at int, path uint64, list []unix.Timespec) change {
	return change{at: at, path: path, act: func(file int) error {
		return unix.UtimesNanoAt(file, "", list, unix.AT_EMPTY_PATH)
	}}
}

func readUtime(c *caller, args [6]uint64) (change, error) {
	var given unix.Utimbuf
	if args[1] == 0 {
		return times(unix.AT_FDCWD, args[0], nil), nil
	}
	err := c.read(args[1], bytesOf(&given))
	return times(unix.AT_FDCWD, args[0], []unix.Timespec{{Sec: given.Actime}, {Sec: given.Modtime}}), err
}

func readUtimes(c *caller, args [6]uint64) (change, error) {
	return readFutimesat(c, [6]uint64{uint64(unix.AT_FDCWD & (1<<64 - 1)), args[0], args[1]})
}

func readFutimesat(c *caller, args [6]uint64) (change, error) {
	var given [2]unix.Timeval
	var list []unix.Timespec
	if args[2] != 0 {
		if err := c.read(args[2], bytesOf(&given)); err != nil {
			return change{}, err
		}
		for _, time := range given {
			if time.Usec < 0 || time.Usec >= 1_000_000 {
				return change{}, unix.EINVAL
			}
			list = append(list, unix.Timespec{Sec: time.Sec, Nsec: time.Usec * 1000})
		}
	}
	request := times(descriptor(args[0]), args[1], list)
	request.open = args[1] == 0 && request.at != unix.AT_FDCWD
	return request, nil
}

func readUtimensat(c *caller, args [6]uint64) (change, error) {
	var list []unix.Timespec
	if args[2] != 0 {
		list = make([]unix.Timespec, 2)
		if err := c.read(args[2], bytesOf((*[2]unix.Timespec)(list))); err != nil {
			return change{}, err
		}
	}
	request := times(descriptor(args[0]), args[1], list)
	request.open, request.flags = args[1] == 0 && request.at != unix.AT_FDCWD, args[3]
	if request.open && request.flags != 0 {
		return change{}, unix.EINVAL
	}
	return request, nil
}

// The bounds of the kernel.
const (
	longestName  = 255
	largestValue = 64 << 10
)

func readSetxattr(c *caller, args [6]uint64) (change, error) {
	name, err := readName(c, args[1])
	if err != nil {
		return change{}, err
	}
	if args[3] > largestValue {
		return change{}, unix.E2BIG
	}
	value := make([]byte, args[3])
	if err := c.read(args[2], value); err != nil {
		return change{}, err
	}
	return change{at: unix.AT_FDCWD, path: args[0], act: func(file int) error {
		return unix.Setxattr(linkTo(file), name, value, descriptor(args[4]))
	}}, nil
}

func readRemovexattr(c *caller, args [6]uint64) (change, error) {
	name, err := readName(c, args[1])
	return change{at: unix.AT_FDCWD, path: args[0], act: func(file int) error {
		return unix.Removexattr(linkTo(file), name)
	}}, err
}

// readName reads the name of an extended attribute. Those by which the kernel gives programs rights
// are nothing that a confined command sets.
func readName(c *caller, address uint64) (string, error) {
	name, err := c.text(address, longestName+1)
	switch {
	case err == unix.ENAMETOOLONG || err == nil && name == "":
		return "", unix.ERANGE
	case strings.HasPrefix(name, "security.") || strings.HasPrefix(name, "trusted."):
		return "", unix.EPERM
	}
	return name, err
}

func bytesOf[T any](value *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(value)), unsafe.Sizeof(*value))
}
