package permissions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/permissions/internal/commandline"
)

// certainty says how sure it is that a rule is about something.
type certainty int

const (
	no certainty = iota
	possible
	certain
)

// In the runes of a pattern, and in the text of a command that it is compared with.
const (
	anyText   rune = -1 // in a pattern: any text, also none
	separator rune = 0  // between two words
)

// shellPattern is the specifier of a rule about commands.
type shellPattern struct {
	// exact are the patterns of which one must match what is allowed: two if the text may end
	// with a word or go on with another one. loose are the same without a difference between
	// spaces in words and between them.
	exact, loose [][]rune
	// literal says that the pattern matches one command only.
	literal bool
}

// parseShellPattern reads words as a shell does: quotes keep spaces together, a backslash
// takes the meaning of the next character, but * means any text unless it is escaped.
func parseShellPattern(text string) (shellPattern, error) {
	text, isOpen := cutBoundary(strings.TrimSpace(text))
	reader := patternReader{literal: !isOpen}
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		skip, err := reader.next(runes[i:])
		if err != nil {
			return shellPattern{}, err
		}
		i += skip
	}
	if reader.quote != 0 {
		return shellPattern{}, errors.New("a quote is not closed")
	}
	p := shellPattern{exact: [][]rune{reader.runes}, literal: reader.literal}
	if isOpen {
		p.exact = append(p.exact, append(slices.Clone(reader.runes), separator, anyText))
	}
	for _, runes := range p.exact {
		loose := slices.Clone(runes)
		for i, r := range loose {
			if r == separator {
				loose[i] = ' '
			}
		}
		p.loose = append(p.loose, loose)
	}
	return p, nil
}

