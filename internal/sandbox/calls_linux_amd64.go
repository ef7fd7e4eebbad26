package sandbox

import "golang.org/x/sys/unix"

const nativeArchitecture = unix.AUDIT_ARCH_X86_64

// olderCalls are those that newer processors do without.
func olderCalls() map[uint32]reading {
	return map[uint32]reading{
		unix.SYS_CHMOD: readChmod, unix.SYS_CHOWN: readChown, unix.SYS_LCHOWN: noFollow(readChown),
		unix.SYS_UTIME: readUtime, unix.SYS_UTIMES: readUtimes, unix.SYS_FUTIMESAT: readFutimesat,
	}
}

// otherABIs are the calls of 32-bit programs: those that mark files are refused.
func otherABIs() []abi {
	actions := map[uint32]uint32{425: missing} // io_uring_setup
	for _, number := range []uint32{
		15, 94, 306, 452, // chmod, fchmod, fchmodat, fchmodat2
		16, 182, 95, 198, 212, 207, 298, // lchown, chown, fchown, the same three with 32-bit ids, fchownat
		30, 271, 299, 320, 412, // utime, utimes, futimesat, utimensat, utimensat_time64
		226, 227, 228, 235, 236, 237, 463, 466, 469, // setxattr, lsetxattr, fsetxattr, remove..., ...at, file_setattr
	} {
		actions[number] = refuse
	}
	return []abi{{unix.AUDIT_ARCH_I386, actions, lastCall, 340}}
}
