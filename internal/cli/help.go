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

// helpHead is the text of --help before the flags, helpTail the text after them.
const helpHead = `chibi - talk to a language model, and let plugins see and shape it

Usage:
   chibi                             start a conversation; Ctrl-D ends it, /help lists its commands
   chibi [flags] prompt words...     ask the model; everything after the flags is the prompt
   chibi [flags] < file              ask with the text of a file or a pipe; prompt words, if any, precede it
   chibi [flags] COMMAND             run a command; words that are not a command and its arguments are a prompt

Examples:
   chibi "what does HTTP 418 mean?"
   git diff | chibi "review this"
   chibi -c work "hello"             switch to the context "work", then ask
   chibi -C draft "hello"            use the context "draft" for this run only
   chibi -a -y "You are terse" "hi"  archive the conversation, set the system prompt, then ask
   chibi -- demo                     ask the model "demo" instead of running the command

Lower-case letters mean the current context, upper-case letters a context that
is named; "-" names the previous one. Short flags may be written together, with
the value attached: -vcwork.

`

const helpTail = `The order of the flags does not matter: settings are saved first; then contexts
are destroyed, archived, compacted, renamed, given a system prompt and shown;
then tools are called, mail is processed, and the prompt is asked.

Commands (COMMAND --help has more):
   chibi context list|show|switch|rename|archive|compact|delete
   chibi history                     show the whole transcript, or a part by time, text or number
   chibi retry                       send the latest prompt again, if it got no answer
   chibi cache list|show|clear       tool outputs that were too large for the conversation
   chibi plugin new|check|test|watch  create a plugin; find its errors; run its tests; check it while you edit
   chibi plugin install|show|enable|disable|remove
   chibi trace [explain [ABOUT]]     show what plugins did in the newest turn: as a timeline, as sentences or as a
                                     page; ABOUT is a plugin, tool, hook,
                                     place in the request, prompt or context
   chibi replay                      fire the hooks of a turn again with today's plugins, and show what differs
   chibi doctor                      look for problems, and say how to fix them
   chibi tool call TOOL [JSON]       run one tool, alone or as in a turn
   chibi plugin list                 list all plugins of chibi, Kodelet and Kode: order, tools, hooks; which are left
                                     out, and why
   chibi recipe run|list|show        prepared prompts; "chibi recipe run compact" compacts the conversation
   chibi trust [DIRECTORY]           show what a directory's hooks and recipes would run, and approve them
   chibi hook fire POINT             try a hook without a conversation
   chibi hook list|show|schema       the hook points; what a plugin receives and may answer at each
   chibi completion bash|zsh|fish    print the script that completes chibi's commands in a shell
   chibi demo                        show the example plugins at work

Exit status:
` + exitCodesHelp + `
`
