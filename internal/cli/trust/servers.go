package trust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/dustin/go-humanize/english"
)

func (p projectView) aboutServers(f trust.Seen) string {
	file, ok := app.ServerFilesOf(p.Project).File(f)
	switch {
	case !ok && len(p.programs[f.Path]) > 0:
		return runBy(f, "MCP server "+strings.Join(p.programs[f.Path], ", "))
	case !ok:
		return ""
	case file.Err != nil:
		return "MCP servers that cannot be read: " + file.Err.Error()
	}
	return "names " + english.Plural(len(file.Servers), "MCP server", "")
}

func runBy(f trust.Seen, who string) string {
	switch f.Mode {
	case trust.NotCovered:
		return "NOT COVERED, though " + who + " loads it: " + term.Line(string(f.Text))
	case trust.Directory:
		return "loaded by " + who + ", with what is in it"
	case trust.Values:
		return "what the variables in the command of " + who + " stand for"
	}
	return "named by the command of " + who
}

func (p projectView) servers(files []trust.Seen) (lines []string) {
	for _, f := range files {
		file, _ := app.ServerFilesOf(p.Project).File(f)
		for _, s := range file.Servers {
			lines = append(lines, fmt.Sprintf("MCP server %s: %s", s.Name, reached(s)))
		}
		for _, problem := range file.Problems {
			lines = append(lines, fmt.Sprintf("MCP server %s is not used: %v", term.Name(problem.Server), problem.Err))
		}
	}
	return lines
}

const maxCommand = 4000

func reached(s mcp.Server) string {
	given, text := s.Headers, s.URL
	if s.Command != "" {
		words := []string{}
		for _, word := range append([]string{s.Command}, s.Args...) {
			words = append(words, term.ShellWord(word))
		}
		given, text = s.Env, strings.Join(words, " ")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		text += fmt.Sprintf(", %s = %s", name, term.ShellWord(given[name]))
	}
	if shown := clip.Bytes(text, maxCommand); len(shown) < len(text) {
		text = fmt.Sprintf("%s... and %d bytes more, see the file", shown, len(text)-len(shown))
	}
	return term.Visible(text)
}
