// Package recipe has the commands about recipes.
package recipe

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

// Commands lists the commands about recipes.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{env.Group("recipe", "prepared prompts in files", []*cli.Command{
		runCommand(env), listCommand(env), showCommand(env),
	})}
}

func runCommand(env *command.Env) *cli.Command {
	var arguments []string
	return env.Command(command.Spec{
		Name: "run", Args: "RECIPE [TEXT]...", About: "ask the model with a recipe, and TEXT after it",
		Flags: []cli.Flag{&cmdline.Flag{Name: "arg", Takes: cmdline.Word("NAME=VALUE", cmdline.Argument),
			Into: cmdline.List(&arguments), About: "give the recipe an argument; you can give it several times"}},
		Examples: []string{"chibi recipe run compact", "git diff | chibi recipe run review --arg since=HEAD~3"},
		IsPrompt: true,
		Run: func(ctx context.Context, args []string) error {
			return env.Prompt(ctx, command.Prompt{Recipe: args[0], Args: arguments, Words: args[1:]})
		},
	})
}

func listCommand(env *command.Env) *cli.Command {
	var asJSON bool
	return env.Command(command.Spec{
		Name: "list", About: "list the recipes and where they come from",
		Flags: []cli.Flag{command.JSONFlag(&asJSON)},
		Reads: func(_ context.Context, s *app.Session, _ []string) error { return list(env, s, asJSON) },
	})
}

func showCommand(env *command.Env) *cli.Command {
	return env.Command(command.Spec{
		Name: "show", Args: "RECIPE", About: "show a recipe: its purpose, its arguments, what it allows, its text",
		Reads: func(_ context.Context, s *app.Session, args []string) error { return show(env, s, args[0]) },
	})
}

// listed describes one recipe. Note says why the recipe or a part of it is not used;
// File is "" for one that is built in.
type listed struct {
	Name        string `json:"name"`
	File        string `json:"file"`
	Description string `json:"description"`
	Note        string `json:"note,omitempty"`
}

func list(env *command.Env, s *app.Session, asJSON bool) error {
	var rows [][]string
	list := []listed{}
	library := app.RecipesOf(s).Library
	for _, l := range library.List() {
		one, text := describe(library, l)
		list = append(list, one)
		rows = append(rows, []string{term.Name(l.Name), term.Name(recipes.Place(l.Path)), term.Line(text)})
	}
	if asJSON {
		return env.Out.JSON(list)
	}
	return env.Out.Columns(rows)
}

func describe(library *recipes.Library, l recipes.Listed) (one listed, text string) {
	one = listed{Name: l.Name, File: l.Path, Note: whyUnused(library, l)}
	if l.Recipe != nil {
		one.Description = l.Recipe.Description
	}
	if one.Note != "" {
		return one, one.Note
	}
	one.Note = withoutEffect(l.Recipe)
	text = strings.TrimPrefix(one.Description+"; "+one.Note, "; ")
	return one, strings.TrimSuffix(text, "; ")
}

func whyUnused(library *recipes.Library, l recipes.Listed) string {
	found, err := library.Find(l.Name)
	switch {
	case err == nil && l.Err == nil && found.Path != l.Path && l.Recipe.Approved() != nil:
		return l.Recipe.Approved().Error() + ", so " + recipes.Place(found.Path) + " is used; see chibi trust"
	case err == nil && l.Err == nil && found.Path != l.Path:
		return "hidden by " + recipes.Place(found.Path)
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

func show(env *command.Env, s *app.Session, name string) error {
	r, err := app.RecipesOf(s).Find(name)
	if err != nil {
		return app.UsageError{Err: err}
	}
	out := env.Out.Screen.Stdout()
	for _, f := range fields(r) {
		if f.value != "" {
			fmt.Fprintf(out, "%-9s %s\n", f.name, term.Line(f.value))
		}
	}
	_, err = fmt.Fprintf(out, "\n%s\n", strings.TrimSpace(r.Body))
	return err
}

type field struct{ name, value string }

func fields(r *recipes.Recipe) []field {
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
	list := []field{
		{"recipe", r.Name}, {"title", r.Title}, {"about", r.Description}, {"file", recipes.Place(r.Path)}, {"tools", tools},
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
		list = append(list, field{"argument", text})
	}
	for _, note := range r.Notes {
		list = append(list, field{"note", note.String()})
	}
	return list
}
