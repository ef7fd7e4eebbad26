// Package childtest lets a test run a part of itself in a child process. The testing package
// writes nothing to the standard output of the child, whatever the flags of the tests.
package childtest

import (
	"os"
	"os/signal"
	"strings"
	"testing"
)

// Do runs the work of the child if this process is one, that is, if the variable is set. In
// the child it does not return.
func Do(t *testing.T, variable string, work func(value string)) {
	t.Helper()
	value, isChild := os.LookupEnv(variable)
	if !isChild {
		return
	}
	os.Unsetenv(variable) // not for the child's own children
	if signal.Ignored(os.Interrupt) {
		// So it is behind & in a script. As chibi does: Ctrl-C ends its processes all the same.
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	work(value)
	if t.Failed() {
		t.FailNow() // prints the reason
	}
	os.Exit(0)
}

// Command returns the program and the arguments of a child of a test.
func Command(t testing.TB) []string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return []string{os.Args[0], "-test.run=^" + name + "$"}
}

// Environ returns the environment of a child: the environment of this process and the variable.
func Environ(t *testing.T, variable, value string) []string {
	env := append(os.Environ(), variable+"="+value)
	if testing.CoverMode() != "" { // otherwise the child warns that GOCOVERDIR is not set
		env = append(env, "GOCOVERDIR="+t.TempDir())
	}
	return env
}
