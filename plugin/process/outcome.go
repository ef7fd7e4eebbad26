package process

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
)

// Err describes how a process failed: its exit status or signal, and the last line of
// its standard error. It is nil for a process that succeeded.
func (o Outcome) Err() error {
	if o.Ok() {
		return nil
	}
	how := fmt.Sprintf("exit status %d", o.Exit)
	switch {
	case o.Signal != "":
		how = "ended by signal: " + o.Signal
	case o.Exit < 0:
		how = "its exit status is unknown; the program that runs it must not ignore SIGCHLD"
	}
	if line := o.LastLine(); line != "" {
		return fmt.Errorf("%s (%s)", how, line)
	}
	return fmt.Errorf("%s", how)
}

// LastLine returns the last line of standard error that is not blank, shortened for a
// message; "" if there is none. Node prints a stack and its version after an error; there it
// returns the line before these.
func (o Outcome) LastLine() string {
	lines := strings.Split(strings.TrimSpace(o.Stderr), "\n")
	last := len(lines) - 1
	if strings.HasPrefix(lines[last], "Node.js v") {
		for i, line := range lines[:last] {
			if line != "" && line[0] != ' ' && strings.Contains(line, "Error") {
				last = i
			}
		}
	}
	return clip.Text(strings.TrimSpace(lines[last]), 200)
}
