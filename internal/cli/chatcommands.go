package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/cli/operation"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// chatCommand is an operation as a person asks for it in a conversation, with a
// line that begins with a slash.
type chatCommand struct {
	names []string // the first is shown
	args  string   // the word that it takes, in brackets: it may be left out
	about string
	run   func(ctx context.Context, word string) error
}

// answerAgain is the name of the command that gets an answer.
const answerAgain = "retry"

// errChatEnds says that the person ended the conversation.
var errChatEnds = errors.New("the conversation ends")

// commands are those of a conversation.
func (c *chat) commands() []chatCommand {
	return []chatCommand{
		{[]string{"help"}, "", "list these commands", func(context.Context, string) error { return c.help() }},
		{[]string{answerAgain}, "", "send the latest prompt again, if it got no answer",
			func(ctx context.Context, _ string) error { return c.Answer(ctx, c.Agent.Retry) }},
		{[]string{"history"}, "[N]", "show the last N entries; 20 without a number, 0 for all", c.history},
		{[]string{"compact"}, "", "replace the conversation by a summary that the model writes",
			func(ctx context.Context, _ string) error { return operation.CompactCurrent(ctx, c.run(), c.Name()) }},
		{[]string{"clear", "archive"}, "", "empty the context; its transcript keeps everything",
			func(ctx context.Context, _ string) error { return operation.Archive(ctx, c.run(), c.Name()) }},
		{[]string{"context"}, "[NAME]", "go on in another context, \"-\" is the previous one; show this one without a name",
			c.context},
		{[]string{"contexts"}, "", "list the contexts",
			func(ctx context.Context, _ string) error { return operation.ListContexts(ctx, c.run()) }},
		{[]string{"exit", "quit"}, "", "end the conversation, as Ctrl-D does",
			func(context.Context, string) error { return errChatEnds }},
	}
}

// commandLine takes a line of a conversation apart that is a command: a slash
// and a name. A path, and a text of several lines, are none.
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

// unescaped is the prompt of a text that is no command: two slashes at the begin
// of a line stand for one.
func unescaped(text string) string {
	rest, found := strings.CutPrefix(text, "//")
	if !found || strings.Contains(text, "\n") || strings.HasPrefix(rest, " ") {
		return text
	}
	return "/" + rest
}

// do runs what a line commands.
func (c *chat) do(ctx context.Context, name, word string) error {
	commands := c.commands()
	i := slices.IndexFunc(commands, func(known chatCommand) bool { return slices.Contains(known.names, name) })
	if i < 0 {
		return unknownCommand(name, commands)
	}
	if known := commands[i]; known.args == "" && word != "" {
		return usage("/%s takes no words; begin with // to send the line as a prompt", name)
	}
	return commands[i].run(ctx, word)
}

// unknownCommand says that there is no such command, and how to send the line.
func unknownCommand(name string, commands []chatCommand) error {
	var known []string
	for _, c := range commands {
		known = append(known, c.names...)
	}
	hint := ""
	if nearest := strictjson.Nearest(name, known); nearest != "" {
		hint = "did you mean /" + nearest + "? "
	}
	return usage("there is no command /%s; %s/help lists them; begin with // to send the line as a prompt", name, hint)
}

// help lists the commands.
func (c *chat) help() error {
	var rows [][]string
	for _, known := range c.commands() {
		usage := "/" + strings.Join(known.names, ", /") + " " + known.args
		rows = append(rows, []string{strings.TrimSpace(usage), known.about})
	}
	rows = append(rows, []string{"//...", "a prompt that begins with a slash"})
	return command.WriteColumns(command.HelpWriter(c.screen), rows)
}

// history shows what was said in the context.
func (c *chat) history(ctx context.Context, word string) error {
	count := operation.Count{By: "/history", Text: cmp.Or(word, strconv.Itoa(operation.DefaultLast))}
	return operation.ShowLog(ctx, c.run(), c.Name(), count)
}

// run is what operations of the conversation work with.
func (c *chat) run() operation.Run { return operation.Run{Session: c.Session, Env: c.env} }

// context goes on in another context, or shows this one.
func (c *chat) context(ctx context.Context, name string) error {
	if name == "" {
		return operation.ShowContext(ctx, c.run(), c.Name())
	}
	moved, err := c.Move(ctx, name)
	if err != nil {
		return err
	}
	c.Session = moved
	if err := c.say("Switched to context '%s'", c.Name()); err != nil {
		return err
	}
	prompts, err := c.earlierPrompts(ctx)
	c.editor.History = prompts
	return err
}

// complete lists what a line that begins a command can become.
func (c *chat) complete(line string) (lines []string) {
	if word, ok := strings.CutPrefix(line, "/context "); ok {
		names, _ := c.Store.Names(context.Background())
		for _, name := range names {
			if strings.HasPrefix(name, word) {
				lines = append(lines, "/context "+name)
			}
		}
		return lines
	}
	for _, known := range c.commands() {
		for _, name := range known.names {
			if whole := "/" + name; line != "" && strings.HasPrefix(whole, line) {
				lines = append(lines, whole)
			}
		}
	}
	return lines
}
