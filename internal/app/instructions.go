package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/instructions"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
)

// instructionsText is the text of the instructions that a session's model gets, once it
// was read. Sessions of one run share it.
type instructionsText struct {
	isRead bool
	text   string
}

// readInstructions reads AGENTS.md of the person, of chibi's home and of the project, and
// says which are not used. Runs that do not ask the model read nothing.
func readInstructions(s *Session) string {
	if s.opts.Purpose != ToWork || !s.Project.isOpened || !wantsInstructions(s) {
		return ""
	}
	if !s.instructions.isRead {
		s.instructions.isRead = true
		files, problems := instructions.Read(s.Project.instructionPlaces(s.Home))
		s.instructions.text = instructions.Text(files)
		reportInstructions(s, problems)
	}
	return s.instructions.text
}

// wantsInstructions reports whether the configuration asks for instructions: with the
// coding tools, unless it says otherwise.
func wantsInstructions(s *Session) bool {
	if set := s.Config.ProjectInstructions; set != nil {
		return *set
	}
	return s.Config.Tools.Coding
}

// reportInstructions says in one line which instructions wait for an approval, and in
// further ones which cannot be used.
func reportInstructions(s *Session, problems []instructions.Problem) {
	var names []string
	for _, p := range problems {
		if !errors.Is(p.Err, plugin.ErrUntrusted) {
			s.person.notice(fmt.Sprintf("the instructions in %s are not used: %v", term.Name(p.Path), p.Err))
			continue
		}
		names = append(names, untrustedFile(p.Path, p.Err))
	}
	if len(names) > 0 {
		s.person.notice(fmt.Sprintf("instructions that came with this directory are not used, as they are not approved: "+
			"%s; see what they are and approve them: chibi trust", strings.Join(names, ", ")))
	}
}

// instructionPlaces lists where instructions are: the person's own, then those of the
// project from its root down to the current directory.
func (p Project) instructionPlaces(home string) []instructions.Place {
	var places []instructions.Place
	if p.User != "" {
		places = append(places, instructions.Place{Dir: p.User})
	}
	places = append(places, instructions.Place{Dir: home})
	if p.Own {
		return places
	}
	check := p.approvedContent(home)
	for _, dir := range p.folders() {
		places = append(places, instructions.Place{Dir: dir, Check: check})
	}
	return places
}

// lookInstructions reads the instructions of the project that an approval covers.
func (p Project) lookInstructions() (files []trust.Seen) {
	for _, dir := range p.folders() {
		if path, found := instructions.Find(dir); found {
			if f, err := trust.Read(p.Dir, p.below(path)); err == nil {
				files = append(files, f)
			}
		}
	}
	return files
}
