// Package pgtest runs PostgreSQL servers for tests: each has a data directory of its own, listens
// on loopback at a port of its own, and ends with the test or the process.
//
// It promises to start nothing that is not installed: [Installed] reports what is installed, and [Need] skips
// a test where nothing is installed. PostgreSQL refuses to run as root, so for root the package runs it as nobody.
package pgtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/cluster/internal/portstest"
)

// Installed lists the installations of PostgreSQL on this machine, as the directories that have
// bin/postgres: the ones of $CHIBI_POSTGRES, a list as in $PATH, and if it is not set the newest
// of the system.
func Installed() []string {
	if named := os.Getenv("CHIBI_POSTGRES"); named != "" {
		return filepath.SplitList(named)
	}
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*")
	slices.Reverse(dirs)
	if program, err := exec.LookPath("postgres"); err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			dirs = append(dirs, filepath.Dir(filepath.Dir(program)))
		}
	}
	for _, dir := range dirs {
		if isComplete(dir) {
			return []string{dir}
		}
	}
	return nil
}

// isComplete reports whether a directory has what a server needs.
func isComplete(dir string) bool {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(dir, "bin", program)); err != nil {
			return false
		}
	}
	return true
}

// Need returns the first installation. Without one it skips the test and says so; on Debian
// with CI=true, where .ci/cluster/postgres installs it, the test fails.
func Need(tb testing.TB) string {
	tb.Helper()
	portstest.NeedServers(tb)
	list := Installed()
	switch {
	case len(list) == 0 && mustBeThere():
		tb.Fatal("PostgreSQL is not installed; run .ci/cluster/postgres")
	case len(list) == 0:
		tb.Skip("PostgreSQL is not installed here; .ci/cluster/postgres gets it")
	case !isComplete(list[0]):
		tb.Fatalf("%s has no bin/initdb and bin/postgres; CHIBI_POSTGRES names directories that have", list[0])
	}
	return list[0]
}

// mustBeThere reports whether a missing server is a failure.
func mustBeThere() bool {
	_, err := os.Stat("/etc/debian_version")
	return os.Getenv("CI") == "true" && err == nil
}

// Version returns the version of an installation, such as "15.18".
func Version(dir string) (string, error) {
	out, err := exec.Command(filepath.Join(dir, "bin", "postgres"), "--version").Output()
	if err != nil {
		return "", err
	}
	words := strings.Fields(string(out))
	for _, word := range words {
		if word[0] >= '0' && word[0] <= '9' {
			return word, nil
		}
	}
	return strings.TrimSpace(string(out)), nil
}
