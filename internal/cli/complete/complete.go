// Package complete has the commands by which a shell completes chibi's command line.
package complete

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// Commands lists the commands of completion: one prints the script for a shell, the
// other, which the scripts call, lists the completions of a word.
func Commands(env *command.Env) []*cli.Command {
	return []*cli.Command{
		env.Command(command.Spec{
			Name: "completion", Args: "SHELL", About: "print the script that completes chibi's commands in bash, zsh or fish",
			Run: func(_ context.Context, args []string) error { return printScript(env.Out.Screen.Stdout(), args[0]) },
		}),
		{Name: "__complete", Hidden: true, SkipFlagParsing: true, ArgsUsage: "[WORD]...",
			Action: func(c *cli.Context) error {
				complete(c.Context, env, c.App, c.Args().Slice())
				return nil
			}},
	}
}

type completer struct {
	sources
	app *cli.App // the command line to which the words belong
}

func (c *completer) candidates(ctx context.Context, before []string) []string {
	flags, rest := c.app.Flags, before
	for len(rest) > 0 {
		word := rest[0]
		if word == "--" {
			return nil
		}
		if !strings.HasPrefix(word, "-") {
			return c.afterCommand(ctx, rest)
		}
		f := cmdline.Ending(flags, word)
		rest = rest[1:]
		if f == nil || strings.Contains(word, "=") {
			continue
		}
		if f.Names()[0] == "home" && len(rest) > 0 {
			c.home = rest[0]
		}
		for _, value := range cmdline.Values(f) {
			if len(rest) == 0 || value.Kind == cmdline.Rest {
				return c.words(ctx, value)
			}
			rest = rest[1:]
		}
	}
	return append(commandNames(c.app.Commands), cmdline.NamesOf(flags)...)
}

func (c *completer) afterCommand(ctx context.Context, words []string) []string {
	commands := c.app.Commands
	for i, word := range words {
		at := slices.IndexFunc(commands, func(cmd *cli.Command) bool { return cmd.HasName(word) })
		if at < 0 {
			return nil // a prompt
		}
		found := commands[at]
		if len(found.Subcommands) == 0 {
			return c.arguments(ctx, found, words[i+1:])
		}
		commands = found.Subcommands
	}
	return commandNames(commands)
}

func commandNames(commands []*cli.Command) (list []string) {
	for _, cmd := range commands {
		if !cmd.Hidden {
			list = append(list, cmd.Name)
		}
	}
	return list
}

func (c *completer) arguments(ctx context.Context, found *cli.Command, words []string) []string {
	if len(words) > 0 {
		f := cmdline.Ending(found.Flags, words[len(words)-1])
		if values := cmdline.Values(f); f != nil && len(values) > 0 {
			return c.words(ctx, values[0])
		}
	}
	own, _ := cmdline.SplitCommand(words, found.Flags)
	list := cmdline.NamesOf(found.Flags)
	takes := strings.Fields(found.ArgsUsage)
	next := len(own.Words)
	if last := len(takes) - 1; last >= 0 && strings.HasSuffix(takes[last], "...") {
		next = min(next, last)
	}
	if next >= len(takes) {
		return list
	}
	return c.argument(ctx, strings.Trim(takes[next], "[]."), argument{found, own.Words, list})
}

// isOf reports whether a command is one of a group.
func (c *completer) isOf(group string, found *cli.Command) bool {
	return slices.ContainsFunc(c.app.Commands, func(g *cli.Command) bool {
		return g.Name == group && slices.Contains(g.Subcommands, found)
	})
}

type argument struct {
	command *cli.Command
	before  []string // the command's words before it
	flags   []string // the flags that are possible instead
}

func (c *completer) argument(ctx context.Context, name string, a argument) []string {
	switch name {
	case "NAME", "OLD":
		var more []string
		if a.command.Name == "switch" {
			more = newContexts()
		}
		return append(c.contextNames(ctx, more), a.flags...)
	case "CONTEXT":
		return append(c.contextNames(ctx, nil), a.flags...)
	case "PLUGIN":
		return append(a.flags, c.read(ctx, pluginNames)...)
	case "TOOL":
		if strings.HasPrefix(a.command.ArgsUsage, "SERVER ") {
			return append(a.flags, c.serverTools(ctx, a.before[0])...)
		}
		return append(a.flags, c.toolNames(ctx, false)...)
	case "SERVER":
		if a.command.Name != "add" {
			return append(a.flags, c.read(ctx, serverNames)...)
		}
	case "POINT":
		return append(a.flags, hookpoints.Names()...)
	case "RECIPE":
		return append(a.flags, c.read(ctx, recipeNames)...)
	case "explain|FILE":
		return append(a.flags, "explain")
	case "ABOUT":
		if a.before[0] == "explain" {
			return append(a.flags, c.read(ctx, traceNames)...)
		}
	case "ID":
		if c.isOf("unsent", a.command) {
			return append(a.flags, c.unsentIDs()...)
		}
		return append(a.flags, c.read(ctx, cachedIDs)...)
	case "SHELL":
		return append(a.flags, "bash", "zsh", "fish")
	}
	return a.flags
}

func (c *completer) words(ctx context.Context, value cmdline.Value) []string {
	if value.Known != nil {
		return value.Known()
	}
	switch value.Kind {
	case cmdline.Context:
		return c.contextNames(ctx, nil)
	case cmdline.NewContext:
		return c.contextNames(ctx, newContexts())
	case cmdline.Setting:
		return settings()
	case cmdline.Plugin:
		return c.read(ctx, pluginNames)
	case cmdline.Point:
		return hookpoints.Names()
	case cmdline.Recipe:
		return c.read(ctx, recipeNames)
	case cmdline.Tool, cmdline.PluginOrTool:
		return c.toolNames(ctx, value.Kind == cmdline.PluginOrTool)
	}
	return nil
}

//go:embed completion
var scripts embed.FS

func printScript(out io.Writer, shell string) error {
	script, err := scripts.ReadFile("completion/chibi." + shell)
	if err != nil {
		return command.Usage("there is no completion for %q; want bash, zsh or fish", shell)
	}
	_, err = out.Write(script)
	return err
}

// complete prints the completions of the last word, one per line. It prints no errors,
// which would appear in the middle of the line that a person is typing.
func complete(ctx context.Context, env *command.Env, app *cli.App, words []string) {
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := len(words) - 1
	c := completer{sources: sources{env: env}, app: app}
	for _, word := range c.candidates(ctx, words[:last]) {
		if strings.HasPrefix(word, words[last]) {
			fmt.Fprintln(env.Out.Screen.Stdout(), word)
		}
	}
}
