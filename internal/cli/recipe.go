package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/recipes"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/urfave/cli/v2"
)

// recipePrompt is the prompt of a run with a recipe: the recipe's, then what the
// person wrote.
func (s *session) recipePrompt(ctx context.Context, text string) (string, error) {
	args, err := s.opts.arguments()
	if err != nil {
		return "", err
	}
	return app.RecipePrompt(ctx, s.Session, args, text)
}

// arguments reads the K=V pairs of --arg.
func (o *options) arguments() (map[string]string, error) {
	args := map[string]string{}
	for _, pair := range o.args {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usage("--arg %s: want NAME=VALUE", pair)
		}
		args[name] = value
	}
	return args, nil
}

func (p *program) recipeCommands(ctx context.Context) []*cli.Command {
	o := &p.opts
	arg := &cmdline.Flag{Name: "arg", Takes: cmdline.Word("NAME=VALUE", cmdline.Argument), Into: cmdline.List(&o.args),
		About: "give the recipe an argument, NAME=VALUE"}
	var asJSON bool
	return []*cli.Command{
		withExample(leaf(ctx, "run", "RECIPE [TEXT]...", "ask the model with a recipe, and TEXT after it", p.recipeRun, arg),
			"chibi recipe run compact", "git diff | chibi recipe run review --arg since=HEAD~3"),
		leaf(ctx, "list", "", "list the recipes, and where they come from",
			func(context.Context, []string) error { return p.recipeList(asJSON) }, jsonFlag(&asJSON)),
		leaf(ctx, "show", "RECIPE", "show a recipe: what it is for, its arguments, what it allows, its text", p.recipeShow),
	}
}

// recipeRun is a run with --recipe.
func (p *program) recipeRun(ctx context.Context, args []string) error {
	return p.env.Prompt(ctx, command.Prompt{Recipe: args[0], Args: p.opts.args, Words: args[1:]})
}

// listedRecipe is what is said of one recipe. Note says why it is not used, or not
// all of it; File is "" for one that is built in.
type listedRecipe struct {
	Name        string `json:"name"`
	File        string `json:"file"`
	Description string `json:"description"`
	Note        string `json:"note,omitempty"`
}

// recipeList lists the recipes.
func (p *program) recipeList(asJSON bool) error {
	s, err := p.openWithoutPlugins()
	if err != nil {
		return err
	}
	defer s.Close()
	var rows [][]string
	list := []listedRecipe{}
	library := app.Library(s.Session)
	for _, l := range library.List() {
		one := listedRecipe{Name: l.Name, File: l.Path, Note: recipeNote(library, l)}
		text := one.Note
		if l.Recipe != nil {
			one.Description = l.Recipe.Description
		}
		if one.Note == "" {
			one.Note = withoutEffect(l.Recipe)
			text = strings.TrimPrefix(one.Description+"; "+one.Note, "; ")
			text = strings.TrimSuffix(text, "; ")
		}
		list = append(list, one)
		rows = append(rows, []string{term.Name(l.Name), term.Name(app.Place(l.Path)), term.Line(text)})
	}
	if asJSON {
		return p.printJSON(list)
	}
	return p.printColumns(rows)
}

// recipeNote says why a recipe is not used, or not all of it; "" if it is.
func recipeNote(library *recipes.Library, l recipes.Listed) string {
	found, err := library.Find(l.Name)
	switch {
	case err == nil && l.Err == nil && found.Path != l.Path && l.Recipe.Approved() != nil:
		return l.Recipe.Approved().Error() + ", so " + app.Place(found.Path) + " is used; see chibi trust"
	case err == nil && l.Err == nil && found.Path != l.Path:
		return "hidden by " + app.Place(found.Path)
	case l.Err != nil:
		return "cannot be read: " + strings.TrimPrefix(l.Err.Error(), fmt.Sprintf("recipe %q: ", l.Name))
	case l.Recipe.Approved() != nil && l.Recipe.RunsCommands():
		return "runs commands, " + l.Recipe.Approved().Error() + "; see chibi trust"
	}
	if _, err := l.Recipe.Plugins(recipes.Handlers(0)); err != nil {
		return "cannot be run: " + strings.TrimPrefix(err.Error(), l.Path+": ")
	}
	return ""
}

// withoutEffect names the keys of a recipe's front matter that do nothing; "" if
// there are none.
func withoutEffect(r *recipes.Recipe) string {
	var keys []string
	for _, note := range r.Notes {
		if note.Key != "" {
			keys = append(keys, note.Key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	return fmt.Sprintf("keys without effect: %s; see chibi recipe show %s", strings.Join(keys, ", "),
		term.ShellWord(r.Name))
}

// recipeShow shows one recipe.
func (p *program) recipeShow(_ context.Context, args []string) error {
	s, err := p.openWithoutPlugins()
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := app.Library(s.Session).Find(args[0])
	if err != nil {
		return app.UsageError{Err: err}
	}
	out := p.screen.Stdout()
	for _, f := range recipeFields(r) {
		if f.value != "" {
			fmt.Fprintf(out, "%-9s %s\n", f.name, term.Line(f.value))
		}
	}
	_, err = fmt.Fprintf(out, "\n%s\n", strings.TrimSpace(r.Body))
	return err
}

// recipeFields are what is shown of a recipe before its text.
func recipeFields(r *recipes.Recipe) []struct{ name, value string } {
	var hooks []string
	for _, event := range slices.Sorted(maps.Keys(r.Hooks)) {
		text := event + ": " + r.Hooks[event].Handler
		if r.Hooks[event].Once {
			text += " (once)"
		}
		hooks = append(hooks, text)
	}
	tools := strings.Join(r.AllowedTools, ", ")
	if r.AllowedTools != nil && tools == "" {
		tools = "none"
	}
	commands := ""
	if r.RunsCommands() {
		commands = "its text runs commands"
		if err := r.Approved(); err != nil {
			commands += ", and it is " + err.Error() + "; see chibi trust"
		}
	}
	fields := []struct{ name, value string }{
		{"recipe", r.Name}, {"title", r.Title}, {"about", r.Description}, {"file", app.Place(r.Path)}, {"tools", tools},
		{"commands", strings.Join(r.AllowedCommands, ", ")}, {"hooks", strings.Join(hooks, ", ")}, {"runs", commands},
	}
	for _, name := range slices.Sorted(maps.Keys(r.Arguments)) {
		a := r.Arguments[name]
		text := name
		if a.Default != nil {
			text += fmt.Sprintf(" (default %q)", *a.Default)
		}
		if a.Description != "" {
			text += ": " + a.Description
		}
		fields = append(fields, struct{ name, value string }{"argument", text})
	}
	for _, note := range r.Notes {
		fields = append(fields, struct{ name, value string }{"note", note.String()})
	}
	return fields
}
