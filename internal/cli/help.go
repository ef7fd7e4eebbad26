package cli

import (
	"context"
	"runtime/debug"
	"strings"

	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// The parts of --help that list flags, by their headings.
const (
	partContexts = "Contexts (named conversations that are kept)"
	partModel    = "Model and settings"
	partPlugins  = "Plugins"
	partRecipes  = "Recipes (prepared prompts in files)"
	partOther    = "Other"
)

// helpCommand is the command help.
func helpCommand(p *program) *cli.Command {
	return p.env.Command(command.Spec{Name: "help", About: "print this help",
		Run: func(context.Context, []string) error { return printHelp(p.env.Out, flagsOf(p.rows)) }})
}

// printHelp prints the program's help.
func printHelp(out *command.Printer, flags []*cmdline.Flag) error {
	return out.Answer("show_help", command.Fields{"commands": cmdline.CommandNames(flags)},
		command.Wrap(strings.TrimSuffix(helpText(flags), "\n"), command.HelpWidth(out.Screen)))
}

// version is the module's version as built.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// helpText is what --help prints of these flags.
func helpText(flags []*cmdline.Flag) string {
	text := helpHead
	for _, part := range []string{partContexts, partModel, partPlugins, partRecipes, partOther} {
		text += part + ":\n" + cmdline.Help(flags, part) + "\n"
	}
	return text + helpTail
}

// helpHead is what --help says before the flags, helpTail what it says after them.
const helpHead = `chibi - talk to a language model, and let plugins see and shape it

Usage:
   chibi                             talk: a prompt with history and several lines, until Ctrl-D; /help lists
                                     the commands that can be typed there
   chibi [flags] prompt words...     ask; everything after the flags is the prompt
   chibi [flags] < file              ask what a pipe or a file says; with words, they come first
   chibi [flags] COMMAND             only if the words name a command, with what it takes

Examples:
   chibi "what does HTTP 418 mean?"
   git diff | chibi "review this"
   chibi -c work "hello"             switch to the context "work" for good, then ask
   chibi -C draft "hello"            use the context "draft" for this run only
   chibi -a -y "You are terse" "hi"  archive the conversation, set the system prompt, then ask
   chibi -- demo                     ask the model "demo" instead of running the command

Small letters are about the current context, capital letters about the one that
is named; "-" names the previous one. Short flags may be written together, with
the value attached: -vcwork.

`

const helpTail = `Whatever their order: settings are saved first, then contexts are destroyed,
archived, compacted, renamed, given a system prompt, shown; then tools are
called, mail is dealt with, and the prompt is asked.

Commands (COMMAND --help has more):
   chibi context list|show|switch|rename|archive|compact|delete
   chibi history                     what was said, by time, text and number, from the whole transcript
   chibi retry                       send the latest prompt again, if it got no answer
   chibi cache list|show|clear       tool outputs too large to show
   chibi plugin new|check|test|watch  write a plugin; find what is wrong with it; test it; while you edit
   chibi plugin install|show|enable|disable|remove
   chibi trace [explain [ABOUT]]     what plugins did in the newest turn: as a timeline, in sentences, as a page;
                                     ABOUT is a plugin, tool, hook, place in the request, prompt, context
   chibi replay                      fire a turn's hooks again at today's plugins; what differs
   chibi doctor                      look for what is wrong, with what to do about it
   chibi tool call TOOL [JSON]       run one tool, alone or as a turn would
   chibi plugin list                 all plugins, of chibi, Kodelet and Kode: order, tools, hooks; what is left out, why
   chibi recipe run|list|show        prepared prompts; "chibi recipe run compact" compacts
   chibi trust [DIRECTORY]           see what a directory's hooks and recipes would run, and approve them
   chibi hook fire POINT             try a hook without a conversation
   chibi hook list|show|schema       the hook points; what a plugin receives and may answer at one
   chibi completion bash|zsh|fish    the script that completes chibi's words in a shell
   chibi demo                        see the example plugins at work

Exit status:
` + exitCodesHelp + `
`
