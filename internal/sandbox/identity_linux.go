package sandbox

import (
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/chibi-host/chibi/internal/disk"
	"golang.org/x/sys/unix"
)

// identity is what a thread's rights on files depend on.
type identity struct {
	process     int // to which the thread belongs
	user, group int
	groups      []uint32
	effective   uint64 // capabilities
}

func identityOf(status string) (who identity, err error) {
	text, err := disk.ReadFile(disk.OS{}, status, 1<<20) // groups are at most 65,536
	if err != nil {
		return who, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		switch {
		case name == "Tgid" && len(fields) == 1:
			who.process, err = strconv.Atoi(fields[0])
		case name == "Uid" && len(fields) == 4: // real, effective, saved, that for files
			who.user, err = strconv.Atoi(fields[3])
		case name == "Gid" && len(fields) == 4:
			who.group, err = strconv.Atoi(fields[3])
		case name == "Groups":
			who.groups, err = numbers(fields)
		case name == "CapEff" && len(fields) == 1:
			who.effective, err = strconv.ParseUint(fields[0], 16, 64)
			return who, err // the last one
		}
		if err != nil {
			return who, err
		}
	}
	return who, errors.New("the kernel tells no identity")
}

func numbers(fields []string) (list []uint32, err error) {
	for _, field := range fields {
		number, err := strconv.ParseUint(field, 10, 32)
		if err != nil {
			return nil, err
		}
		list = append(list, uint32(number))
	}
	return list, nil
}

func (who identity) equal(other identity) bool {
	return who.user == other.user && who.group == other.group && who.effective == other.effective &&
		slices.Equal(who.groups, other.groups)
}

// errStuck means that a thread has kept the identity of another one.
var errStuck = errors.New("this thread has the identity of another one")

// as acts with the rights of another identity: a root that acts for a confined command, which has
// lost capabilities or become another user, gives back none of its own. After errStuck the goroutine
// must end, and its thread with it.
func (own identity) as(who identity, act func() error) error {
	if own.equal(who) {
		return act()
	}
	runtime.LockOSThread() // identities belong to a thread
	if err := setGroups(own.groups, who.groups); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	err := setUser(who)
	if err == nil {
		err = setEffective(who.effective & own.effective)
	}
	if err == nil {
		err = act()
	}
	// To take the own identity back needs its capabilities, and another user may change them.
	if errors.Join(setEffective(own.effective), setUser(own), setEffective(own.effective),
		setGroups(who.groups, own.groups)) != nil {
		return errStuck
	}
	runtime.UnlockOSThread()
	return err
}

func setGroups(old, groups []uint32) error {
	if slices.Equal(old, groups) {
		return nil // it may not be allowed to
	}
	list := append(slices.Clip(groups), 0) // so that there is a first one
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&list[0])), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// setUser gives this thread the user and the group of an identity, for files.
func setUser(who identity) error {
	const ask = -1 // the calls report no error
	unix.SetfsgidRetGid(who.group)
	unix.SetfsuidRetUid(who.user)
	group, _ := unix.SetfsgidRetGid(ask)
	user, _ := unix.SetfsuidRetUid(ask)
	if user != who.user || group != who.group {
		return unix.EPERM
	}
	return nil
}

// setEffective makes capabilities that this thread may have those that it uses.
func setEffective(set uint64) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return err
	}
	has[0].Effective, has[1].Effective = uint32(set), uint32(set>>32)
	return unix.Capset(&header, &has[0])
}
