package cli

import (
	"context"
	"runtime/debug"
	"strings"

	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/urfave/cli/v2"
)

// The parts of --help that list flags, by their headings.
const (
	partContexts = "Contexts (named conversations that are kept)"
	partModel    = "Model and settings"
	partTools    = "Tools and permissions, for this run"
	partPlugins  = "Plugins"
	partRecipes  = "Recipes (prepared prompts in files)"
	partOther    = "Other"
)

func helpCommand(p *program) *cli.Command {
	return p.env.Command(command.Spec{Name: "help", About: "print this help",
		Run: func(context.Context, []string) error { return printHelp(p) }})
}

func printHelp(p *program) error {
	out := p.env.Out
	return out.Answer("show_help", output.Fields{"commands": cmdline.CommandNames(flagsOf(p.rows))},
		output.Wrap(strings.TrimSuffix(helpText(p), "\n"), output.HelpWidth(out.Screen)))
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func helpText(p *program) string {
	text := helpHead
	for _, part := range []string{partContexts, partModel, partTools, partPlugins, partRecipes, partOther} {
		text += part + ":\n" + cmdline.Help(flagsOf(p.rows), part) + "\n"
	}
	return text + helpOrder + "Commands (COMMAND --help has more):\n" + commandsHelp(p.commands) + helpTail
}

func commandsHelp(commands []*cli.Command) (text string) {
	for _, c := range commands {
		usage, about := c.ArgsUsage, c.Usage
		if len(c.Subcommands) > 0 {
			var names []string
			for _, sub := range c.Subcommands {
				names = append(names, sub.Name)
			}
			usage, about = "...", about+": "+strings.Join(names, ", ")
		}
		if !c.Hidden {
			text += cmdline.HelpLine(strings.TrimSpace("chibi "+c.Name+" "+usage), about)
		}
	}
	return text
}

// helpHead is the text of --help before the flags, helpOrder the text after them, and
// helpTail the text after the commands.
const helpHead = `chibi - talk to a language model, and let plugins see and shape it

Usage:
   chibi                             start a conversation; Ctrl-D ends it, /help lists its commands
   chibi [flags] prompt words...     ask the model; everything after the flags is the prompt
   chibi [flags] < file              ask with the text of a file or a pipe; prompt words, if any, precede it
   chibi [flags] COMMAND             run a command; a sentence that begins with its name is a prompt

Examples:
   chibi "what does HTTP 418 mean?"
   git diff | chibi "review this"
   chibi -c work "hello"             switch to the context "work", then ask
   chibi -C draft "hello"            use the context "draft" for this run only
   chibi -a -y "You are terse" "hi"  archive the conversation, set the system prompt, then ask
   chibi -- demo                     ask the model "demo" instead of running the command

Lower-case letters mean the current context, upper-case letters a context that
you name; "-" names the previous one. Short flags may be written together, with
the value attached: -vcwork.

`

const helpOrder = `The order of the flags does not matter: chibi saves settings first; then it
destroys, archives, compacts and renames contexts, sets system prompts and shows
things; then it calls tools, processes mail, and sends the prompt.

`

const helpTail = `
Exit status:
` + exitCodesHelp + `
`
