package trust

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/dustin/go-humanize/english"
)

func (p projectView) aboutHooks(f trust.Seen) string {
	var named []string
	for _, s := range p.settings {
		if s.Rel == f.Path {
			return settingsText(s)
		}
		for i, h := range s.Handlers {
			if name := fmt.Sprintf("%s in %s:%d", h.Event, s.Rel, h.Line); isOf(s.Programs[i], f.Path) {
				named = append(named, name)
			}
		}
	}
	if len(named) == 0 {
		return ""
	}
	const most = 3
	if more := len(named) - most; more > 0 {
		named = append(named[:most], fmt.Sprintf("%d more", more))
	}
	return runBy(f, "hook "+term.Name(strings.Join(named, ", ")))
}

func isOf(programs []string, path string) bool {
	return slices.ContainsFunc(programs, func(program string) bool {
		return path == program || strings.HasPrefix(path, program+"/")
	})
}

func settingsText(s theirs.SettingsFile) string {
	text := fmt.Sprintf("%s of %s", english.Plural(s.Count(), "hook", ""), s.Title)
	if s.Disabled != nil && *s.Disabled || len(s.DisabledNames) > 0 {
		text += "; it turns hooks off"
	}
	return text + fmt.Sprintf("; used with [foreign.%s] project = true", s.Agent)
}

func (p projectView) hooks() (lines []string) {
	for _, s := range p.settings {
		for _, h := range s.Handlers {
			if h.IsBridge() {
				continue
			}
			lines = append(lines, fmt.Sprintf("%s %s (%s:%d): %s", s.Title, term.Name(clip.Bytes(h.Event, maxEvent)),
				term.Name(s.Rel), h.Line, visible(foreign.Describe(h))))
		}
		for _, problem := range s.Problems {
			lines = append(lines, fmt.Sprintf("%s is not used: %s", term.Name(s.Rel), term.Visible(problem.String())))
		}
	}
	return lines
}

const maxEvent = 60

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
	return visible(text)
}

func visible(text string) string {
	if shown := clip.Bytes(text, maxCommand); len(shown) < len(text) {
		text = fmt.Sprintf("%s... and %d bytes more, see the file", shown, len(text)-len(shown))
	}
	return term.Visible(text)
}
