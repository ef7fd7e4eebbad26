package app

import (
	"cmp"
	"fmt"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/jobs"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/builtin"
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

// offer puts tools into the session's set. A plugin's tool of the same name takes the place of
// chibi's.
func offer(s *Session, list ...tools.Tool) error {
	for _, tool := range list {
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

// shellConfig returns what the tool shell_exec needs. Its commands get the person's environment
// without the model's key, and begin in a directory; the configuration may want them confined.
func shellConfig(s *Session, dir string) coding.ShellConfig {
	set, loader := s.Config.Plugins, s.Loader()
	return coding.ShellConfig{
		Runner: process.Runner{Env: commandEnv(loader, "shell_exec"), Drop: native.PerCall(),
			MaxStderr: int64(s.Config.Limits.PluginStderrBytes)},
		Dir: dir, Home: project.UserHome(), Timeout: ms(set.ToolTimeoutMS), MaxOutput: int64(set.MaxToolOutputBytes),
		Spool: loader.spool, Confine: confinement(s), Env: s.left.List, Ended: s.jobs.Add,
	}
}

// ShellTool returns the tool shell_exec of a session.
func ShellTool(s *Session, dir string) tools.Tool { return coding.Shell(shellConfig(s, dir)) }

// commandEnv returns the environment of commands that a tool runs for the model. A chibi that
// they start uses the home of the session.
func commandEnv(l *Loader, tool string) []string {
	return append(l.env.list(true), "CHIBI_HOME="+l.told, l.mark(tool).Pair(), jobs.Pair())
}

// reportReplaced says once which of chibi's coding tools plugins bring themselves.
func reportReplaced(s *Session, name string) {
	for _, p := range s.Loaded.Plugins {
		for _, t := range p.Tools {
			if t.Spec().Name != name || s.replaced[name] {
				continue
			}
			s.replaced[name] = true
			notice := fmt.Sprintf("plugin %q brings its own %s; chibi's is not offered", p.Name, name)
			if t.Spec().Category == "" {
				notice += "; it has no category, so rules and permission points do not see what it does"
			}
			s.person.notice(notice)
		}
	}
}

// builtinTools lists the built-in tools of a session, made for the context of an agent. rules are
// the rules of the session; nil: there are none.
func builtinTools(s *Session, rules *permissions.Rules, a *agent.Agent, outputs cache.Cache) []tools.Tool {
	files := builtin.Files{Cache: outputs, Allowed: s.Config.FileToolsAllowedPaths, Home: project.UserHome(),
		Private: s.Home}
	if rules != nil {
		files.MayRead = rules.MayRead
	}
	return builtin.All(builtin.Config{
		Notes: a.Context, Post: a.Post, Files: files,
		Reflection: s.Config.ReflectionEnabled, ReflectionLimit: s.Config.ReflectionCharacterLimit,
	})
}

// KnownTools maps the names that rules can have to the categories that they stand for.
func KnownTools(s *Session) map[string]tools.Category {
	known := map[string]tools.Category{}
	for _, c := range tools.Categories() {
		known[string(c)] = c
	}
	for _, tool := range codingTools(s, nil) {
		known[tool.Spec().Name] = tool.Spec().Category
	}
	for _, spec := range s.Agent.Tools.Specs() {
		known[spec.Name] = spec.Category
	}
	return known
}
