package installed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/plugin/process"
)

const cloneTimeout = 5 * time.Minute

// Source is a plugin that can be installed.
type Source struct {
	// Name is the name that the plugin gets.
	Name string
	// Path is its file or directory on this machine. A repository was cloned into a
	// temporary directory.
	Path string

	given  string // by the person: a path or an address
	remove func()
}

// Fetch finds the plugin that a path or the address of a repository names. A
// repository is cloned. The caller closes the source.
func Fetch(ctx context.Context, runner process.Runner, given string) (Source, error) {
	s := Source{given: given, remove: func() {}}
	var err error
	switch _, missing := os.Stat(given); {
	case missing == nil:
		s.Path, err = filepath.Abs(given)
	case !IsAddress(given):
		return Source{}, fmt.Errorf("there is no file or directory %s", given)
	default:
		s.Path, s.remove, err = clone(ctx, runner, given)
	}
	if err != nil {
		return Source{}, err
	}
	s.Name = filepath.Base(s.Path)
	return s, nil
}

// Close removes what was cloned.
func (s Source) Close() { s.remove() }

// IsAddress reports whether a text is the address of a repository, not a path.
func IsAddress(given string) bool {
	return strings.Contains(given, "://") || strings.HasPrefix(given, "git@")
}

func clone(ctx context.Context, runner process.Runner, address string) (path string, remove func(), err error) {
	git, ok := runner.LookPath("git")
	if !ok {
		return "", nil, errors.New("git is not installed; install it, or clone the plugin by other means")
	}
	dir, remove, err := disk.MkdirTemp("chibi-install-*")
	if err != nil {
		return "", nil, fmt.Errorf("making a temporary directory: %w", err)
	}
	path = filepath.Join(dir, strings.TrimSuffix(filepath.Base(address), ".git"))
	runner.Env = append(slices.Clone(runner.Env), "GIT_TERMINAL_PROMPT=0")
	out, err := runner.Run(ctx, process.Command{Path: git,
		Args: []string{"clone", "--quiet", "--depth", "1", "--", address, path}, Timeout: cloneTimeout})
	if err == nil {
		err = out.Err()
	}
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("cloning %s: %w", address, err)
	}
	return path, remove, nil
}

// Check refuses what is not a plugin.
func (s Source) Check() error {
	path := s.Path
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		main := filepath.Join(path, filepath.Base(path))
		if info, err = os.Stat(main); err != nil {
			return fmt.Errorf("%s is a directory without an executable %s in it", path, filepath.Base(path))
		}
		path = main
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is not executable; run: chmod +x %s", path, path)
	}
	return nil
}
