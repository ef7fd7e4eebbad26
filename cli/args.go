package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// line is the command line, taken apart before the flag parser sees it: flags
// end at the first word that is not one, at "--", and after -p NAME or -P TOOL,
// whose further words belong to the plugin.
type line struct {
	flags []string // flags and their values
	words []string // the prompt or a command
	ended bool     // "--" ended the flags: words are a prompt, whatever they are
	tail  []string // what follows -p NAME or -P TOOL
	open  bool     // the last flag lacks its value
}

// splitLine takes arguments apart.
func splitLine(args []string, flags []cli.Flag) line {
	var l line
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch {
		case word == "--":
			l.words, l.ended = args[i+1:], true
			return l
		case !strings.HasPrefix(word, "-") || word == "-":
			l.words = args[i:]
			return l
		}
		l.flags = append(l.flags, word)
		name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if !takesValue(flags, name) {
			continue
		}
		if !hasValue {
			if i++; i == len(args) {
				l.open = true
				return l
			}
			l.flags = append(l.flags, args[i])
		}
		if slices.Contains([]string{"p", "plugin", "P", "call-tool"}, name) {
			l.tail = args[i+1:]
			return l
		}
	}
	return l
}

// takesValue says whether a flag is followed by a value.
func takesValue(flags []cli.Flag, name string) bool {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool
		}
	}
	return false
}

// command finds the command that the words name completely, followed by as many
// words as it takes. Everything else is a prompt: "demo the new feature to me"
// is not the command demo.
func (l line) command(commands []*cli.Command) *cli.Command {
	if l.ended {
		return nil
	}
	words := l.words
	for len(words) > 0 {
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(words[0]) })
		if i < 0 {
			return nil
		}
		found := commands[i]
		words, commands = words[1:], found.Subcommands
		if found.Action == nil {
			continue
		}
		if takes := len(strings.Fields(found.ArgsUsage)); len(words) == takes || asksForHelp(words) {
			return found
		}
		return nil
	}
	return nil
}

func asksForHelp(words []string) bool {
	return len(words) == 1 && (words[0] == "-h" || words[0] == "--help")
}

// parserArgs are the arguments for the flag parser: a prompt is hidden from it
// behind "--", so that no word of it is taken for a flag. A flag without its
// value is left for the parser to complain about.
func (l line) parserArgs(isCommand bool) []string {
	args := append([]string{"chibi"}, l.flags...)
	if !isCommand && !l.open {
		args = append(args, "--")
	}
	return append(args, l.words...)
}
