package chat

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/cli/output"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// chatCommand is a command of a conversation: a line that begins with a slash.
type chatCommand struct {
	names []string // the first is shown
	args  string   // the word that it takes, in brackets because it is optional
	about string
	run   runFunc
}

type runFunc func(ctx context.Context, c *conversation, word string) error

const retryName = "retry"

var errEnd = errors.New("the conversation ends")

func commands() []chatCommand {
	return []chatCommand{
		{[]string{"help"}, "", "list these commands", help},
		{[]string{retryName}, "", "send the latest prompt again, if it got no answer", retry},
		{[]string{"history"}, "[N]", "show the last N entries; 20 without a number, 0 for all", showHistory},
		{[]string{"compact"}, "", "replace the conversation with a summary that the model writes",
			onContext(operation.CompactCurrent)},
		{[]string{"clear", "archive"}, "", "empty the context; its transcript keeps everything",
			onContext(operation.Archive)},
		{[]string{"context"}, "[NAME]",
			`switch to another context, "-" is the previous one; without a name, show the current one`, switchContext},
		{[]string{"contexts"}, "", "list the contexts", listContexts},
		{[]string{"exit", "quit"}, "", "end the conversation, as Ctrl-D does", end},
	}
}

func runCommand(ctx context.Context, c *conversation, name, word string) error {
	known := commands()
	i := slices.IndexFunc(known, func(k chatCommand) bool { return slices.Contains(k.names, name) })
	if i < 0 {
		return unknownCommand(name, known)
	}
	if known[i].args == "" && word != "" {
		return output.Usage("/%s takes no words; begin with // to send the line as a prompt", name)
	}
	return known[i].run(ctx, c, word)
}

func unknownCommand(name string, commands []chatCommand) error {
	var known []string
	for _, c := range commands {
		known = append(known, c.names...)
	}
	hint := ""
	if nearest := strictjson.Nearest(name, known); nearest != "" {
		hint = "did you mean /" + nearest + "? "
	}
	return output.Usage("unknown command /%s; %s/help lists the commands; begin with // to send the line as a prompt",
		name, hint)
}

func help(_ context.Context, c *conversation, _ string) error {
	var rows [][]string
	for _, known := range commands() {
		usage := "/" + strings.Join(known.names, ", /") + " " + known.args
		rows = append(rows, []string{strings.TrimSpace(usage), known.about})
	}
	rows = append(rows, []string{"//...", "a prompt that begins with a slash"})
	return output.WriteColumns(output.HelpWriter(c.Out.Screen), rows)
}

func retry(ctx context.Context, c *conversation, _ string) error {
	return c.Session.Answer(ctx, c.Session.Agent.Retry)
}

func showHistory(ctx context.Context, c *conversation, word string) error {
	count := operation.Count{By: "/history", Text: cmp.Or(word, strconv.Itoa(operation.DefaultLast))}
	return operation.ShowLog(ctx, *c.Run, c.Session.Name(), count)
}

func onContext(do func(context.Context, operation.Run, string) error) runFunc {
	return func(ctx context.Context, c *conversation, _ string) error { return do(ctx, *c.Run, c.Session.Name()) }
}

func switchContext(ctx context.Context, c *conversation, name string) error {
	if name == "" {
		return operation.ShowContext(ctx, *c.Run, c.Session.Name())
	}
	moved, err := c.Session.Move(ctx, name)
	if err != nil {
		return err
	}
	c.Session = moved
	if err := c.Out.Say("Switched to context '%s'", c.Session.Name()); err != nil {
		return err
	}
	prompts, err := earlierPrompts(ctx, c.Run)
	c.editor.History = prompts
	return err
}

func listContexts(ctx context.Context, c *conversation, _ string) error {
	return operation.ListContexts(ctx, *c.Run, contexts.Selection{})
}

func end(context.Context, *conversation, string) error { return errEnd }

// commandLine parses a line of a conversation that is a command: a slash and a name. A
// path or a text of several lines is not a command.
func commandLine(text string) (name, word string, ok bool) {
	rest, found := strings.CutPrefix(text, "/")
	if !found || strings.Contains(text, "\n") {
		return "", "", false
	}
	name, word, _ = strings.Cut(rest, " ")
	word = strings.TrimSpace(word)
	isOther := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_' }
	if strings.ContainsFunc(name, isOther) || name == "" && word != "" {
		return "", "", false
	}
	return name, word, true
}

// unescape returns the prompt of a text that is not a command: two slashes at the
// beginning of a line mean one.
func unescape(text string) string {
	rest, found := strings.CutPrefix(text, "//")
	if !found || strings.Contains(text, "\n") || strings.HasPrefix(rest, " ") {
		return text
	}
	return "/" + rest
}

func complete(ctx context.Context, c *conversation, line string) (lines []string) {
	if word, ok := strings.CutPrefix(line, "/context "); ok {
		names, _ := c.Session.Store.Names(ctx)
		for _, name := range names {
			if strings.HasPrefix(name, word) {
				lines = append(lines, "/context "+name)
			}
		}
		return lines
	}
	for _, known := range commands() {
		for _, name := range known.names {
			if whole := "/" + name; line != "" && strings.HasPrefix(whole, line) {
				lines = append(lines, whole)
			}
		}
	}
	return lines
}
