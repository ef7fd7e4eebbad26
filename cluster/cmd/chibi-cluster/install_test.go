package main

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/systest"
)

// The modules of this repository, and a version that none of them had.
const (
	chibiModule   = "github.com/chibi-host/chibi"
	clusterModule = chibiModule + "/cluster"
	someVersion   = "v1.987.6"
)

// TestItIsInstalledByItsName releases both modules to a proxy that is a directory, as
// cluster/version says, and installs the program from there: nothing that a release needs is
// missing, and nothing of this checkout is used. As that compiles everything, CHIBI_TEST_ALL=1 asks for it.
func TestItIsInstalledByItsName(t *testing.T) {
	if !systest.All() {
		t.Skip("CHIBI_TEST_ALL is not set")
	}
	tree, proxy, bin := checkout(t), t.TempDir(), t.TempDir()
	command(t, filepath.Join(tree, "cluster/version"), someVersion)
	command(t, filepath.Join(tree, "cluster/version"), "-check", someVersion)
	publish(t, proxy, chibiModule, tree)
	publish(t, proxy, clusterModule, filepath.Join(tree, "cluster"))

	cache := strings.TrimSpace(command(t, "go", "env", "GOMODCACHE"))
	install := exec.Command("go", "install", "-trimpath", clusterModule+"/cmd/chibi-cluster@"+someVersion)
	install.Dir = t.TempDir()
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOMODCACHE="+t.TempDir(), "GOFLAGS=-modcacherw", "GOSUMDB=off",
		"GOWORK=off", fmt.Sprintf("GOPROXY=file://%s,file://%s/cache/download,off", proxy, cache))
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}

	program := exec.Command(filepath.Join(bin, "chibi-cluster"), "--version")
	program.Env = append(os.Environ(), "HOME="+t.TempDir(), "CHIBI_HOME=", "CHIBI_STORE=")
	out, err := program.CombinedOutput()
	if err != nil || !strings.Contains(string(out), someVersion) {
		t.Errorf("--version says %q: %v", out, err)
	}
}

// TestNoModuleHasAReplace: go install refuses a module with one.
func TestNoModuleHasAReplace(t *testing.T) {
	for _, file := range []string{"../../../go.mod", "../../go.mod"} {
		out := command(t, "go", "mod", "edit", "-json", file)
		if !strings.Contains(out, `"Replace": null`) {
			t.Errorf("%s has a replace:\n%s", file, out)
		}
	}
}

// TestThePlainProgramHasNoEngine: what the plain program is built from has no client of a
// database.
func TestThePlainProgramHasNoEngine(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	list.Dir, list.Env = "../../..", append(os.Environ(), "GOWORK=off")
	out, err := list.CombinedOutput()
	if err != nil || !strings.Contains(string(out), chibiModule+"\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	for path := range strings.Lines(string(out)) {
		if strings.Contains(path, "/nats-io/") || strings.Contains(path, "/jackc/") ||
			strings.HasPrefix(path, clusterModule) {
			t.Errorf("the plain program has a package of %s", path)
		}
	}
}

// checkout copies the files that git keeps, as they are now.
func checkout(t *testing.T) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	list, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Skip("this is not a git checkout")
	}
	dir = t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		from, to := filepath.Join(root, name), filepath.Join(dir, name)
		info, err := os.Lstat(from)
		if err != nil || !info.Mode().IsRegular() {
			continue // removed, and not committed yet; or a link, which a module does not have
		}
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, text, info.Mode().Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// publish puts a version of a module into a directory that is a proxy.
func publish(t *testing.T, proxy, module, dir string) {
	t.Helper()
	folder := filepath.Join(proxy, module, "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list":                someVersion + "\n",
		someVersion + ".info": `{"Version": "` + someVersion + `"}`,
		someVersion + ".mod":  string(mod),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(filepath.Join(folder, someVersion+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(file)
	pack(t, w, module+"@"+someVersion+"/", os.DirFS(dir))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// pack writes the files of a module, below a prefix. Directories with a go.mod are modules of
// their own.
func pack(t *testing.T, w *zip.Writer, prefix string, tree fs.FS) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := fs.Stat(tree, name+"/go.mod"); err == nil && name != "." {
				return fs.SkipDir
			}
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		entry, err := w.Create(prefix + name)
		if err == nil {
			_, err = entry.Write(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// command runs a program and returns what it prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
