package foreign

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin/dialect"
)

// Describe says in a few words what a hook does when it is asked, and at what.
func Describe(h dialect.Handler) string {
	text := does(h)
	if h.Matcher != "" {
		text = fmt.Sprintf("matcher %q; %s", h.Matcher, text)
	}
	if h.If != "" {
		text += fmt.Sprintf("; if %q", h.If)
	}
	return text
}

// does says what a hook does.
func does(h dialect.Handler) string {
	switch h.Kind {
	case dialect.CommandHandler:
		if !h.Exec {
			return "runs " + h.Command
		}
		words := []string{term.ShellWord(h.Command)}
		for _, arg := range h.Args {
			words = append(words, term.ShellWord(arg))
		}
		return "runs " + strings.Join(words, " ")
	case dialect.HTTPHandler:
		return "posts to " + h.URL
	case dialect.MCPToolHandler:
		return fmt.Sprintf("calls the tool %q of the MCP server %q", h.Tool, h.Server)
	case dialect.PromptHandler, dialect.AgentHandler:
		return fmt.Sprintf("asks a model (%s): %s", h.Kind, h.Prompt)
	}
	return fmt.Sprintf("is of type %q", h.Type)
}
