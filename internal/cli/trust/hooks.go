package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/trust"
	"github.com/dustin/go-humanize/english"
)

// aboutHooks returns what a file has to do with hooks of coding agents: how many it has, or
// whose command names it; "" if neither.
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

// isOf reports whether a path is one of those that a hook runs, or in a directory that it loads.
func isOf(programs []string, path string) bool {
	return slices.ContainsFunc(programs, func(program string) bool {
		return path == program || strings.HasPrefix(path, program+"/")
	})
}

// settingsText says what a settings file does.
func settingsText(s theirs.SettingsFile) string {
	text := fmt.Sprintf("%s of %s", english.Plural(s.Count(), "hook", ""), s.Title)
	if s.Disabled != nil && *s.Disabled || len(s.DisabledNames) > 0 {
		text += "; it turns hooks off"
	}
	return text + fmt.Sprintf("; used with [foreign.%s] project = true", s.Agent)
}

// hooks returns a line for each hook of a settings file: what it would run, and when.
func (p projectView) hooks() (lines []string) {
	for _, s := range p.settings {
		for _, h := range s.Handlers {
			if h.IsBridge() {
				continue
			}
			text := foreign.Describe(h)
			if shown := clip.Bytes(text, maxCommand); len(shown) < len(text) {
				text = fmt.Sprintf("%s... and %d bytes more, see the file", shown, len(text)-len(shown))
			}
			lines = append(lines, fmt.Sprintf("%s %s (%s:%d): %s", s.Title, term.Name(clip.Bytes(h.Event, maxEvent)),
				term.Name(s.Rel), h.Line, term.Visible(text)))
		}
		for _, problem := range s.Problems {
			lines = append(lines, fmt.Sprintf("%s is not used: %s", term.Name(s.Rel), term.Visible(problem.String())))
		}
	}
	return lines
}

// maxEvent is how much of the name of an event is shown, in bytes.
const maxEvent = 60
