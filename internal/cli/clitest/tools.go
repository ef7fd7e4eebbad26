package clitest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// JQ returns a directory with a jq, on machines that have none; root is the checkout.
func JQ(t testing.TB, root string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if _, err := exec.LookPath("jq"); err == nil {
		return dir
	}
	build := exec.Command("go", "build", "-cover=false", "-o", filepath.Join(dir, "jq"),
		"github.com/itchyny/gojq/cmd/gojq")
	build.Dir = filepath.Join(root, ".ci/tools")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building gojq: %v\n%s", err, out)
	}
	return dir
}

// GoEnv returns what go env says about a variable.
func GoEnv(t testing.TB, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
