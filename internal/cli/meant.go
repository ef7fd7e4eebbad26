package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/cli/cmdline"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/urfave/cli/v2"
)

// meantBy returns the command that a person may have meant by words that are hardly a prompt: a word
// alone, or a group of commands in the plural and one of the group; "" for all other lines.
func meantBy(l cmdline.Line, commands []*cli.Command) string {
	if l.Ended || len(l.Words) == 0 {
		return ""
	}
	isWord := func(word string) bool { return !strings.HasPrefix(word, "-") }
	if slices.ContainsFunc(l.Words[1:], isWord) {
		name := strings.TrimSuffix(l.Words[0], "s")
		singular := cmdline.Line{Words: append([]string{name}, l.Words[1:]...)}
		found, err := singular.Command(commands)
		if name != l.Words[0] && err == nil && found != nil && found.Name == l.Words[1] {
			return "chibi " + name + " " + found.Name
		}
		return ""
	}
	return map[string]string{
		"plugins": "chibi plugin list", "tools": "chibi tool list", "models": "chibi -n model", "config": "chibi -n list",
		"undo": "chibi --help",
	}[l.Words[0]]
}

// confirmPrompt asks a person whether a word that looks like a command is a prompt. Without a
// terminal it is an error.
func confirmPrompt(ctx context.Context, p *program, words []string) error {
	if p.meant == "" || len(words) == 0 || p.opts.recipe != nil {
		return nil
	}
	why := fmt.Sprintf("there is no command %q; see %s", words[0], p.meant)
	ok, err := p.env.Confirm(ctx, why+". Ask the model anyway? [y/N] ")
	if errors.Is(err, command.ErrNoTerminal) || err == nil && !ok {
		return command.Usage("%s, or put -- before it if it is a prompt", why)
	}
	return err
}
