package merge

import (
	"slices"

	"github.com/tidwall/gjson"
)

// Diff lists the deepest places in which two JSON values differ, as sorted JSON
// Pointers. Arrays are atoms, as they are for [Patch]. Nil: they are equal.
func Diff(before, after []byte) []string {
	paths := diff("", gjson.ParseBytes(before), gjson.ParseBytes(after))
	slices.Sort(paths)
	return paths
}

func diff(path string, before, after gjson.Result) []string {
	if !before.IsObject() || !after.IsObject() {
		if equal(before, after) {
			return nil
		}
		return []string{path}
	}
	var paths []string
	old, new := membersOf(before.Raw), membersOf(after.Raw)
	for key := range old.last {
		was, _ := old.find(key)
		is, kept := new.find(key)
		if !kept {
			paths = append(paths, pointer(path, key))
			continue
		}
		paths = append(paths, diff(pointer(path, key), gjson.Parse(was.value), gjson.Parse(is.value))...)
	}
	for key := range new.last {
		if _, known := old.find(key); !known {
			paths = append(paths, pointer(path, key))
		}
	}
	return paths
}

// touched lists the places that a merge patch would really change. Unlike Diff
// it looks only at what the patch names.
func touched(path string, doc, patch gjson.Result) []string {
	if !patch.IsObject() || !doc.IsObject() {
		if doc.Exists() && equal(doc, patch) {
			return nil
		}
		return []string{path}
	}
	var paths []string
	old := membersOf(doc.Raw)
	changes := membersOf(patch.Raw)
	for i, m := range changes.list {
		if !changes.isLast(i) {
			continue
		}
		was, known := old.find(m.key)
		switch {
		case known && m.value != "null":
			paths = append(paths, touched(pointer(path, m.key), gjson.Parse(was.value), gjson.Parse(m.value))...)
		case known || m.value != "null":
			paths = append(paths, pointer(path, m.key))
		}
	}
	return paths
}
