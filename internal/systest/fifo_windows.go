package systest

import "errors"

// Mkfifo makes a named pipe where a file can be one.
func Mkfifo(string) error { return errors.ErrUnsupported }
