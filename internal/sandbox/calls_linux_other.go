//go:build linux && !amd64 && !arm64

package sandbox

// nativeArchitecture 0: calls are not supervised.
const nativeArchitecture = 0

func olderCalls() map[uint32]reading { return nil }

func otherABIs() []abi { return nil }
