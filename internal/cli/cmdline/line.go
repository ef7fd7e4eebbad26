package cmdline

import (
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
		case !isFlag(word):
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
	if asksForHelp(words) {
		return append(args, words[len(words)-1]), nil // the words before it would be taken for the name of a topic
	}
	own, err := SplitCommand(words, found.Flags)
	if err != nil {
		return nil, SeeHelp(err, l.Words[:depth]...)
	}
	args = append(args, own.Flags...)
	if len(own.Words) > 0 {
		args = append(append(args, "--"), own.Words...)
	}
	return args, nil
}
