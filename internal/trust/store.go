package trust

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/chibi-host/chibi/internal/jsonfile"
)

// Store is the list of approvals in a home. It is safe for concurrent use, also
// by several processes.
type Store struct{ path string }

// Open returns the store of a home, without reading it.
func Open(home string) *Store { return &Store{filepath.Join(home, "trust.json")} }

// RealPath is the real path of a project, as approvals name it.
func RealPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Find returns the approval of a project's real path; one without files if there is none.
func (s *Store) Find(project string) (Approval, error) {
	all, err := s.List()
	for _, a := range all {
		if a.Project == project {
			return a, nil
		}
	}
	return Approval{Project: project}, err
}

// List lists all approvals by project.
func (s *Store) List() ([]Approval, error) {
	all, err := jsonfile.Read[[]Approval](jsonfile.File{Path: s.path})
	switch {
	case jsonfile.IsDamaged(err):
		return nil, fmt.Errorf("%w; no approval in it is valid; remove it and approve again", err)
	case err != nil:
		return nil, fmt.Errorf("reading the approvals: %w", err)
	}
	return all, nil
}

// Approve stores an approval and replaces the project's earlier one.
func (s *Store) Approve(a Approval) error {
	return s.change(func(all []Approval) ([]Approval, error) { return append(without(all, a.Project), a), nil })
}

// errNotApproved ends a change that would remove nothing, so that no list is written.
var errNotApproved = errors.New("not approved")

// Revoke removes a project's approval, and reports whether there was one.
func (s *Store) Revoke(project string) (found bool, err error) {
	err = s.change(func(all []Approval) ([]Approval, error) {
		left := without(all, project)
		if len(left) == len(all) {
			return nil, errNotApproved
		}
		return left, nil
	})
	if errors.Is(err, errNotApproved) {
		return false, nil
	}
	return err == nil, err
}

func without(all []Approval, project string) []Approval {
	return slices.DeleteFunc(slices.Clone(all), func(a Approval) bool { return a.Project == project })
}

// change changes the list under its lock. A damaged list is renamed, and its approvals are
// no longer valid.
func (s *Store) change(do func([]Approval) ([]Approval, error)) error {
	err := jsonfile.Update(jsonfile.File{Path: s.path}, func(all *[]Approval) (err error) {
		if *all, err = do(*all); err != nil {
			return err
		}
		slices.SortFunc(*all, func(a, b Approval) int { return cmp.Compare(a.Project, b.Project) })
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing the approvals: %w", err)
	}
	return nil
}
