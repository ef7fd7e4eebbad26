package store

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrNotFound reports that there is no such document, log or blob.
	ErrNotFound = errors.New("not found in the store")
	// ErrConflict reports that somebody else was first. Nothing was written; read again.
	ErrConflict = errors.New("somebody else has changed it in the store")
	// ErrTooLarge reports a value that is larger than the engine takes in one piece, or a
	// store that is full. Nothing was written.
	ErrTooLarge = errors.New("it is too large for the store, or the store is full")
	// ErrUnavailable reports that the store did not answer in time. A write may have
	// happened: the same call with the same id is safe.
	ErrUnavailable = errors.New("the store is not available")
	// ErrLost reports that a lease ran out or was taken away.
	ErrLost = errors.New("the lease on the store was lost")
	// ErrDenied reports that the store's user lacks a permission; the error that wraps it
	// names the permission.
	ErrDenied = errors.New("the store does not permit it")
)

// DamageError reports a record of a log that cannot be used. The records before it were read, and a
// reader can go on behind it.
type DamageError struct {
	// Pos is its position, and Time when it was stored, by the store's clock.
	Pos  uint64
	Time time.Time
	// Data is its present bytes, which are foreign.
	Data []byte
	// Err says what is wrong.
	Err error
}

// Error names the record.
func (e *DamageError) Error() string { return fmt.Sprintf("record %d is damaged: %v", e.Pos, e.Err) }

// Unwrap returns what is wrong.
func (e *DamageError) Unwrap() error { return e.Err }

// HeldError reports that somebody else holds a lease.
type HeldError struct {
	// Holder is the holder's description of itself when it took the lease: foreign bytes.
	Holder []byte
	// Expires is when the lease ends unless it is renewed, by the clock of this machine;
	// zero if that is unknown.
	Expires time.Time
}

// Error says that the lease is held, and until when.
func (e *HeldError) Error() string {
	if e.Expires.IsZero() {
		return "the lease is held by somebody else"
	}
	return "the lease is held by somebody else until " + e.Expires.Local().Format(time.DateTime)
}

// FormatError reports a store whose format this program does not know.
type FormatError struct {
	// Found is the format number of the store. Oldest and Known are the oldest and the newest
	// that this program knows.
	Found, Oldest, Known int
	// By is the version of the program that wrote the number, "" if that is unknown.
	By string
}

// Error names the formats and says what to do.
func (e *FormatError) Error() string {
	by := ""
	if e.By != "" {
		by = " (written by " + e.By + ")"
	}
	if e.Found < e.Oldest {
		return fmt.Sprintf("the store has format %d%s, and this program knows formats from %d on; first run "+
			"chibi store init of a version that knows both", e.Found, by, e.Oldest)
	}
	return fmt.Sprintf("the store has format %d%s, and this program knows formats up to %d; use a newer chibi",
		e.Found, by, e.Known)
}
