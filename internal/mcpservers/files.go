package mcpservers

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	agentsettings "github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/mcpfile"
	"github.com/chibi-host/chibi/internal/project"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/tools/mcp"
)

// Files are the files in which a project names MCP servers.
type Files struct {
	project project.Project
	keys    []string
}

// FilesOf returns the files of a project. Variables with the names of keys have no value for what
// the project's servers run.
func FilesOf(p project.Project, keys []string) Files { return Files{p, keys} }

// paths lists where they may be, from the current directory up to the project's root.
func (s Files) paths() (paths []string) {
	for _, dir := range s.project.Upward() {
		paths = append(paths, filepath.Join(dir, mcpfile.Name))
	}
	return paths
}

// servers returns the servers that the project names, as far as that is approved, and why
// others are not used. Of servers with one name, the one nearest to the current directory
// counts.
func (s Files) servers(home string) (servers []mcp.Server, problems []error) {
	check := s.project.ApprovedContent(home)
	if s.project.Own {
		check = nil
	}
	var untrusted []string
	for _, path := range s.paths() {
		found, wrong, err := mcpfile.Read(path, check)
		switch {
		case errors.Is(err, trust.ErrUntrusted):
			untrusted = append(untrusted, project.UntrustedFile(path, err))
		case err != nil:
			problems = append(problems, fmt.Errorf("the MCP servers in %s are not used: %w", term.Name(path), err))
		}
		for _, problem := range wrong {
			problems = append(problems, fmt.Errorf("MCP server %q in %s is not used: %w", problem.Server, term.Name(path),
				problem.Err))
		}
		for _, server := range found {
			if !slices.ContainsFunc(servers, func(s mcp.Server) bool { return s.Name == server.Name }) {
				servers = append(servers, server)
			}
		}
	}
	if len(untrusted) > 0 {
		problems = append(problems, fmt.Errorf("MCP servers that came with this directory are not used, as they are not "+
			"approved: %s; see what they are and approve them: chibi trust", strings.Join(untrusted, ", ")))
	}
	return servers, problems
}

// asApproved returns why a server that the project names must not be started: the files of the
// project that its command runs differ from the approved ones, or have changed since. It is
// called right before the server starts. lookup has the variables that it is started with.
func (s Files) asApproved(home string, server mcp.Server, lookup lookup) error {
	p := s.project
	if p.Own {
		return nil
	}
	root, approves := p.Folders()[0], p.Approves(home)
	if foreign.HasTooManyWords(commandOf(server)) {
		return errors.New("it is not started: its command has too many words to say what it runs; put it into a script")
	}
	for _, now := range s.runs(root, server, lookup) {
		full := filepath.Join(root, now.Path)
		err := approves(func(a trust.Approval) (err error) {
			if now.Path, err = filepath.Rel(a.Project, full); err != nil {
				return err
			}
			return a.Same(now.File)
		})
		switch {
		case err == nil:
		case now.Mode == trust.Values:
			return errors.New("it is not started: a variable in its command has not the value that was approved; see what it " +
				"starts and approve it: chibi trust")
		default:
			return fmt.Errorf("it is not started: its %s: %w; see what it is and approve it: chibi trust",
				term.Name(p.BelowRoot(full)), err)
		}
	}
	return nil
}

// lookup finds the value of a variable.
type lookup = func(name string) (value string, ok bool)

// runs reads what an approval pins of what a server runs, relative to base: the files that its
// command, arguments and variables name, the directories and modules that it loads, and what
// the variables in its command stand for.
func (s Files) runs(base string, server mcp.Server, lookup lookup) (list []trust.Seen) {
	if server.Command == "" {
		return nil
	}
	filled, _ := server.Filled(s.withoutKeys(lookup)) // without a variable that it needs it does not start
	root := s.project.Folders()[0]
	below := func(path string) string {
		if rel, err := filepath.Rel(base, path); err == nil {
			return rel
		}
		return path
	}
	command := commandOf(filled)
	if !filepath.IsAbs(filled.Dir) { // of a variable
		filled.Dir = filepath.Join(s.project.Dir, filled.Dir)
	}
	programs, dirs := foreign.NewPrograms(root), []string{filled.Dir}
	programs.OfServers = true
	for _, path := range programs.All(command, dirs) {
		list = append(list, trust.Code(base, root, below(path))...)
	}
	if values := runText(filled); values != runText(server) {
		list = append(list, trust.Entry(filepath.Join(below(server.Source), server.Name), trust.Values, values))
	}
	return list
}

// commandOf returns what starts a server as a hook, whose files are found in the same way.
func commandOf(server mcp.Server) agentsettings.Handler {
	return agentsettings.Handler{Command: server.Command, Exec: true, Args: server.Args, Env: server.Env}
}

// runText is what decides what a server runs, as one text.
func runText(server mcp.Server) string {
	text, _ := json.Marshal([]any{server.Command, server.Args, server.Dir, foreign.CodeVariables(server.Env)})
	return string(text)
}

// Look reads what an approval of the project's MCP servers covers: the files that name them,
// and what of the project their commands run.
func (s Files) Look() (files []trust.Seen) {
	p := s.project
	for _, path := range s.paths() {
		f, err := trust.Read(p.Dir, p.Below(path))
		if err != nil {
			continue
		}
		files = append(files, f)
		file, _ := s.File(f)
		for _, server := range file.Servers {
			for _, one := range s.runs(p.Dir, server, os.LookupEnv) {
				if !slices.ContainsFunc(files, func(f trust.Seen) bool { return f.Path == one.Path }) {
					files = append(files, one)
				}
			}
		}
	}
	return files
}

// withoutKeys returns a lookup in which variables for a model's key have no value: programs of a
// project may not get them, whatever is approved.
func (s Files) withoutKeys(lookup lookup) lookup {
	return func(name string) (string, bool) {
		if slices.Contains(s.keys, name) {
			return "", true
		}
		return lookup(name)
	}
}

// File is a file of a project that names MCP servers, as [mcpfile.Parse] reads it.
type File struct {
	Servers  []mcp.Server
	Problems []mcpfile.Problem
	Err      error
}

// File reads a file of the project that names MCP servers; false: it is not such a file.
func (s Files) File(f trust.Seen) (file File, ok bool) {
	full := filepath.Join(s.project.Dir, f.Path)
	if !slices.Contains(s.paths(), full) {
		return file, false
	}
	file.Servers, file.Problems, file.Err = mcpfile.Parse(full, f.Text)
	return file, true
}

// Programs returns what of the project the commands of MCP servers run, with the names of the
// servers, by the paths relative to the project. f is the file that names the servers; of
// another one there are none.
func (s Files) Programs(f trust.Seen) map[string][]string {
	programs := map[string][]string{}
	file, _ := s.File(f)
	for _, server := range file.Servers {
		for _, one := range s.runs(s.project.Dir, server, os.LookupEnv) {
			programs[one.Path] = append(programs[one.Path], server.Name)
		}
	}
	return programs
}
