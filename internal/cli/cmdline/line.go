package cmdline

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// Line is the command line, split before the flag parser sees it: flags end at the
// first word that is not a flag, at "--", and after a flag that takes the rest of
// the line.
type Line struct {
	Flags []string // --name, or --name=value for each value
	Words []string // the prompt or a command
	Ended bool     // "--" ended the flags: the words are a prompt in any case
	Rest  []string // the words of the last flag, if it takes the rest of the line

	last cli.Flag
}

// Split splits arguments. Short flags may be combined, with the value attached:
// -vcwork is -v -c work. The rest of the line is given to its flag here; everything
// else is given to flags by the parser.
func Split(args []string, flags []cli.Flag) (l Line, err error) {
	for len(args) > 0 {
		word := args[0]
		switch {
		case word == "--":
			l.Words, l.Ended = args[1:], true
			return l, nil
		case !strings.HasPrefix(word, "-") || word == "-":
			l.Words = args
			return l, nil
		}
		if args, err = l.takeFlags(word, args[1:], flags); err != nil {
			return l, err
		}
		if last, ok := l.last.(*Flag); ok && last.takesRest() {
			l.Rest, last.given.Rest = args, args
			return l, nil
		}
	}
	return l, nil
}

func (l *Line) takeFlags(word string, rest []string, flags []cli.Flag) (left []string, err error) {
	if name, isLong := strings.CutPrefix(word, "--"); isLong {
		name, value, attached := strings.Cut(name, "=")
		f := Find(flags, name)
		switch {
		case f == nil:
			return nil, unknownFlag("--" + name)
		case attached && takes(f) == 0:
			l.Flags = append(l.Flags, "--"+f.Names()[0]+"="+value)
			return rest, nil
		case attached:
			rest = slices.Concat([]string{value}, rest)
		}
		return l.takeValues(f, "--"+name, rest)
	}
	for letters := word[1:]; letters != ""; {
		_, size := utf8.DecodeRuneInString(letters)
		name := letters[:size]
		letters = letters[size:]
		f := Find(flags, name)
		if f == nil {
			return nil, unknownFlag("-" + name)
		}
		if takes(f) > 0 && letters != "" {
			rest, letters = slices.Concat([]string{strings.TrimPrefix(letters, "=")}, rest), ""
		}
		if rest, err = l.takeValues(f, "-"+name, rest); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

func (l *Line) takeValues(f cli.Flag, name string, rest []string) (left []string, err error) {
	l.last = f
	long := "--" + f.Names()[0]
	if takes(f) == 0 {
		l.Flags = append(l.Flags, long)
	}
	if len(rest) < takes(f) {
		return nil, missingValue(f, name)
	}
	for _, value := range rest[:takes(f)] {
		l.Flags = append(l.Flags, long+"="+value)
	}
	return rest[takes(f):], nil
}

// Find finds a flag by any of its names; nil if there is none.
func Find(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(names(f), name) {
			return f
		}
	}
	return nil
}

// Ending returns the last flag of a word of flags, by its long name or the last of
// its letters; nil if there is none.
func Ending(flags []cli.Flag, word string) cli.Flag {
	if name, isLong := strings.CutPrefix(word, "--"); isLong {
		return Find(flags, name)
	}
	if len(word) < 2 || word[0] != '-' {
		return nil
	}
	return Find(flags, word[len(word)-1:])
}

// Command finds the command that the words name, with no more words than it takes;
// its own flags may be among them. Everything else is a prompt: "demo the new
// feature to me" is not the command demo. A flag that the command does not have is
// an error, unless more words than the command takes precede it.
func (l Line) Command(commands []*cli.Command) *cli.Command {
	if l.Ended {
		return nil
	}
	words := l.Words
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
		_, most := Arity(found)
		if own, _ := SplitCommand(words, found.Flags); len(own.Words) <= most || asksForHelp(words) {
			return found
		}
		return nil
	}
	return nil
}

// Arity returns how many words a command takes, according to its ArgsUsage: NAME is
// one word, [NAME] is optional, [TEXT]... is any number of words.
func Arity(c *cli.Command) (least, most int) {
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

// SplitCommand splits a command's words; its flags may be anywhere among them.
func SplitCommand(words []string, flags []cli.Flag) (l Line, err error) {
	for len(words) > 0 {
		part, err := Split(words, flags)
		if err != nil {
			return l, err
		}
		l.Flags = append(l.Flags, part.Flags...)
		if part.Ended || len(part.Words) == 0 {
			l.Words = append(l.Words, part.Words...)
			return l, nil
		}
		l.Words = append(l.Words, part.Words[0])
		words = part.Words[1:]
	}
	return l, nil
}

func asksForHelp(words []string) bool {
	return len(words) == 1 && (words[0] == "-h" || words[0] == "--help")
}

// ParserArgs returns the arguments for the flag parser, which expects flags first.
// "--" protects a prompt, so that none of its words is taken for a flag.
func (l Line) ParserArgs(found *cli.Command) ([]string, error) {
	args := append([]string{"chibi"}, l.Flags...)
	if found == nil {
		return append(append(args, "--"), l.Words...), nil
	}
	depth := slices.Index(l.Words, found.Name) + 1
	args = append(args, l.Words[:depth]...)
	if len(found.Subcommands) > 0 {
		return args, nil
	}
	words := l.Words[depth:]
	own, err := SplitCommand(words, found.Flags)
	if last := max(0, len(words)-1); asksForHelp(words[last:]) && !slices.Contains(words, "--") {
		words = words[last:] // the words before it would be taken for the name of a topic
	}
	if asksForHelp(words) {
		return append(args, words...), nil
	} else if err != nil {
		return nil, SeeHelp(err, l.Words[:depth]...)
	}
	args = append(args, own.Flags...)
	if len(own.Words) > 0 {
		args = append(append(args, "--"), own.Words...)
	}
	return args, nil
}
