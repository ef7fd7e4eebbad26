// Package approved remembers which definitions of MCP servers' tools were approved, so that a
// tool which changes afterwards is noticed.
//
// What it promises: a definition is approved when a call with it was allowed, or when the
// person says so. A definition of a tool without an approved one does not count as a change; a tool
// with another name is another tool. A list that cannot be read approves nothing, and is never
// overwritten. The package reads nothing before the first question.
package approved

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// Name is the name of the list in a home.
const Name = "mcp-approved.json"

const (
	// maxRevisions bounds the approved definitions of one tool: a server of the same name can
	// be another program in another project.
	maxRevisions = 8
	// maxTools bounds the tools of one server; those that were approved first are forgotten.
	maxTools = 500
	// maxFile bounds the list, in bytes.
	maxFile = 64 << 20
)

// Store is the list of approved definitions of a home. It is safe for concurrent use, also
// by several processes.
type Store struct {
	file jsonfile.File

	mu     sync.Mutex
	known  list
	as     fileid.ID // the file that known is from
	stable bool      // as tells every later change
}

var _ permissions.Approvals = (*Store)(nil)

// list has the tools of servers, by the names of both.
type list struct {
	Servers map[string]map[string]entry `json:"servers"`
}

// entry is a tool.
type entry struct {
	// Revisions are the approved ones, the latest first.
	Revisions []string `json:"revisions"`
	// Parts is the definition that was approved last, if it is not too long, Approved when.
	Parts    parts     `json:"parts,omitempty"`
	Approved time.Time `json:"approved"`
}

// Open returns the list of a home, without reading it.
func Open(home string) *Store {
	return &Store{file: jsonfile.File{Path: filepath.Join(home, Name), Max: maxFile}}
}

// Changed returns how the definition of a tool differs from the approved ones; nil: it is one
// of them, or none of the tool is approved.
func (s *Store) Changed(r *tools.Remote) (*permissions.Change, error) {
	known, err := s.find(r)
	definition := r.Definition()
	if err != nil || len(known.Revisions) == 0 || known.has(tools.RevisionOf(definition)) {
		return nil, err
	}
	names, text := differ(known.Parts, partsOf(definition))
	return &permissions.Change{Parts: names, Diff: text, Since: known.Approved}, nil
}

// Approve adds the definition of a tool. It does nothing if that is approved.
func (s *Store) Approve(r *tools.Remote) error {
	definition := r.Definition()
	revision := tools.RevisionOf(definition)
	if known, err := s.find(r); err != nil || known.has(revision) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stable = false
	err := jsonfile.Update(s.file, func(all *list) error {
		all.add(r, revision, partsOf(definition).remembered())
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing what was approved: %w", err)
	}
	return nil
}

// find returns what is known of a tool, from the file if that was changed since it was read.
func (s *Store) find(r *tools.Remote) (entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	id, err := fileid.Stat(s.file.Path)
	if err != nil {
		id = fileid.ID{} // reading says why, if the file is not only missing
	}
	if !s.stable || id != s.as {
		known, err := jsonfile.Read[list](s.file)
		if jsonfile.IsDamaged(err) {
			err = fmt.Errorf("%w; remove it, and the next call of each tool approves what it is then", err)
		}
		if err != nil {
			return entry{}, err
		}
		s.known, s.as, s.stable = known, id, fileid.Stable(s.file.Path) && id.Settled(now)
	}
	return s.known.Servers[r.Server][r.Tool], nil
}

func (e entry) has(revision string) bool { return slices.Contains(e.Revisions, revision) }

// add approves a definition.
func (l *list) add(r *tools.Remote, revision string, definition parts) {
	if l.Servers == nil {
		l.Servers = map[string]map[string]entry{}
	}
	of := l.Servers[r.Server]
	if of == nil {
		of = map[string]entry{}
		l.Servers[r.Server] = of
	}
	others := slices.DeleteFunc(of[r.Tool].Revisions, func(other string) bool { return other == revision })
	revisions := append([]string{revision}, others...)
	of[r.Tool] = entry{revisions[:min(len(revisions), maxRevisions)], definition, time.Now().UTC()}
	for len(of) > maxTools {
		delete(of, oldest(of))
	}
}

// oldest returns the tool that was approved first.
func oldest(of map[string]entry) (name string) {
	for tool, e := range of {
		if name == "" || cmp.Or(e.Approved.Compare(of[name].Approved), cmp.Compare(tool, name)) < 0 {
			name = tool
		}
	}
	return name
}
