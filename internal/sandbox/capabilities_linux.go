package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// dropCapabilities takes from this thread, and from what it executes, the capabilities with which
// root looks into other processes although Landlock forbids it: /proc/PID/environ is open to
// CAP_PERFMON, which is part of CAP_SYS_ADMIN. A process without them has nothing to drop.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return fmt.Errorf("reading its capabilities: %w", err)
	}
	for _, capability := range []uint{unix.CAP_SYS_ADMIN, unix.CAP_PERFMON, unix.CAP_SYS_PTRACE} {
		word, bit := capability/32, uint32(1)<<(capability%32)
		if (has[word].Permitted|has[word].Effective|has[word].Inheritable)&bit == 0 {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(capability), 0, 0, 0); err != nil {
			return fmt.Errorf("dropping capability %d: %w", capability, err)
		}
		has[word].Permitted &^= bit
		has[word].Effective &^= bit
		has[word].Inheritable &^= bit
	}
	if err := unix.Capset(&header, &has[0]); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	return nil
}
