package pgstore

import (
	"fmt"

	"github.com/chibi-host/chibi/store"
)

// maxValue bounds a document or record, in bytes.
const maxValue = store.MaxRecord

// checkSize refuses values that are too large.
func checkSize(data []byte) error {
	if len(data) > maxValue {
		return fmt.Errorf("%w: %d bytes in one piece, at most %d", store.ErrTooLarge, len(data), maxValue)
	}
	return nil
}

// keysFrom returns between what the keys with a prefix are: the first is not among them.
func keysFrom(prefix string) (after, before arg) {
	if prefix == "" {
		return text(""), text("\x7f")
	}
	// No key is between a prefix and the one that ends with the character before, followed by
	// the last one of all.
	last := len(prefix) - 1
	return text(prefix[:last] + string(prefix[last]-1) + "\x7f"), text(prefix[:last] + string(prefix[last]+1))
}

// about adds the key or the log to the error that a call returns, if it returns one.
func about(err *error, kind, key string) {
	if *err != nil {
		*err = fmt.Errorf("%s %.80q: %w", kind, key, *err)
	}
}
