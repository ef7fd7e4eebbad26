// Package mcpfile reads the files in which projects name MCP servers: .mcp.json, as Claude
// Code writes it.
//
// It promises that a server which cannot be used does not keep the others from being used,
// and that what it returns is a definition only: whether a project may have servers started
// is not its concern.
package mcpfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools/mcp"
)

// Name is the name of the file. MaxBytes bounds its size.
const (
	Name     = ".mcp.json"
	MaxBytes = 1 << 20
)

// maxServers is how many servers of a file are used.
const maxServers = 100

// Problem says why a server of a file is not used.
type Problem struct {
	// Server is its name in the file.
	Server string
	Err    error
}

// entry is a server as the file has it. Other programs have further members, which say
// nothing about how a server is reached.
type entry struct {
	Type     string            `json:"type"`
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Cwd      string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`
}

// Read reads a file and returns its servers as [Parse] does. check returns why a text that was read
// from a file of this path and mode must not be used; nil: every text may be used. Without the
// file there are no servers.
func Read(path string, check func(path string, text []byte, mode fs.FileMode) error) ([]mcp.Server, []Problem, error) {
	f, err := disk.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(text) > MaxBytes:
		return nil, nil, fmt.Errorf("it is larger than %d bytes", MaxBytes)
	}
	if check != nil {
		if err := check(path, text, info.Mode()); err != nil {
			return nil, nil, err
		}
	}
	return Parse(path, text)
}

// Parse returns the servers of a file in the order of their names, without those that are
// disabled, and what is wrong with others. Relative paths of programs and working directories
// begin at the file's directory, which is also where programs run. The error means that the text is
// not such a file.
func Parse(path string, text []byte) (servers []mcp.Server, problems []Problem, err error) {
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := strictjson.Decode(text, &file); err != nil {
		return nil, nil, err
	}
	if len(file.Servers) > maxServers {
		return nil, nil, fmt.Errorf("it has %d servers, at most %d are allowed", len(file.Servers), maxServers)
	}
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		var e entry
		if err := strictjson.Decode(file.Servers[name], &e); err != nil {
			problems = append(problems, Problem{name, err})
			continue
		}
		server := e.server(name, path)
		if err := e.check(server); err != nil {
			problems = append(problems, Problem{name, err})
		} else if !e.Disabled {
			servers = append(servers, server)
		}
	}
	return servers, problems, nil
}

// server returns an entry as a server.
func (e entry) server(name, path string) mcp.Server {
	s := mcp.Server{Name: name, Source: path, Command: own(e.Command), Env: ownValues(e.Env), Dir: own(e.Cwd),
		URL: own(e.URL), Headers: ownValues(e.Headers)}
	for _, arg := range e.Args {
		s.Args = append(s.Args, own(arg))
	}
	dir := filepath.Dir(path)
	if strings.ContainsAny(s.Command, "/"+string(filepath.Separator)) {
		s.Command = below(dir, s.Command)
	}
	if s.Command != "" {
		s.Dir = below(dir, s.Dir)
	}
	return s
}

// own returns a text with the dollar signs doubled that do not begin a ${NAME}: this kind of
// file has no other variables.
func own(text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "$", "$$"), "$${", "${")
}

func ownValues(table map[string]string) map[string]string {
	for name, value := range table {
		table[name] = own(value)
	}
	return table
}

// below returns a path that begins at a directory, unless it is absolute or begins with a
// variable.
func below(dir, path string) string {
	if filepath.IsAbs(path) || strings.HasPrefix(path, "${") {
		return path
	}
	return filepath.Join(dir, path)
}

// check reports why a server cannot be used.
func (e entry) check(s mcp.Server) error {
	switch {
	case e.Type == "sse":
		return errors.New("it speaks SSE, an older protocol; chibi needs the address at which it speaks streamable HTTP")
	case !slices.Contains([]string{"", "stdio", "http", "streamable-http", "streamableHttp"}, e.Type):
		return fmt.Errorf("chibi does not know its type %q; the types are stdio and http", e.Type)
	}
	return s.Check()
}
