package app

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/mcpfile"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools/mcp"
)

// ServerFiles are the files in which a project names MCP servers.
type ServerFiles struct{ project Project }

// ServerFilesOf returns those of a project.
func ServerFilesOf(p Project) ServerFiles { return ServerFiles{p} }

// paths lists where they may be, from the current directory up to the project's root.
func (s ServerFiles) paths() (paths []string) {
	p := s.project
	dirs := []string{p.Dir}
	if !p.Own {
		dirs = p.folders()
		slices.Reverse(dirs)
	}
	for _, dir := range dirs {
		if dir != "" {
			paths = append(paths, filepath.Join(dir, mcpfile.Name))
		}
	}
	return paths
}

// servers returns the servers that the project names, as far as that is approved, and why
// others are not used. Of servers with one name, the one nearest to the current directory
// counts.
func (s ServerFiles) servers(home string) (servers []mcp.Server, problems []error) {
	check := s.project.approvedContent(home)
	if s.project.Own {
		check = nil
	}
	var untrusted []string
	for _, path := range s.paths() {
		found, wrong, err := mcpfile.Read(path, check)
		switch {
		case errors.Is(err, plugin.ErrUntrusted):
			untrusted = append(untrusted, untrustedFile(path, err))
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

// asApproved returns why a server that the project names must not be started: a file of the
// project that its command names is not as it was approved. It is asked right before the
// server starts.
func (s ServerFiles) asApproved(home string, server mcp.Server) error {
	p := s.project
	if p.Own {
		return nil
	}
	root, approves := p.folders()[0], p.approves(home)
	for _, path := range mcpfile.Programs(server, root) {
		full := filepath.Join(root, path)
		err := approves(func(a trust.Approval) error {
			rel, err := filepath.Rel(a.Project, full)
			if err != nil {
				return err
			}
			now, err := trust.Read(a.Project, rel)
			if err != nil {
				return err
			}
			return a.Same(now.File)
		})
		if err != nil {
			return fmt.Errorf("it is not started: its %s: %w; see what it is and approve it: chibi trust", term.Name(path), err)
		}
	}
	return nil
}

// look reads what an approval of the project's MCP servers covers: the files that name them,
// and those of the project that their commands name.
func (s ServerFiles) look() (files []trust.Seen) {
	p := s.project
	for _, path := range s.paths() {
		f, err := trust.Read(p.Dir, p.below(path))
		if err != nil {
			continue
		}
		files = append(files, f)
		for _, program := range slices.Sorted(maps.Keys(s.Programs(f))) {
			if f, err := trust.Read(p.Dir, program); err == nil {
				files = append(files, f)
			}
		}
	}
	return files
}

// ServerFile is a file of a project that names MCP servers, as [mcpfile.Parse] reads it.
type ServerFile struct {
	Servers  []mcp.Server
	Problems []mcpfile.Problem
	Err      error
}

// File reads a file of the project that names MCP servers; false: it is no such file.
func (s ServerFiles) File(f trust.Seen) (file ServerFile, ok bool) {
	full := filepath.Join(s.project.Dir, f.Path)
	if !slices.Contains(s.paths(), full) {
		return file, false
	}
	file.Servers, file.Problems, file.Err = mcpfile.Parse(full, f.Text)
	return file, true
}

// Programs returns the files of the project that the commands of MCP servers name, with the
// names of the servers, by their paths relative to the project. f is the file that names the
// servers; of another one there are none.
func (s ServerFiles) Programs(f trust.Seen) map[string][]string {
	p, programs := s.project, map[string][]string{}
	file, _ := s.File(f)
	for _, server := range file.Servers {
		root := p.folders()[0]
		for _, program := range mcpfile.Programs(server, root) {
			path := p.below(filepath.Join(root, program))
			programs[path] = append(programs[path], server.Name)
		}
	}
	return programs
}
