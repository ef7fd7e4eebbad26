// Package project says where a run works: the current directory, the project that it belongs
// to, the person's home, and the parts of the project that the person has approved.
//
// It promises that a part of a project counts as approved only if package trust finds it
// approved, and that the person's home, and what is above it, is never a project.
package project

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/trust"
)

// Project is the current directory with the approval of its files.
type Project struct {
	// Dir is its real path; "" if there is none.
	Dir string
	// Root is the directory of the project that it belongs to.
	Root string
	// User is the person's home directory, "" if there is none.
	User string
	// Own is true if it is the person's home directory or there is none: nothing in it
	// needs approval.
	Own bool
	// Approval is what is approved in this session.
	Approval trust.Approval
	// Stored is what is approved for longer.
	Stored trust.Approval
	// IsOpened says that all of this is known.
	IsOpened bool
}

// Options say how a project is opened.
type Options struct {
	// Home is the directory in which approvals are kept.
	Home string
	// Trusted returns what is approved for this session only; nil: nothing is.
	Trusted func(Project) []trust.Seen
	// Notice gets what it cannot find out.
	Notice func(string)
}

// Open looks up what is approved in the current directory. Without a current directory, as
// when it was removed, there is no project.
func Open(o Options) Project {
	p, err := Find(".")
	if err != nil {
		o.Notice(err.Error())
		p = Project{User: UserHome(), Own: true}
	}
	p.Root, p.IsOpened = rootOf(p.Dir, os.Getenv), true
	if p.Own {
		return p
	}
	if p.Stored, err = trust.Open(o.Home).Find(p.Dir); err != nil {
		o.Notice(err.Error())
		p.Stored = trust.Approval{Project: p.Dir}
	}
	p.Approval = p.Stored
	if o.Trusted != nil {
		p.Approval = p.Approve(o.Trusted(p))
	}
	return p
}

// Find describes a directory as a project. Nothing of it is approved yet.
func Find(path string) (Project, error) {
	dir, err := trust.RealPath(path)
	if err != nil {
		return Project{}, fmt.Errorf("finding the directory %q: %w; put -- before it if it is a prompt", path, err)
	}
	p := Project{Dir: dir, User: UserHome(), Approval: trust.Approval{Project: dir}}
	if real, err := trust.RealPath(p.User); err == nil && p.User != "" {
		p.Own = real == dir
	}
	return p, nil
}

// UserHome returns the person's home directory, "" if there is none.
func UserHome() string {
	home, _ := os.UserHomeDir()
	return home
}

// InHome returns a path with the person's home directory for "~".
func InHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(UserHome(), rest)
	}
	return path
}

// FullPaths returns paths of the configuration as absolute ones.
func FullPaths(paths []string) (list []string) {
	for _, path := range paths {
		if absolute, err := filepath.Abs(InHome(path)); err == nil {
			list = append(list, absolute)
		}
	}
	return list
}

// Below returns a path of the project relative to its directory.
func (p Project) Below(path string) string { return below(p.Dir, path) }

// BelowRoot returns a path relative to the root of the project.
func (p Project) BelowRoot(path string) string { return below(p.Folders()[0], path) }

func below(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return path
	}
	return rel
}

// Upward lists the directories of the project from the current one up to its root. Of the
// person's home there is only that itself.
func (p Project) Upward() []string {
	switch {
	case p.Dir == "":
		return nil
	case p.Own:
		return []string{p.Dir}
	}
	dirs := p.Folders()
	slices.Reverse(dirs)
	return dirs
}

// Folders lists the directories of the project from its root down to the current one. The
// person's home and the directories above it are not part of a project.
func (p Project) Folders() (list []string) {
	home, _ := trust.RealPath(p.User)
	root := p.Root
	if !p.IsOpened {
		root = rootOf(p.Dir, os.Getenv)
	}
	for _, dir := range Folders(root, p.Dir) {
		if p.User == "" || !isAbove(dir, home) {
			list = append(list, dir)
		}
	}
	return list
}

// Folders lists the directories from a root down to a directory below it; of another
// directory only itself.
func Folders(root, dir string) []string {
	rel, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return []string{dir}
	}
	list := []string{root}
	if rel != "." {
		for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
			list = append(list, filepath.Join(list[len(list)-1], part))
		}
	}
	return list
}
