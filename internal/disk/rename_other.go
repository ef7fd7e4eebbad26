//go:build !linux

package disk

func renameNew(from, to string) error { return renameChecked(from, to) }
