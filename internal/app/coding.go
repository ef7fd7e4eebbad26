package app

import (
	"cmp"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
	"github.com/chibi-host/chibi/tools/coding/fetch"
)

// codingTools lists the coding tools of a session, in the order of offering. The search
// tools show only what the rules let the model read.
func codingTools(s *Session, rules *permissions.Rules) []tools.Tool {
	files := filesOf(s)
	files.MayRead, files.Reads = rules.MayRead, &s.reads
	return append(append([]tools.Tool{ShellTool(s, files.Root)}, coding.Tools(files)...), fetch.New(fetchOf(s)))
}

// filesOf says which files the session's tools open by their paths.
func filesOf(s *Session) coding.Config {
	return coding.Config{Root: cmp.Or(s.Project.ToolRoot(), s.Project.Dir), Home: project.UserHome(), Private: s.Home}
}

// fetchOf says how the session's tools fetch.
func fetchOf(s *Session) fetch.Config {
	return fetch.Config{Version: s.opts.Version, Follow: agent.Follow}
}

// addCoding puts the coding tools into the session's set. A plugin's tool of the same name
// takes the place of chibi's.
func addCoding(s *Session, rules *permissions.Rules) error {
	for _, tool := range codingTools(s, rules) {
		name := tool.Spec().Name
		if _, taken := s.Agent.Tools.Lookup(name); taken {
			reportReplaced(s, name)
			continue
		}
		if err := s.Agent.Tools.Add(tool); err != nil {
			return err
		}
	}
	return nil
}
