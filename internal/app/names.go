package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts"
)

// find returns the name of the context that a word asks for, and reports whether the
// name is a new one.
func find(ctx context.Context, store contexts.Home, word string) (name string, isNew bool, err error) {
	prefix, hasPrefix := strings.CutPrefix(word, "new:")
	switch {
	case hasPrefix && prefix == "":
		return "", true, errors.New("new: lacks a prefix; write new:PREFIX, or new")
	case hasPrefix:
		name, err = store.NewName(ctx, prefix)
		return name, true, err
	case word == "new":
		name, err = store.NewName(ctx, "")
		return name, true, err
	}
	name, err = Resolve(ctx, store, word)
	return name, false, err
}

// Resolve returns the name of the context that a word means: "-" is the previous one,
// other words are names.
func Resolve(ctx context.Context, store contexts.Registry, word string) (string, error) {
	if word != "-" {
		return word, contexts.ValidName(word)
	}
	state, err := store.State(ctx)
	if err == nil && state.Previous == "" {
		err = errors.New("there is no previous context; use -c NAME to switch to one")
	}
	return state.Previous, err
}

// Existing is like [Resolve], for a context that must exist.
func Existing(ctx context.Context, s *Session, word string) (string, error) {
	name, err := Resolve(ctx, s.Store, word)
	if err != nil {
		return "", UsageError{Err: err}
	}
	if !s.Store.Exists(ctx, name) && name != s.Name() {
		return "", fmt.Errorf("there is no context %q; chibi -L lists them", name)
	}
	return name, nil
}
