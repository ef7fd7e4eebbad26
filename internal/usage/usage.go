// Package usage has the error for what a caller can correct by other options or another
// configuration: the program then ends with the exit status for wrong usage.
package usage

// Error reports that what the caller or the configuration asks for is wrong, so that
// other options or settings help.
type Error struct{ Err error }

// Error returns the text of the wrapped error.
func (e Error) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e Error) Unwrap() error { return e.Err }
