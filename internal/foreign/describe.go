package foreign

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/term"
)

// Describe says in a few words what a hook does, and at which event.
func Describe(h settings.Handler) string { return When(h) + variables(h) }

// When says the same without the values of variables.
func When(h settings.Handler) string {
	text := does(h)
	if h.Matcher != "" {
		text = fmt.Sprintf("matcher %q; %s", h.Matcher, text)
	}
	if h.If != "" {
		text += fmt.Sprintf("; if %q", h.If)
	}
	return text
}

// variables says which variables a hook's program gets, with their values, and which variables of the
// person's environment a URL gets: they can do as much as the command, or tell a key.
func variables(h settings.Handler) (text string) {
	var set []string
	for _, name := range slices.Sorted(maps.Keys(h.Env)) {
		set = append(set, name+"="+term.ShellWord(h.Env[name]))
	}
	if len(set) > 0 {
		text = "; with " + strings.Join(set, " ")
	}
	if h.Kind == engine.HTTPHandler && len(h.AllowedEnv) > 0 {
		text += "; may send the values of " + strings.Join(h.AllowedEnv, ", ")
	}
	if h.Dir != "" {
		text += fmt.Sprintf("; in %q", h.Dir)
	}
	return text
}

// does says what a hook does when it is asked.
func does(h settings.Handler) string {
	switch h.Kind {
	case engine.CommandHandler:
		if !h.Exec {
			return "runs " + h.Command
		}
		words := []string{term.ShellWord(h.Command)}
		for _, arg := range h.Args {
			words = append(words, term.ShellWord(arg))
		}
		return "runs " + strings.Join(words, " ")
	case engine.HTTPHandler:
		return "posts to " + h.URL
	case engine.MCPToolHandler:
		return fmt.Sprintf("calls the tool %q of the MCP server %q", h.Tool, h.Server)
	case engine.PromptHandler, engine.AgentHandler:
		return fmt.Sprintf("asks a model (%s): %s", h.Kind, h.Prompt)
	}
	return fmt.Sprintf("is of type %q", h.Type)
}
