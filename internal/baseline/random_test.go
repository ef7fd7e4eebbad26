//go:build unix

package baseline_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/internal/baseline"
)

// TestAnythingIsPutBack: whatever is done to the names that are watched, all of it is found and put
// back, and nothing outside changes.
func TestAnythingIsPutBack(t *testing.T) {
	rounds := 40
	if n, err := strconv.Atoi(os.Getenv("CHIBI_ROUNDS")); err == nil {
		rounds = n
	}
	for seed := range rounds {
		p := newProject(t)
		p.write("../outside/pre-push", "mine")
		outside := filepath.Join(filepath.Dir(p.root), "outside")
		w := baseline.New(baseline.Options{Dirs: []string{p.root}})
		before := w.Take(nil)
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		for range 1 + r.IntN(8) {
			p.disturb(r)
		}
		untouched := state(t, outside) // what was done there through a link, nobody undoes
		putBack(t, w, before)
		if is := state(t, outside); !slices.Equal(is, untouched) {
			t.Errorf("outside: %q", is)
		}
		for name, text := range files() {
			is, err := os.ReadFile(p.path(name))
			isHook := strings.Contains(name, "hooks/") && !strings.HasSuffix(name, ".sample")
			if isHook && (err != nil || string(is) != text) {
				t.Errorf("%s: %q, %v", name, is, err)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// disturb does something to a name that is watched, or above one. What fails is not done.
func (p project) disturb(r *rand.Rand) {
	names := []string{".git", ".git/hooks", ".git/config", ".git/hooks/pre-push", ".git/hooks/lib", ".git/hooks/lib/a",
		".git/commondir", ".git/worktrees/w/commondir", ".git/modules/lib/s/config", ".git/modules",
		".git/modules/lib/s/hooks",
		".claude", ".claude/settings.json", ".claude/new/a/b", ".mcp.json", ".chibi", ".chibi/recipes/r",
		".git/config.worktree"}
	name := p.path(names[r.IntN(len(names))])
	other := p.path(names[r.IntN(len(names))])
	switch r.IntN(9) {
	case 0:
		os.MkdirAll(filepath.Dir(name), 0o755)
		os.WriteFile(name, []byte("[core]\n\tpager = "+strconv.Itoa(r.IntN(3))+"\n"), 0o644)
	case 1:
		os.RemoveAll(name)
	case 2:
		os.Rename(name, other)
	case 3:
		os.Remove(name)
		os.Symlink("../outside", name)
	case 4:
		os.RemoveAll(name)
		os.Symlink(filepath.Join(p.root, "../outside"), name)
	case 5:
		os.Remove(name)
		syscall.Mkfifo(name, 0o600)
	case 6:
		os.Chmod(name, []os.FileMode{0, 0o500, 0o777, 0o644}[r.IntN(4)])
	case 7:
		os.Link(name, other)
	case 8:
		os.RemoveAll(other)
		os.MkdirAll(filepath.Join(other, "x"), 0o755)
	}
}

// TestTheOrdinaryWorkOfGit is no concern.
func TestTheOrdinaryWorkOfGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := baseline.New(baseline.Options{Dirs: []string{root}, Projects: []string{root}})
	before := w.Take(nil)
	for _, line := range []string{
		"init", "init sub", "-C sub commit --allow-empty -m one", "config user.name me", "config user.email me@here",
		"commit --allow-empty -m one", "remote add origin ./sub", "fetch origin", "branch work", "checkout work",
		"config branch.work.description text", "config --unset branch.work.description", "config alias.st status",
		"worktree add tree",
		"-c protocol.file.allow=always submodule add ROOT/sub lib", "commit -m lib", "submodule update",
		"sparse-checkout set --no-cone lib", "stash", "gc", "clone . copy",
		"config core.fsmonitor true", "config core.autocrlf input", "notes add -m note", "tag v1", "maintenance run",
		"worktree remove tree", "config core.bare false", "rebase HEAD", "status",
	} {
		cmd := exec.Command(git, strings.Fields(strings.ReplaceAll(line, "ROOT", root))...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GIT_AUTHOR_NAME=me", "GIT_AUTHOR_EMAIL=me@here",
			"GIT_COMMITTER_NAME=me", "GIT_COMMITTER_EMAIL=me@here", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("git %s: %v: %s", line, err, out)
		}
		now := w.Take(before)
		if changes := before.Compare(now); len(changes) > 0 {
			t.Errorf("git %s: %v", line, told(project{t, root}, changes))
		}
		before = now
	}
}
