package recipes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
)

// Prompts makes prompts from recipes.
type Prompts struct {
	*Library
	// Tools are those that a recipe may allow.
	Tools *tools.Set
	// Runner runs the commands of recipes.
	Runner func() process.Runner
	// Notice shows the person a sentence.
	Notice func(string)

	noCommands bool
}

// ByName finds a recipe that a hook or the program asks for.
func (m Prompts) ByName(ctx context.Context, name string, args map[string]string) (agent.Recipe, error) {
	r, err := m.FindApproved(name)
	if err != nil {
		return agent.Recipe{}, err
	}
	args, unknown := r.Known(args)
	if len(unknown) > 0 {
		m.Notice(fmt.Sprintf("recipe %q has no arguments %s; a hook passed them, they are ignored", name,
			strings.Join(unknown, ", ")))
	}
	return m.Prepared(ctx, r, args)
}

// Prepared expands a recipe with arguments, and reports what is missing or unknown.
func (m Prompts) Prepared(ctx context.Context, r *Recipe, args map[string]string) (agent.Recipe, error) {
	for _, note := range r.Notes {
		if !note.Quiet {
			m.Notice(Remark(r, note))
		}
	}
	for _, name := range r.Missing(args) {
		m.Notice(fmt.Sprintf("recipe %q: the argument %s is not given and has no default; it is empty", r.Name, name))
	}
	var unknownTools []string
	for _, tool := range r.AllowedTools {
		if _, ok := m.Tools.Lookup(tool); !ok {
			unknownTools = append(unknownTools, tool)
		}
	}
	if len(unknownTools) > 0 {
		m.Notice(fmt.Sprintf("recipe %q allows unknown tools: %s; they are ignored", r.Name,
			strings.Join(unknownTools, ", ")))
	}
	prompt, err := r.Render(ctx, args, m.command(r.Name))
	if err == nil && prompt == "" {
		err = errors.New("its prompt is empty")
	}
	if err != nil {
		return agent.Recipe{}, fmt.Errorf("recipe %q: %w", r.Name, err)
	}
	return agent.Recipe{Name: r.Name, Prompt: prompt, Tools: r.AllowedTools, Commands: r.AllowedCommands}, nil
}

// Bounds of a recipe's commands.
const (
	recipeCommandTimeout = 30 * time.Second
	recipeCommandOutput  = 4 << 20
)

// command returns what runs the commands of a recipe.
func (m Prompts) command(recipe string) Runner {
	return func(ctx context.Context, command string, args ...string) (string, error) {
		if m.noCommands {
			return "", errors.New("it runs commands, so a model cannot give it arguments")
		}
		return m.run(ctx, recipe, append([]string{command}, args...))
	}
}

// run runs a command of a recipe. As with Kodelet, the output of a command that fails is
// used; here a notice says so.
func (m Prompts) run(ctx context.Context, recipe string, words []string) (string, error) {
	runner := m.Runner()
	command, args := words[0], words[1:]
	runner.Stderr = nil // it is part of the output
	path := command
	if found, ok := runner.LookPath(command); ok && !strings.Contains(command, "/") {
		path = found
	} else if !strings.Contains(command, "/") {
		return "", fmt.Errorf("there is no program %q in PATH", command)
	}
	out, err := runner.Run(ctx, process.Command{Path: path, Args: args, Timeout: recipeCommandTimeout,
		MaxOutput: recipeCommandOutput})
	if err != nil {
		return "", err
	}
	if err := out.Err(); err != nil {
		m.Notice(fmt.Sprintf("recipe %q: %s: %v; its output is used as it is", recipe, strings.Join(words, " "),
			err))
	}
	return strings.ToValidUTF8(string(out.Stdout)+out.Stderr, "\uFFFD"), nil
}

// Bounds of the text for a model about recipes that define sub-agents.
const (
	maxAgents     = 30
	maxAgentBytes = 120
)

// Agents lists the recipes that can define a sub-agent: those in files, as far as they are
// approved.
func (m Prompts) Agents() (list []string) {
	for _, listed := range m.List() {
		r, err := m.FindApproved(listed.Name)
		if err != nil || listed.Path == "" || r.Path != listed.Path || len(list) == maxAgents {
			continue
		}
		name := r.Name
		if about := strings.Join(strings.Fields(r.Description), " "); about != "" {
			name += " (" + clip.Bytes(about, maxAgentBytes) + ")"
		}
		list = append(list, name)
	}
	return list
}

// ForAgent finds the recipe that defines a sub-agent. What a model writes as arguments gets
// into no command: a recipe that runs one takes none.
func (m Prompts) ForAgent(ctx context.Context, name string, args map[string]string) (agent.Recipe, error) {
	m.noCommands = len(args) > 0
	return m.ByName(ctx, name, args)
}

// Remark returns a note about a recipe with the place in its file.
func Remark(r *Recipe, note Note) string {
	if note.Line > 0 {
		return fmt.Sprintf("recipe %q: %s:%d: %s", r.Name, Place(r.Path), note.Line, note.Text)
	}
	return fmt.Sprintf("recipe %q: %s", r.Name, note.Text)
}

// Place returns where a recipe is, for people.
func Place(path string) string {
	if path == "" {
		return "built in"
	}
	return path
}
