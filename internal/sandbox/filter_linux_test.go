package sandbox

import (
	"testing"

	"golang.org/x/sys/unix"
)

// decide runs a filter with a call whose first argument is 0, unless it is given.
func decide(t *testing.T, filter []unix.SockFilter, architecture, number uint32, argument ...uint32) uint32 {
	t.Helper()
	var value uint32
	for at := 0; at < len(filter); at++ {
		yes, i := false, filter[at]
		switch i.Code {
		case load:
			value = map[uint32]uint32{0: number, 4: architecture, 16: append(argument, 0)[0]}[i.K]
			continue
		case answer:
			return i.K
		case isEqual:
			yes = value == i.K
		case isAbove:
			yes = value > i.K
		}
		if yes {
			at += int(i.Jt)
		} else {
			at += int(i.Jf)
		}
	}
	t.Fatalf("call %d has no answer", number)
	return 0
}

func TestWhatTheFilterDoes(t *testing.T) {
	if nativeArchitecture == 0 {
		t.Skip("calls are not supervised on this processor")
	}
	sets := append(otherABIs(), nativeABI())
	filter := program(sets...)
	for _, set := range sets {
		for number := range set.last + 1 {
			want, special := set.actions[number]
			if !special {
				want = unix.SECCOMP_RET_ALLOW
			}
			if got := decide(t, filter, set.architecture, number); got != want {
				t.Errorf("%x, call %d: %x, want %x", set.architecture, number, got, want)
			}
		}
		if got := decide(t, filter, set.architecture, set.limit, 1); got != refuse {
			t.Errorf("%x, limits of another process: %x, want them refused", set.architecture, got)
		}
		for _, number := range []uint32{set.last + 1, 0x40000000, 0x40000000 | unix.SYS_FCHMODAT, 1<<32 - 1} {
			if got := decide(t, filter, set.architecture, number); got != missing {
				t.Errorf("%x, call %d: %x, want it missing", set.architecture, number, got)
			}
		}
	}
	if got := decide(t, filter, unix.AUDIT_ARCH_S390, 1); got != unix.SECCOMP_RET_KILL_PROCESS {
		t.Errorf("another processor's call: %x", got)
	}
	for name, number := range map[string]uint32{"fchmodat": unix.SYS_FCHMODAT, "fchmod": unix.SYS_FCHMOD,
		"fchmodat2": unix.SYS_FCHMODAT2, "fchownat": unix.SYS_FCHOWNAT, "utimensat": unix.SYS_UTIMENSAT,
		"setxattr": unix.SYS_SETXATTR, "lremovexattr": unix.SYS_LREMOVEXATTR} {
		if got := decide(t, filter, nativeArchitecture, number); got != ask {
			t.Errorf("%s: %x, want it asked", name, got)
		}
	}
}
