package registry

import (
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/internal/clip"
)

// DefaultName is the current context of a new home.
const DefaultName = "default"

// ErrExists reports that a context of that name already exists.
var ErrExists = errors.New("there is such a context already")

// MaxName bounds the length of a context's name in bytes.
const MaxName = 128

// ValidName returns an error unless a context may have this name: 1 to 128 letters,
// digits, "-" and "_", and not "-" alone.
func ValidName(name string) error {
	if name == "" || name == "-" || len(name) > MaxName {
		return nameError(name)
	}
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && !('0' <= c && c <= '9') && c != '-' && c != '_' {
			return nameError(name)
		}
	}
	return nil
}

func nameError(name string) error {
	return fmt.Errorf("context name %q is not usable; use 1 to %d letters, digits, - and _", clip.Text(name, 40), MaxName)
}
