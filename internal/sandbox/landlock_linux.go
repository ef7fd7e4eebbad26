package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	kernel "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// leastVersion is the first version of Landlock that keeps a command from emptying files
// (truncation), since Linux 6.2.
const leastVersion = 3

func supported() error { return judge(kernel.LandlockGetABIVersion()) }

// judge judges a version of Landlock, or the error of asking for it.
func judge(version int, err error) error {
	switch {
	case errors.Is(err, syscall.EOPNOTSUPP):
		return errors.New(`this kernel has Landlock turned off; add "landlock" to the parameter lsm= that it is ` +
			`started with`)
	case err != nil || version < 1:
		return errors.New("this kernel has no Landlock, which Linux has since 5.13")
	case version < leastVersion:
		return fmt.Errorf("the Landlock of this kernel (version %d) cannot keep commands from emptying files; Linux 6.2 or "+
			"newer can", version)
	}
	return nil
}

// system lists what belongs to the system: programs, libraries, settings, and what the
// kernel tells. Commands may read and run it.
func system() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
		"/run/current-system", "/run/systemd/resolve", "/proc", "/sys"}
}

// devices lists the devices that commands may use. Terminals are not among them.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
}

// become confines this process and becomes a command. Network connections are not confined.
func (r confinement) become(command []string) error {
	config := landlock.V11
	config.HandledAccessNet = 0
	rules := []landlock.Rule{landlock.RODirs(slices.DeleteFunc(system(), r.isInside)...).IgnoreIfMissing(),
		landlock.RWFiles(devices()...).IgnoreIfMissing()}
	for _, path := range r.Readable {
		switch file, isDirectory, err := r.open(path); {
		case err != nil:
			return err
		case isDirectory:
			rules = append(rules, landlock.RODirs(linkTo(file)))
		case file >= 0:
			rules = append(rules, landlock.ROFiles(linkTo(file)))
		}
	}
	for _, path := range r.Writable {
		switch dir, isDirectory, err := r.open(path); {
		case err != nil:
			return err
		case isDirectory:
			rules = append(rules, landlock.RWDirs(linkTo(dir)).WithRefer().WithResolveUnix())
		}
	}
	runtime.LockOSThread() // capabilities and filters belong to a thread
	defer runtime.UnlockOSThread()
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := config.BestEffort().Restrict(rules...); err != nil {
		return err
	}
	// Best effort may mean nothing: see that it was not.
	if fd, err := syscall.Open("/", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0); err != syscall.EACCES {
		syscall.Close(fd)
		return errors.New("the kernel confined nothing")
	}
	if r.Supervised {
		if err := beSupervised(); err != nil {
			return err
		}
	}
	// Landlock does not restrict files that somebody had open before chibi started.
	if err := unix.CloseRange(supervisorFile, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("closing descriptors: %w", err)
	}
	err := syscall.Exec(command[0], command, os.Environ())
	return fmt.Errorf("%s: %w", command[0], err)
}

// open opens what a rule is for, for its name only: -1 if it needs no rule, or is missing. A link that has
// taken its place is an error.
func (r Rules) open(path string) (file int, isDirectory bool, err error) {
	if r.isInside(path) {
		return -1, false, nil
	}
	file, err = openAt(unix.AT_FDCWD, path, 0, unix.RESOLVE_NO_SYMLINKS)
	switch {
	case errors.Is(err, unix.ELOOP):
		return -1, false, fmt.Errorf("%s is another one than when the session began: there is a link in its path", path)
	case err != nil:
		return -1, false, nil
	}
	var info unix.Stat_t
	err = unix.Fstat(file, &info)
	return file, info.Mode&unix.S_IFMT == unix.S_IFDIR, err
}

// keptCapabilities are the capabilities that a command of root keeps, which builds, packages and tests need: files in
// reach get owners and modes, servers take small ports, programs become other users. It takes all
// others, capabilities of later kernels too, because they reach around files, which are what Landlock
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
