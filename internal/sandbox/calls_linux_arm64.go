package sandbox

import "golang.org/x/sys/unix"

const nativeArchitecture = unix.AUDIT_ARCH_AARCH64

// olderCalls: this processor has none.
func olderCalls() map[uint32]reading { return nil }

// otherABIs: 32-bit programs do not run.
func otherABIs() []abi { return nil }
