package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// keptCapabilities are those that a command of root keeps, which builds, packages and tests need: files in
// reach get owners and modes, servers take small ports, programs become other users. All others are
// taken, those of later kernels too, because they reach around files, which are what Landlock
// confines: CAP_MKNOD makes the device of a disk in the project, CAP_SYS_ADMIN (of which CAP_PERFMON is a
// part) and CAP_SYS_PTRACE open other processes, CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH what others keep
// for themselves in the directories of the system, CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_BPF and CAP_SYS_BOOT
// the kernel, CAP_NET_ADMIN and CAP_NET_RAW the machine's network, CAP_LINUX_IMMUTABLE files that may only be read.
func keptCapabilities() (set uint64) {
	for _, capability := range []uint{unix.CAP_CHOWN, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID,
		unix.CAP_SETUID, unix.CAP_SETPCAP, unix.CAP_SETFCAP, unix.CAP_NET_BIND_SERVICE, unix.CAP_SYS_CHROOT,
		unix.CAP_AUDIT_WRITE} {
		set |= 1 << capability
	}
	return set
}

// dropCapabilities takes from this thread, and from what it executes, the capabilities that are not
// kept. A program that is executed gets none back, because Landlock is entered without new
// privileges (PR_SET_NO_NEW_PRIVS). A process without them has nothing to drop.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return fmt.Errorf("reading its capabilities: %w", err)
	}
	for i, kept := range []uint32{uint32(keptCapabilities()), uint32(keptCapabilities() >> 32)} {
		has[i].Permitted &= kept
		has[i].Effective &= kept
		has[i].Inheritable &= kept
	}
	if err := unix.Capset(&header, &has[0]); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	return nil
}

// Foreign returns a directory that is open for writing and in which a confined root cannot write, because
// it belongs to another user; "" if there is none.
func (r Rules) Foreign() (path string, owner uint32) {
	for _, path := range r.Writable {
		var info unix.Stat_t
		if os.Geteuid() != 0 || unix.Stat(path, &info) != nil {
			continue
		}
		if byGroup := info.Gid == 0 && info.Mode&unix.S_IWGRP != 0; info.Uid != 0 && info.Mode&unix.S_IWOTH == 0 && !byGroup {
			return path, info.Uid
		}
	}
	return "", 0
}
