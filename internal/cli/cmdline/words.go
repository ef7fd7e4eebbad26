package cmdline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/urfave/cli/v2"
)

// Command finds the command that the words name; its own flags may be among them. It is nil if
// they are a prompt: "demo the new feature to me" is not the command demo. After the name of a
// command, a prompt has two words or more, the first is neither a subcommand nor in its usage, and none is a flag; all
// else that a command cannot take is an error, as whoever means a command pays for no prompt.
func (l Line) Command(commands []*cli.Command) (*cli.Command, error) {
	found, words := l.named(commands)
	if found == nil || asksForHelp(words) {
		return found, nil
	}
	own, _ := SplitCommand(words, found.Flags)
	_, most := Arity(found)
	names := l.Words[:len(l.Words)-len(words)]
	switch isGroup := len(found.Subcommands) > 0; {
	case len(words) == 0, !isGroup && len(own.Words) <= most:
		return found, nil
	case len(names) == 1 && len(words) > 1 && !takesWord(found, words[0]) && !slices.ContainsFunc(words, isFlag):
		return nil, nil
	}
	return nil, SeeHelp(lineError{misfit(found, names, words), true}, names...)
}

// named returns the command that the first words name, and the words after it.
func (l Line) named(commands []*cli.Command) (found *cli.Command, words []string) {
	for words = l.Words; len(words) > 0 && !l.Ended; words = words[1:] {
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(words[0]) })
		if i < 0 {
			break
		}
		found, commands = commands[i], commands[i].Subcommands
	}
	return found, words
}

// misfit says why words after a command are not its own.
func misfit(c *cli.Command, names, words []string) string {
	name := strings.Join(names, " ")
	if len(c.Subcommands) == 0 {
		takes := cmp.Or(c.ArgsUsage, "no words")
		return fmt.Sprintf("chibi %s takes %s; %q follows it", name, takes, strings.Join(words, " "))
	}
	if isFlag(words[0]) {
		return unknownFlag(words[0]).Error()
	}
	var known []string
	for _, sub := range c.Subcommands {
		known = append(known, sub.Name)
	}
	text := fmt.Sprintf("there is no command %q", name+" "+words[0])
	if near := strictjson.Nearest(words[0], known); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", name+" "+near)
	}
	return text
}

// takesWord reports whether a word is one that the usage of a command has literally, as [last|FILE] has last.
func takesWord(c *cli.Command, word string) bool {
	first, _, _ := strings.Cut(c.ArgsUsage, " ")
	literals := strings.Split(strings.Trim(first, "[]."), "|")
	return word == strings.ToLower(word) && slices.Contains(literals, word)
}

func isFlag(word string) bool { return strings.HasPrefix(word, "-") && word != "-" }

func asksForHelp(words []string) bool {
	return len(words) > 0 && slices.Contains([]string{"-h", "--help"}, words[len(words)-1]) &&
		!slices.Contains(words, "--")
}

// Arity returns how many words a command takes, according to its ArgsUsage: NAME is
// one word, [NAME] is optional, NAME... is one word or more, [TEXT]... is any number of words.
func Arity(c *cli.Command) (least, most int) {
	for _, word := range strings.Fields(c.ArgsUsage) {
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if strings.HasSuffix(word, "...") {
			return least, math.MaxInt
		}
		most++
	}
	return least, most
}
