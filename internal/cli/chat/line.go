package chat

import (
	"context"
	"strings"
	"unicode"
)

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
