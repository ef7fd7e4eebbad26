//go:build !linux

package disk

import "errors"

// exchange is there on Linux only.
func exchange(_, _ string) error { return errors.ErrUnsupported }

// hold does nothing: leases are there on Linux only.
func hold(File) (isHeld bool, err error) { return false, nil }

// isWanted is not known.
func isWanted(File) bool { return false }
