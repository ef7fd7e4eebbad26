package typing

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// Quiet makes a terminal keep what is typed for the next read, key by key and without showing
// it, until the returned function is called. Ctrl-C is a signal as before.
func Quiet(in *os.File) (restore func(), err error) {
	console := windows.Handle(in.Fd())
	var before uint32
	if err := windows.GetConsoleMode(console, &before); err != nil {
		return nil, fmt.Errorf("preparing the terminal: %w", err)
	}
	quiet := before &^ (windows.ENABLE_ECHO_INPUT | windows.ENABLE_LINE_INPUT)
	if err := windows.SetConsoleMode(console, quiet); err != nil {
		return nil, fmt.Errorf("preparing the terminal: %w", err)
	}
	return func() { windows.SetConsoleMode(console, before) }, nil
}

// InForeground returns true: there are no background jobs of a shell.
func InForeground(*os.File) bool { return true }
