package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools"
)

// BuiltIn is the protocol of handlers that are part of the program.
const BuiltIn = "built in"

// Recipes finds recipes and makes prompts from them.
type Recipes struct {
	*recipes.Library
	tools   *tools.Set                         // that a recipe may allow
	command func(recipe string) recipes.Runner // runs the commands of a recipe
	notice  func(string)
}

// RecipesOf returns the recipes of a session. If the home has prompts/compaction.md, as
// the original chibi has, that replaces the text that asks for a summary.
func RecipesOf(s *Session) Recipes {
	library := &recipes.Library{
		Dirs:  recipes.DirsOf(s.Project, s.Home),
		Texts: map[string]string{recipes.Compact: filepath.Join(s.Home, "prompts", "compaction.md")},
	}
	return Recipes{library, s.Agent.Tools, commandsOf(s), s.person.notice}
}

// byName finds a recipe that a hook or the program asks for.
func (m Recipes) byName(ctx context.Context, name string, args map[string]string) (agent.Recipe, error) {
	r, err := m.FindApproved(name)
	if err != nil {
		return agent.Recipe{}, err
	}
	args, unknown := r.Known(args)
	if len(unknown) > 0 {
		m.notice(fmt.Sprintf("recipe %q has no arguments %s; a hook passed them, they are ignored", name,
			strings.Join(unknown, ", ")))
	}
	return m.prepared(ctx, r, args)
}

// prepared expands a recipe with arguments, and reports what is missing or unknown.
func (m Recipes) prepared(ctx context.Context, r *recipes.Recipe, args map[string]string) (agent.Recipe, error) {
	for _, note := range r.Notes {
		if !note.Quiet {
			m.notice(Remark(r, note))
		}
	}
	for _, name := range r.Missing(args) {
		m.notice(fmt.Sprintf("recipe %q: the argument %s is not given and has no default; it is empty", r.Name, name))
	}
	var unknownTools []string
	for _, tool := range r.AllowedTools {
		if _, ok := m.tools.Lookup(tool); !ok {
			unknownTools = append(unknownTools, tool)
		}
	}
	if len(unknownTools) > 0 {
		m.notice(fmt.Sprintf("recipe %q allows unknown tools: %s; they are ignored", r.Name,
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

// commandsOf returns what runs the commands of a recipe in a session.
func commandsOf(s *Session) func(recipe string) recipes.Runner {
	return func(recipe string) recipes.Runner {
		return func(ctx context.Context, command string, args ...string) (string, error) {
			return runOf(ctx, s, recipe, append([]string{command}, args...))
		}
	}
}

// runOf runs a command of a recipe. As with Kodelet, the output of a command that fails is
// used; here a notice says so.
func runOf(ctx context.Context, s *Session, recipe string, words []string) (string, error) {
	runner := s.Loader().Runner()
	command, args := words[0], words[1:]
	runner.Stderr = nil               // it is part of the output
	if m := s.opts.Within; m != nil { // the arguments of the recipe are the model's
		runner.Env = append(runner.Env, m.Pair())
	}
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
		s.person.notice(fmt.Sprintf("recipe %q: %s: %v; its output is used as it is", recipe, strings.Join(words, " "),
			err))
	}
	return strings.ToValidUTF8(string(out.Stdout)+out.Stderr, "\uFFFD"), nil
}

// RecipePrompt returns the prompt of a session: that of its recipe with these
// arguments, then the text. Without a recipe it is the text.
func RecipePrompt(ctx context.Context, s *Session, args map[string]string, text string) (string, error) {
	if s.Recipe == nil {
		return text, nil
	}
	prepared, err := RecipesOf(s).prepared(ctx, s.Recipe, args)
	if err != nil {
		return "", err
	}
	s.Agent.Recipe = &prepared
	if text == "" {
		return prepared.Prompt, nil
	}
	return prepared.Prompt + "\n" + text, nil
}

// Remark returns a note about a recipe with the place in its file.
func Remark(r *recipes.Recipe, note recipes.Note) string {
	if note.Line > 0 {
		return fmt.Sprintf("recipe %q: %s:%d: %s", r.Name, Place(r.Path), note.Line, note.Text)
	}
	return fmt.Sprintf("recipe %q: %s", r.Name, note.Text)
}

// Place returns where a recipe is, for people.
func Place(path string) string {
	if path == "" {
		return BuiltIn
	}
	return path
}