// cutBoundary cuts " *" or ":*" from the end.
func cutBoundary(text string) (string, bool) {
	for _, end := range []string{" *", ":*"} {
		if rest, ok := strings.CutSuffix(text, end); ok && rest != "" && !strings.HasSuffix(rest, `\`) {
			return strings.TrimRight(rest, " "), true
		}
	}
	return text, false
}

// patternReader reads the specifier of a rule about commands.
type patternReader struct {
	runes   []rune
	literal bool
	quote   rune
}

// next reads the next character, and returns how many more it read.
func (r *patternReader) next(text []rune) (skip int, err error) {
	c := text[0]
	switch {
	case r.quote != 0 && c == r.quote:
		r.quote = 0
	case c == '\\' && r.quote != '\'':
		if len(text) == 1 {
			return 0, errors.New(`it ends with a backslash`)
		}
		r.runes = append(r.runes, text[1])
		return 1, nil
	case r.quote == 0 && (c == '\'' || c == '"'):
		r.quote = c
	case c == '*':
		r.runes = append(r.runes, anyText)
		r.literal = false
	case r.quote == 0 && (c == ' ' || c == '\t'):
		if n := len(r.runes); n > 0 && r.runes[n-1] != separator {
			r.runes = append(r.runes, separator)
		}
	case r.quote == 0 && strings.ContainsRune(";|&<>\n", c):
		return 0, fmt.Errorf("%q ends a command, and a rule is about one command; write a rule for each, and quote it "+
			"if it is a part of a word", c)
	default:
		r.runes = append(r.runes, c)
	}
	return 0, nil
}

// allows reports whether the pattern is about a command whatever its unknown parts are.
func (p shellPattern) allows(text []rune) bool {
	return slices.ContainsFunc(p.exact, func(pattern []rune) bool { return covers(pattern, text) })
}

// spelling is a command as rules that deny or ask compare it. Spaces in words count like
// those between words: a denial should rather hold too often.
type spelling struct {
	text []rune
	// closed is the text without the spaces before holes, which can be nothing at all; nil
	// without holes.
	closed []rune
	// guess says that it may mean the command, and may not.
	guess bool
	// behind says that it stands behind another command, which may run it.
	behind bool
}

func spell(words []commandline.Word) spelling {
	s := spelling{text: commandRunes(words, ' ')}
	if slices.ContainsFunc(s.text, isHole) {
		s.closed = closedUp(s.text)
	}
	return s
}

// spellingsOf returns all spellings of a command, with and without the variables before it.
func spellingsOf(c *commandline.Command) []spelling {
	list := []spelling{spell(withAssigns(c))}
	if len(c.Assigns) > 0 {
		list = append(list, spell(c.Words))
	}
	for _, form := range c.Forms {
		list = append(list, spell(form))
	}
	for _, guess := range c.Guesses {
		s := spell(guess)
		s.guess = true
		list = append(list, s)
	}
	return append(list, behind(c)...)
}

// maxBehind is how many words of a command that may run another one are looked behind.
const maxBehind = 8

// behind returns what a command may run that is not known for running others, as in
// "npx git push".
func behind(c *commandline.Command) (list []spelling) {
	if len(c.Words) == 0 || isPrinter(c.Words[0].Text) {
		return nil
	}
	for i := 1; i < min(len(c.Words), maxBehind); i++ {
		if name := c.Words[i]; !name.IsStatic() || strings.Contains(name.Text, " ") {
			continue
		}
		words := slices.Clone(c.Words[i:])
		words[0].Text = words[0].Text[strings.LastIndexByte(words[0].Text, '/')+1:]
		s := spell(words)
		s.guess, s.behind = true, true
		list = append(list, s)
		if strings.HasSuffix(words[0].Text, "sh") {
			list = append(list, behindShell(words)...)
		}
	}
	return list
}

// behindShell returns what a shell runs that another command may run, as in "npx sh -c 'git push'".
func behindShell(words []commandline.Word) (list []spelling) {
	line, err := commandline.Parse((&commandline.Command{Words: words}).String())
	if err != nil {
		return nil
	}
	for c := range all(line.Commands) {
		for _, form := range append([][]commandline.Word{c.Words}, c.Forms...) {
			s := spell(form)
			s.guess, s.behind = true, true
			list = append(list, s)
		}
	}
	return list
}

// isPrinter reports whether a program only prints or compares its arguments.
func isPrinter(name string) bool {
	switch name {
	case "echo", "printf", "grep", "egrep", "fgrep", "test", "[", "which", "type", "man":
		return true
	}
	return false
}

// hasSubcommand reports whether the pattern begins with two words that are written out at
// least in part: one word alone, such as rm, is often an argument.
func (p shellPattern) hasSubcommand() bool {
	first := p.exact[0]
	at := slices.Index(first, separator)
	return at > 0 && at+1 < len(first) && first[at+1] != anyText && !slices.Contains(first[:at], anyText)
}

// concerns returns how sure it is that the pattern is about a command.
func (p shellPattern) concerns(s spelling) certainty {
	best := no
	if s.behind && !p.hasSubcommand() {
		return no
	}
	for _, pattern := range p.loose {
		switch {
		case covers(pattern, s.text):
			best = certain
		case s.closed != nil && (canMatch(pattern, s.text) || canMatch(pattern, s.closed)):
			best = max(best, possible)
		}
	}
	if s.guess {
		return min(best, possible)
	}
	return best
}

func commandRunes(words []commandline.Word, between rune) (text []rune) {
	for i, w := range words {
		if i > 0 {
			text = append(text, between)
		}
		text = append(text, []rune(w.Text)...)
	}
	return text
}

func isHole(r rune) bool { return commandline.Hole <= r && r <= commandline.Tilde }

// closedUp removes the spaces before holes, which can be nothing at all.
func closedUp(text []rune) (closed []rune) {
	for i, r := range text {
		if r == ' ' && i+1 < len(text) && text[i+1] == commandline.Hole {
			continue
		}
		closed = append(closed, r)
	}
	return closed
}

// covers reports whether a pattern matches a text whatever is in place of its holes: only
// any text stands for a hole, and a character for itself if it was written there unquoted.
func covers(pattern, text []rune) bool {
	star, retry, i := -1, 0, 0
	for j := 0; j < len(text); {
		switch {
		case i < len(pattern) && pattern[i] == anyText:
			star, retry = i, j
			i++
		case i < len(pattern) && isSame(pattern[i], text[j]):
			i++
			j++
		case star >= 0:
			retry++
			i, j = star+1, retry
		default:
			return false
		}
	}
	for i < len(pattern) && pattern[i] == anyText {
		i++
	}
	return i == len(pattern)
}

func isSame(p, t rune) bool {
	literal, ok := commandline.Literal(t)
	return ok && p == literal
}

// mostCompared bounds the work of one comparison with a text that has holes.
const mostCompared = 1 << 20

// canMatch reports whether a pattern matches a text for something in place of its holes.
func canMatch(pattern, text []rune) bool {
	if len(pattern)*len(text) > mostCompared {
		return true
	}
	// row[j] says that the pattern so far can match the first j characters.
	row := make([]bool, len(text)+1)
	row[0] = true
	spreadHoles(row, text)
	for _, p := range pattern {
		next := make([]bool, len(text)+1)
		for j := range next {
			switch {
			case p == anyText:
				next[j] = row[j] || j > 0 && next[j-1]
			case j > 0 && isHole(text[j-1]):
				next[j] = row[j-1] || row[j] // the hole has the character, or goes on having more
			case j > 0:
				next[j] = row[j-1] && p == text[j-1]
			}
		}
		spreadHoles(next, text)
		if row = next; !slices.Contains(row, true) {
			return false
		}
	}
	return row[len(text)]
}

// spreadHoles skips holes, which can be empty.
func spreadHoles(row []bool, text []rune) {
	for j, r := range text {
		if row[j] && isHole(r) {
			row[j+1] = true
		}
	}
}
