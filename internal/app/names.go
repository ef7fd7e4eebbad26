package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
)

// find finds the name of a context that a word asks for, and reports whether the
// name was made for it.
func find(store *contexts.Store, word string) (name string, isNew bool, err error) {
	prefix, hasPrefix := strings.CutPrefix(word, "new:")
	switch {
	case hasPrefix && prefix == "":
		return "", true, errors.New("new: lacks a prefix; write new:PREFIX, or new")
	case hasPrefix:
		name, err = store.NewName(prefix)
		return name, true, err
	case word == "new":
		name, err = store.NewName("")
		return name, true, err
	}
	name, err = Resolve(store, word)
	return name, false, err
}

// Resolve is the name of the context that a word means: "-" is the previous one,
// other words are names.
func Resolve(store *contexts.Store, word string) (string, error) {
	if word != "-" {
		return word, contexts.ValidName(word)
	}
	state, err := store.State()
	if err == nil && state.Previous == "" {
		err = errors.New("there is no previous context; use -c NAME to switch to one")
	}
	return state.Previous, err
}

// Existing is Resolve for a context that must exist.
func Existing(s *Session, word string) (string, error) {
	name, err := Resolve(s.Store, word)
	if err != nil {
		return "", UsageError{err}
	}
	if !s.Store.Exists(name) && name != s.Name() {
		return "", fmt.Errorf("there is no context %q; chibi -L lists them", name)
	}
	return name, nil
}
