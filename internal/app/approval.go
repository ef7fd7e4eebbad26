package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/chibi-host/chibi/internal/instructions"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
)

// folders lists the directories of the project from its root down to the current one. The
// person's home and what is above it are no part of a project.
func (p Project) folders() (list []string) {
	home, _ := trust.RealPath(p.User)
	root := p.Root
	if !p.isOpened {
		root = projectRoot(p.Dir, os.Getenv)
	}
	for _, dir := range instructions.Folders(root, p.Dir) {
		if p.User == "" || !isAbove(dir, home) {
			list = append(list, dir)
		}
	}
	return list
}

// approvedContent returns a check of texts of the project: one of the approvals of its
// directories must have them.
func (p Project) approvedContent(home string) func(string, []byte, fs.FileMode) error {
	approves := p.approves(home)
	return func(path string, text []byte, mode fs.FileMode) error {
		return approves(func(a trust.Approval) error { return a.Content(path, text, mode) })
	}
}

// approves returns a function that asks the approvals of the project's directories, from the
// current one, until one has no objection. Of the objections it returns the one that says
// most. The approvals are read when they are asked first.
func (p Project) approves(home string) func(ask func(trust.Approval) error) error {
	var approvals []trust.Approval
	return func(ask func(trust.Approval) error) error {
		if approvals == nil {
			approvals = append(approvals, p.Approval)
			for _, dir := range p.folders() {
				if a, err := trust.Open(home).Find(dir); err == nil && dir != p.Dir {
					approvals = append(approvals, a)
				}
			}
		}
		var first error
		for _, a := range approvals {
			err := ask(a)
			if err == nil {
				return nil
			}
			if first == nil || errors.Is(first, plugin.ErrUntrusted) && first.Error() == plugin.ErrUntrusted.Error() {
				first = err // why it does not count any more says more than that it never did
			}
		}
		return first
	}
}

// untrustedFile names a file that is not approved, and says what changed if it once was.
func untrustedFile(path string, err error) string {
	if why, changed := strings.CutPrefix(err.Error(), plugin.ErrUntrusted.Error()+": "); changed {
		return fmt.Sprintf("%s (%s)", term.Name(path), why)
	}
	return term.Name(path)
}
