// Package scratch creates homes for trying plugins: a directory of links to the entries of
// the person's home directory, with an empty chibi home in place of the real one. A plugin
// finds its tools and libraries below $HOME, and what it writes to $HOME/.chibi or
// $CHIBI_HOME does not change the person's chibi home.
//
// Other existing files are the real ones, because writing to a link changes its target:
// this does not protect against malicious plugins. [Home.Remove] removes the links and
// never their targets.
package scratch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
)

const chibiName = ".chibi"

// Real names the real directories that a scratch home replaces.
type Real struct {
	// User is the person's home directory; "" if they have none.
	User string
	// Chibi is the chibi home in use, wherever it is.
	Chibi string
}

// Home is a scratch home.
type Home struct {
	// User is the home directory: links, and Chibi.
	User string
	// Chibi is the chibi home in it, an empty directory.
	Chibi string
	// Unlinked is why there are no links; nil if there are.
	Unlinked error

	real   Real
	linked map[string]bool
	remove func()
}

// Make creates a scratch home whose name contains the purpose.
func Make(purpose string, real Real) (*Home, error) {
	dir, remove, err := disk.MkdirTemp("chibi-" + purpose + "-*")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("creating a scratch home: %w", err)
	}
	h := &Home{User: dir, Chibi: filepath.Join(dir, chibiName), real: real,
		linked: map[string]bool{}, remove: remove}
	if err = disk.MkdirAll(disk.OS{}, h.Chibi, 0o700); err == nil && real.User != "" {
		err = h.link()
	}
	if err != nil {
		remove()
		return nil, fmt.Errorf("creating a scratch home: %w", err)
	}
	return h, nil
}

// link creates a link for each entry of the real home directory. Every name of the chibi
// home in it becomes a link to the scratch one.
func (h *Home) link() error {
	user, err := filepath.Abs(h.real.User)
	if err != nil {
		return err
	}
	entries, err := readNames(user)
	if h.Unlinked = err; err != nil {
		return nil
	}
	for _, name := range entries {
		target := filepath.Join(user, name)
		switch {
		case name == chibiName:
			continue
		case slices.Contains(spellings(h.real.Chibi), target):
			target = chibiName
		}
		if err := os.Symlink(target, filepath.Join(h.User, name)); err != nil {
			return err
		}
		h.linked[name] = true
	}
	return nil
}

// Renew empties the chibi home and removes what was created beside the links, for the
// next trial.
func (h *Home) Renew() error {
	entries, err := readNames(h.User)
	for _, name := range entries {
		if !h.linked[name] {
			disk.RemoveTemp(filepath.Join(h.User, name))
		}
	}
	if err == nil {
		err = disk.MkdirAll(disk.OS{}, h.Chibi, 0o700)
	}
	if err != nil {
		return fmt.Errorf("renewing the scratch home: %w", err)
	}
	return nil
}

func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Environ returns an environment in which HOME is the scratch home, whose contexts are files of
// its own, in no shared store. Base directories (XDG_*) in the real chibi home are moved to the scratch
// one.
func (h *Home) Environ(env []string) []string {
	var moved []string
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "XDG_") {
			pair = name + "=" + h.moved(value)
		}
		if !slices.Contains([]string{"HOME", "CHIBI_HOME", "CHIBI_STORE"}, name) {
			moved = append(moved, pair)
		}
	}
	return append(moved, "HOME="+h.User, "CHIBI_HOME="+h.Chibi)
}

// moved returns a path, or the corresponding path in the scratch home if it is in a real
// chibi home.
func (h *Home) moved(path string) string {
	roots := spellings(h.real.Chibi)
	if h.real.User != "" {
		roots = append(roots, spellings(filepath.Join(h.real.User, chibiName))...)
	}
	for _, root := range roots {
		if rest, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rest) {
			return filepath.Join(h.Chibi, rest)
		}
	}
	return path
}

// spellings returns the absolute path and the path with links resolved.
func spellings(path string) (list []string) {
	if full, err := filepath.Abs(path); err == nil && path != "" {
		list = append(list, full)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && path != "" {
		list = append(list, real)
	}
	return list
}

// Remove removes the home, without the targets of its links.
func (h *Home) Remove() { h.remove() }
