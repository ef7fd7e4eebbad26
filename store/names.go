package store

import (
	"fmt"
	"strings"
)

// MaxKey bounds a key and the name of a log, in bytes.
const MaxKey = 512

// MaxHolder bounds a holder's description of itself, in bytes.
const MaxHolder = 4 << 10

// MaxRecord is the size up to which every engine takes a record, in bytes.
const MaxRecord = 64 << 20

// CheckKey reports a key that documents, blobs and leases may not have: every engine
// calls it before a key becomes a part of a subject, a path or a statement.
func CheckKey(key string) error {
	for part := range strings.SplitSeq(key, ".") {
		if part == "" {
			return fmt.Errorf("%.80q is not a key: its parts are joined by one dot each", key)
		}
	}
	return checkName(key, "key", true)
}

// CheckPrefix reports a prefix that no key can have.
func CheckPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return checkName(prefix, "prefix of keys", true)
}

// CheckLog reports a name that a log may not have.
func CheckLog(log string) error { return checkName(log, "name of a log", false) }

// CheckID reports an id that a record may not have.
func CheckID(id string) error {
	if len(id) > 64 {
		return fmt.Errorf("%.80q is not an id of a record: it is longer than 64 bytes", id)
	}
	return checkName(id, "id of a record", false)
}

// checkName checks the characters and the length of a name of some kind.
func checkName(name, kind string, dots bool) error {
	if name == "" || len(name) > MaxKey {
		return fmt.Errorf("%.80q is not a %s: it has %d bytes, of 1 to %d", name, kind, len(name), MaxKey)
	}
	for _, r := range name {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '.' && dots {
			continue
		}
		return fmt.Errorf("%.80q is not a %s: %q may not be in it", name, kind, r)
	}
	return nil
}
