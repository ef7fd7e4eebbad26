package chat

import (
	"context"
	"strings"
	"unicode"
)

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

// unescape returns the prompt of a text that is no command: two slashes at the
// beginning of a line stand for one.
func unescape(text string) string {
	rest, found := strings.CutPrefix(text, "//")
	if !found || strings.Contains(text, "\n") || strings.HasPrefix(rest, " ") {
		return text
	}
	return "/" + rest
}

// complete lists what a line that begins a command can become.
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
