package app

import (
	"github.com/chibi-host/chibi/internal/baseline"
	"github.com/chibi-host/chibi/internal/confine"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/sandbox"
	"github.com/chibi-host/chibi/permissions"
)

// Sandbox returns the rules by which commands of the model are confined; false: they are not.
func Sandbox(s *Session) (rules sandbox.Rules, on bool) {
	if s.Config.Tools.Sandbox != sandbox.Name {
		return rules, false
	}
	rules = sandbox.Rules{Writable: project.FullPaths(s.Config.FileToolsWritePaths),
		Readable: project.FullPaths(s.Config.FileToolsAllowedPaths), Private: []string{s.Home}}
	if root := s.Project.ToolRoot(); root != "" {
		rules.Writable = append(rules.Writable, root)
	}
	return rules, true
}

// confinement returns what confines the commands of a session, nil if nothing does. They have
// directories of their own for HOME and for temporary files, which live as long as the session.
func confinement(s *Session) confine.Func {
	rules, on := Sandbox(s)
	if !on {
		return nil
	}
	watched := baseline.Options{Projects: []string{s.Project.Dir}, Home: project.UserHome(),
		Allowed: project.FullPaths(s.Config.FileToolsWritePaths)}
	for _, path := range s.Config.Tools.SandboxWrite {
		watched.Allowed = append(watched.Allowed, project.InHome(path))
	}
	confined, own := confine.New(confine.Options{Rules: rules, Watched: watched, Watchers: &s.watchers,
		Told: confine.Told{Notice: s.person.notice, Cache: s.Cache, Below: s.Project.Below,
			Person: func() permissions.Person {
				if s.Agent.Gate == nil {
					return nil
				}
				return s.Agent.Gate.Person
			}}})
	s.closers = append(s.closers, own)
	return confined
}
