package app

import (
	"slices"

	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/config"
	"github.com/chibi-host/chibi/internal/instructions"
	"github.com/chibi-host/chibi/internal/mcpservers"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/trust"
)

// openProject looks up what is approved in the current directory.
func openProject(s *Session) error {
	o := project.Options{Home: s.Home, Notice: s.person.notice}
	if s.opts.TrustProject {
		o.Trusted = func(p project.Project) []trust.Seen {
			files, _ := Look(p) // what cannot be pinned is not run
			return files
		}
	}
	s.Project = project.Open(o)
	s.Agent.Settings.ProjectRoot, s.Agent.Settings.Instructions = s.Project.Root, readInstructions(s)
	return nil
}

// Look reads the files of a project that an approval covers: recipes, everything in the
// directories of hooks except data, instructions, and what names and makes up MCP servers. Of all but hooks, what
// cannot be read is left out. The error says why hooks cannot be approved.
func Look(p project.Project) (files []trust.Seen, err error) {
	files, err = lookHooks(p)
	others := slices.Concat(recipes.Look(p), instructions.Look(p), ServerFilesOf(p).Look(), theirs.FilesOf(p).Look())
	for _, f := range others {
		if !slices.ContainsFunc(files, func(s trust.Seen) bool { return s.Path == f.Path }) {
			files = append(files, f)
		}
	}
	return files, err
}

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

// ServerFilesOf returns the files in which a project names MCP servers. Programs of a project
// do not get variables for a model's key.
func ServerFilesOf(p project.Project) mcpservers.Files {
	keys := slices.Concat(config.KeyVariables("openrouter.ai"), config.KeyVariables("api.openai.com"))
	return mcpservers.FilesOf(p, keys)
}
