package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// Recipe is a prepared prompt with what it allows.
type Recipe struct {
	// Name is the recipe's name, as hooks see it.
	Name string
	// Prompt is its text with the arguments filled in.
	Prompt string
	// Tools names the tools that may be offered while it runs; nil: all; an empty
	// list: none.
	Tools []string
	// Commands are patterns for the commands that tools may run while it runs: "*" stands
	// for any text. Empty: any command.
	Commands []string
}

// CompactRecipe is the recipe whose prompt asks for a summary.
const CompactRecipe = "compact"

func (r *Recipe) name() string {
	if r == nil {
		return ""
	}
	return r.Name
}

// checkCommand checks the command in a call's arguments against the recipe's patterns: the
// argument "command" of any tool, and the subject of a shell.
func (r *Recipe) checkCommand(spec tools.Spec, args json.RawMessage) error {
	if r == nil || len(r.Commands) == 0 {
		return nil
	}
	if spec.Category == tools.CategoryShell && spec.Subject != "" && spec.Subject != "command" {
		if err := r.checkArgument(spec.Subject, args); err != nil {
			return err
		}
	}
	return r.checkArgument("command", args)
}

// checkArgument checks each part of the command in one argument separately.
func (r *Recipe) checkArgument(name string, args json.RawMessage) error {
	var command gjson.Result
	found := 0
	gjson.ParseBytes(args).ForEach(func(key, value gjson.Result) bool {
		if key.Str == name {
			command = value
		}
		if strings.EqualFold(key.Str, name) { // some programs also read "COMMAND" as "command"
			found++
		}
		return true
	})
	if !command.Exists() {
		return nil
	}
	if command.Type != gjson.String || found != 1 {
		return fmt.Errorf("the recipe %q allows only commands that are one string", r.Name)
	}
	for _, part := range commandsIn(command.Str) {
		if !r.allows(part) {
			return fmt.Errorf("the recipe %q does not allow the command %q; it allows: %s", r.Name, part,
				strings.Join(r.Commands, ", "))
		}
	}
	return nil
}

// commandsIn splits a text at what shells put between commands.
func commandsIn(text string) (list []string) {
	isSeparator := func(c rune) bool { return strings.ContainsRune(";|&\n", c) }
	for _, part := range strings.FieldsFunc(withoutRedirections(text), isSeparator) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// withoutRedirections replaces redirections with an "&", such as 2>&1 and &>>, by
// blanks: this "&" does not separate commands.
func withoutRedirections(text string) string {
	const digits = "0123456789"
	var kept strings.Builder
	for {
		before, after, found := strings.Cut(text, "&")
		source, isCopy := strings.CutSuffix(before, ">")
		rest := strings.TrimLeft(after, digits+"-")
		switch {
		case !found:
			return kept.String() + text
		case isCopy && rest != after: // 2>&1
			kept.WriteString(strings.TrimRight(source, digits) + " ")
			text = rest
		case strings.HasPrefix(after, ">"): // &> or &>>
			kept.WriteString(before + " ")
			text = strings.TrimPrefix(after[1:], ">")
		default:
			kept.WriteString(before + "&")
			text = after
		}
	}
}

// allows reports whether a pattern matches a command. A command in which a shell would
// run another one is matched only by "*".
func (r *Recipe) allows(command string) bool {
	if slices.Contains(r.Commands, "*") {
		return true
	}
	for _, substitution := range []string{"$(", "`", "<(", ">("} {
		if strings.Contains(command, substitution) {
			return false
		}
	}
	return slices.ContainsFunc(r.Commands, func(pattern string) bool { return matches(pattern, command) })
}

// matches reports whether a text matches a pattern, in which "*" stands for any text.
func matches(pattern, text string) bool {
	first, others, hasStar := strings.Cut(pattern, "*")
	text, begins := strings.CutPrefix(text, first)
	if !begins || !hasStar {
		return begins && text == ""
	}
	words := strings.Split(others, "*")
	last := len(words) - 1
	for _, word := range words[:last] {
		_, after, found := strings.Cut(text, word)
		if !found {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, words[last])
}
