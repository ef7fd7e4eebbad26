// Package childtest lets a test run a part of itself in a process of its own,
// whose standard output is its own: the testing package writes nothing to it,
// whatever flags the tests are run with.
package childtest

import (
	"os"
	"strings"
	"testing"
)

// Do does the work of a child, if this process is one: if the variable is set. It
// does not return then.
func Do(t *testing.T, variable string, work func(value string)) {
	t.Helper()
	value, isChild := os.LookupEnv(variable)
	if !isChild {
		return
	}
	os.Unsetenv(variable) // the child's children are others
	work(value)
	if t.Failed() {
		t.FailNow() // says why
	}
	os.Exit(0)
}

// Command is the program and the arguments of a child of a test.
func Command(t *testing.T) []string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return []string{os.Args[0], "-test.run=^" + name + "$"}
}

// Environ is the environment of a child: that of this process and the variable
// that makes it one.
func Environ(t *testing.T, variable, value string) []string {
	env := append(os.Environ(), variable+"="+value)
	if testing.CoverMode() != "" { // else it says that there is no place for what it covers
		env = append(env, "GOCOVERDIR="+t.TempDir())
	}
	return env
}
