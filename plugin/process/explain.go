//go:build unix

package process

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// explain returns why a command could not be started and what to do. The kernel's
// message blames the file even if its interpreter or its directory is the cause.
func explain(c Command, err error) string {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return `it has no "#!" line and is not a program; begin it with #!/bin/sh or another interpreter`
	case errors.Is(err, syscall.E2BIG):
		return "the environment is too large; unset variables that you do not need"
	case c.Dir != "" && !isDir(c.Dir):
		return fmt.Sprintf("its working directory %q does not exist", c.Dir)
	case errors.Is(err, syscall.EACCES):
		return forbidden(c.Path)
	case errors.Is(err, syscall.ENOENT):
		return missing(c.Path)
	}
	return err.Error()
}

// forbidden returns why a file may not be executed.
func forbidden(path string) string {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return "it is a directory, not a program"
	case err == nil && info.Mode()&0o111 == 0:
		return "not executable; run: chmod +x " + path
	}
	return "permission denied; check the permissions of the file and of its interpreter: ls -l " + path
}

// missing returns what was not found: the file or its interpreter.
func missing(path string) string {
	line := firstLine(path)
	interpreter, script := strings.CutPrefix(line, "#!")
	switch {
	case script && strings.HasSuffix(line, "\r"):
		return crLF
	case script:
		return fmt.Sprintf("its interpreter %q (first line) was not found", strings.TrimSpace(interpreter))
	case line != "":
		return "its loader was not found; it may be built for another system"
	}
	return "no such file"
}

const crLF = "its lines end in CR LF, so its interpreter was not found; save it with LF alone"

// misread returns the error of a script whose first line has env look for an interpreter with a
// name that ends in CR; nil for all others.
func misread(path string) error {
	if line := firstLine(path); strings.HasPrefix(line, "#!") && strings.HasSuffix(line, "\r") {
		return fmt.Errorf("%w: %s", ErrStart, crLF)
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// firstLine returns the first line of a file, at most 256 bytes, or "" if the file
// cannot be read.
func firstLine(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	return strings.ToValidUTF8(strings.TrimSuffix(string(line), "\n"), "?")
}
