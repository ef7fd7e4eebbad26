package project

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
)

// Approve returns an approval of the project's files as they were read.
func (p Project) Approve(files []trust.Seen) trust.Approval {
	a := trust.Approval{Project: p.Dir, Format: trust.Format, Data: p.Approval.Data}
	for _, f := range files {
		a.Files = append(a.Files, f.File)
	}
	return a
}

// ApprovedContent returns a check of texts of the project: one of the approvals of its
// directories must have them.
func (p Project) ApprovedContent(home string) func(string, []byte, fs.FileMode) error {
	approves := p.Approves(home)
	return func(path string, text []byte, mode fs.FileMode) error {
		return approves(func(a trust.Approval) error { return a.Content(path, text, mode) })
	}
}

// Approves returns a function that asks the approvals of the project's directories, from the
// current one, until one has no objection. Of the objections it returns the one that says
// most. It reads the approvals at the first question.
func (p Project) Approves(home string) func(ask func(trust.Approval) error) error {
	var approvals []trust.Approval
	return func(ask func(trust.Approval) error) error {
		if approvals == nil {
			approvals = append(approvals, p.Approval)
			for _, dir := range p.Folders() {
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
			if first == nil || errors.Is(first, trust.ErrUntrusted) && first.Error() == trust.ErrUntrusted.Error() {
				first = err // why it does not count any more says more than that it never did
			}
		}
		return first
	}
}

// UntrustedFile names a file that is not approved, and says what changed if it once was.
func UntrustedFile(path string, err error) string {
	if why, changed := strings.CutPrefix(err.Error(), trust.ErrUntrusted.Error()+": "); changed {
		return fmt.Sprintf("%s (%s)", term.Name(path), why)
	}
	return term.Name(path)
}
