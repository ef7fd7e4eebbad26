package cli

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// line is the command line, taken apart before the flag parser sees it: flags
// end at the first word that is not one, at "--", and after -p NAME or -P TOOL,
// whose further words belong to the plugin.
type line struct {
	flags []string // --name, or --name=value for each value
	words []string // the prompt or a command
	ended bool     // "--" ended the flags: words are a prompt, whatever they are
	tail  []string // what follows -p NAME or -P TOOL
}

// splitLine takes arguments apart. Short flags may be written together, and
// their value attached: -vcwork is -v -c work.
func splitLine(args []string, flags []cli.Flag) (l line, err error) {
	for len(args) > 0 {
		word := args[0]
		switch {
		case word == "--":
			l.words, l.ended = args[1:], true
			return l, nil
		case !strings.HasPrefix(word, "-") || word == "-":
			l.words = args
			return l, nil
		}
		var isPluginCall bool
		if args, isPluginCall, err = l.takeFlags(word, args[1:], flags); err != nil {
			return l, err
		}
		if isPluginCall {
			l.tail = args
			return l, nil
		}
	}
	return l, nil
}

// takeFlags takes the flags of one word, and their values from it and the words
// after it. It returns the words that are left.
func (l *line) takeFlags(word string, rest []string, flags []cli.Flag) (left []string, isPluginCall bool, err error) {
	if name, isLong := strings.CutPrefix(word, "--"); isLong {
		name, value, attached := strings.Cut(name, "=")
		f := findFlag(flags, name)
		if f == nil {
			return nil, false, noFlag("--" + name)
		}
		return l.takeValues(f, "--"+name, value, attached, rest)
	}
	for letters := word[1:]; letters != ""; {
		_, size := utf8.DecodeRuneInString(letters)
		name := letters[:size]
		letters = letters[size:]
		f := findFlag(flags, name)
		if f == nil {
			return nil, false, noFlag("-" + name)
		}
		if takes(f) == 0 {
			l.flags = append(l.flags, "--"+f.Names()[0])
			continue
		}
		return l.takeValues(f, "-"+name, strings.TrimPrefix(letters, "="), letters != "", rest)
	}
	return rest, false, nil
}

// takeValues takes as many values as a flag needs: the attached one first.
func (l *line) takeValues(f cli.Flag, name, value string, attached bool, rest []string) ([]string, bool, error) {
	long := "--" + f.Names()[0]
	if takes(f) == 0 {
		if attached {
			long += "=" + value
		}
		l.flags = append(l.flags, long)
		return rest, false, nil
	}
	for i := range takes(f) {
		if i > 0 || !attached {
			if len(rest) == 0 {
				return nil, false, missingValue(f, name)
			}
			value, rest = rest[0], rest[1:]
		}
		l.flags = append(l.flags, long+"="+value)
	}
	v, ok := f.(*valuesFlag)
	return rest, ok && v.kinds[0] == toolValue, nil
}

func findFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(names(f), name) {
			return f
		}
	}
	return nil
}

// command finds the command that the words name, with no more words than it
// takes; its own flags may stand among them. Everything else is a prompt: "demo
// the new feature to me" is not the command demo. A flag that the command does not
// have is a mistake, unless more words than it takes stand before it.
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
		if isGroup := len(commands) > 0; isGroup && (len(words) == 0 || asksForHelp(words)) {
			return found
		} else if isGroup {
			continue
		}
		_, most := arity(found)
		if own, _ := splitCommand(words, found.Flags); len(own.words) <= most || asksForHelp(words) {
			return found
		}
		return nil
	}
	return nil
}

// arity is how many words a command takes, as its ArgsUsage says: NAME is one,
// [NAME] may be left out, [TEXT]... is as many as there are.
func arity(c *cli.Command) (least, most int) {
	for _, word := range strings.Fields(c.ArgsUsage) {
		if strings.HasSuffix(word, "...") {
			return least, math.MaxInt
		}
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
	}
	return least, most
}

// splitCommand takes a command's words apart; its flags may stand anywhere.
func splitCommand(words []string, flags []cli.Flag) (l line, err error) {
	for len(words) > 0 {
		part, err := splitLine(words, flags)
		if err != nil {
			return l, err
		}
		l.flags = append(l.flags, part.flags...)
		if part.ended || len(part.words) == 0 {
			l.words = append(l.words, part.words...)
			return l, nil
		}
		l.words = append(l.words, part.words[0])
		words = part.words[1:]
	}
	return l, nil
}

func asksForHelp(words []string) bool {
	return len(words) == 1 && (words[0] == "-h" || words[0] == "--help")
}

// parserArgs are the arguments for the flag parser, which wants flags first. A
// prompt is hidden from it behind "--", so that no word of it is taken for a
// flag.
func (l line) parserArgs(found *cli.Command) ([]string, error) {
	args := append([]string{"chibi"}, l.flags...)
	if found == nil {
		return append(append(args, "--"), l.words...), nil
	}
	depth := slices.Index(l.words, found.Name) + 1
	args = append(args, l.words[:depth]...)
	if len(found.Subcommands) > 0 {
		return args, nil
	}
	words := l.words[depth:]
	own, err := splitCommand(words, found.Flags)
	if last := max(0, len(words)-1); asksForHelp(words[last:]) && !slices.Contains(words, "--") {
		words = words[last:] // what stands before it would be taken for the name of a topic
	}
	if asksForHelp(words) {
		return append(args, words...), nil
	} else if err != nil {
		return nil, seeHelp(err, l.words[:depth]...)
	}
	args = append(args, own.flags...)
	if len(own.words) > 0 {
		args = append(append(args, "--"), own.words...)
	}
	return args, nil
}
