package commandline

import (
	"errors"
	"slices"
	"strings"
)

// What is not examined because of its size.
var (
	errTooMany = errors.New("it has too many commands")
	errTooDeep = errors.New("it is nested too deep")
)

// hole is an argument that is only known when the line runs.
func hole() Word { return Word{Text: string(Hole), Source: "...", Splits: true} }

// inside adds a command that another one runs, and examines it.
func (f *finder) inside(c *Command, inner Command, input *Word) {
	if len(inner.Words) == 0 && len(inner.Assigns) == 0 || f.err != nil {
		return
	}
	f.count++
	f.nested++
	defer func() { f.nested-- }()
	switch {
	case f.count > MaxCommands:
		f.err = errTooMany
	case f.nested > MaxDepth:
		f.err = errTooDeep
	default:
		c.Inner = append(c.Inner, f.examine(inner, input))
	}
}

// find examines the commands after -exec and the like.
func (f *finder) find(c *Command) {
	c.Runs = true
	words := c.Words
	isUnclear := false
	for i := 1; i < len(words); i++ {
		isUnclear = isUnclear || strings.ContainsRune(words[i].Text, Hole)
		if words[i].Splits || isUnclear && words[i].Text == ";" || isUnclear && endOfExec(words, i) == i {
			c.Opaque = "its arguments are only known when it runs, and could be -exec"
		}
		switch words[i].Text {
		case "-execdir", "-okdir":
			f.Lost = true
		case "-exec", "-ok":
		default:
			continue
		}
		end := endOfExec(words, i+1)
		f.inside(c, Command{Words: replaced(words[i+1:end], "{}")}, nil)
		i = end
	}
}

func endOfExec(words []Word, from int) int {
	for i := from; i < len(words); i++ {
		if words[i].Text == ";" || words[i].Text == "+" && words[i-1].Text == "{}" {
			return i
		}
	}
	return len(words)
}

// replaced returns words in which a text stands for what is only known later.
func replaced(words []Word, text string) []Word {
	words = slices.Clone(words)
	for i, w := range words {
		if text != "" && strings.Contains(w.Text, text) {
			words[i] = Word{Text: strings.ReplaceAll(w.Text, text, string(Hole)), Source: w.String()}
		}
	}
	return words
}

func (f *finder) xargs(c *Command) {
	w := wrapper{flags: "0rtpxo", values: "nLPsdEaIJRS",
		long:  []string{"null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty"},
		longs: []string{"max-args", "max-procs", "max-chars", "delimiter", "arg-file", "max-lines", "replace"}}
	c.Runs = true
	rest, _, why := w.command(c.Words[1:])
	if why != "" {
		c.Opaque = why
	}
	options := c.Words[1 : len(c.Words)-len(rest)]
	if first := firstSplit(options); first >= 0 {
		f.inside(c, Command{Words: append(slices.Clone(c.Words[1+first:]), hole())}, nil)
	}
	if len(rest) == 0 {
		return
	}
	if text := replacement(options); text != "" {
		f.inside(c, Command{Words: replaced(rest, text)}, nil)
	} else {
		f.inside(c, Command{Words: append(slices.Clone(rest), hole())}, nil)
	}
	c.Transparent = why == "" && isUsual(c.Words[0])
}

func replacement(options []Word) string {
	for i, w := range options {
		if text, ok := strings.CutPrefix(w.Text, "--replace="); ok {
			return text
		}
		at := strings.IndexAny(w.Text, "IJ")
		if strings.HasPrefix(w.Text, "--") || !strings.HasPrefix(w.Text, "-") || at < 0 {
			continue
		}
		if at+1 < len(w.Text) {
			return w.Text[at+1:]
		}
		if i+1 < len(options) {
			return options[i+1].Text
		}
	}
	return ""
}
