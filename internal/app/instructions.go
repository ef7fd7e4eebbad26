package app

import "github.com/chibi-host/chibi/internal/instructions"

// instructionsText is the text of the instructions that a session's model gets, once it
// was read. Sessions of one run share it.
type instructionsText struct {
	isRead bool
	text   string
}

// readInstructions reads AGENTS.md of the person, of chibi's home and of the project, and
// says which are not used. Runs that do not ask the model read nothing.
func readInstructions(s *Session) string {
	if s.opts.Purpose != ToWork || !s.Project.IsOpened || !wantsInstructions(s) {
		return ""
	}
	if !s.instructions.isRead {
		s.instructions.isRead = true
		s.instructions.text = instructions.Of(s.Project, s.Home, s.person.notice)
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
