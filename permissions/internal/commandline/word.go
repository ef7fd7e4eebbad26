package commandline

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// In the text of a word, these stand for what is only known when the line runs. No line
// with such characters is examined.
const (
	Hole  = '\x01' // any text, also several words or none
	Star  = '\x02' // an unquoted *
	One   = '\x03' // an unquoted ?
	Set   = '\x04' // an unquoted [
	Tilde = '\x05' // an unquoted ~ at the beginning: a directory
)

// Literal returns the character that stands in the line where a word has r, and false if
// that is not one character.
func Literal(r rune) (rune, bool) {
	switch r {
	case Hole:
		return 0, false
	case Star:
		return '*', true
	case One:
		return '?', true
	case Set:
		return '[', true
	case Tilde:
		return '~', true
	}
	return r, true
}

// Word is a word of a command.
type Word struct {
	// Text is the word without quotes, with [Hole] and the like for what is not known.
	Text string
	// Source is the word as it was written, if Text has such characters.
	Source string
	// Splits says that a Hole can become several words, or none.
	Splits bool
}

// IsStatic reports whether the whole word is known.
func (w Word) IsStatic() bool { return !strings.ContainsAny(w.Text, "\x01\x02\x03\x04\x05") }

// String returns the word as a shell would read it.
func (w Word) String() string {
	if !w.IsStatic() {
		return w.Source
	}
	return Quote(w.Text)
}

// Quote quotes a text for a shell, if that is necessary.
func Quote(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-^!"
	isPlain := text != "" && text != "!" && strings.Trim(text, plain) == ""
	isBraced := strings.Contains(text, "{}") && strings.Trim(strings.ReplaceAll(text, "{}", ""), plain) == ""
	if isPlain || isBraced && !strings.ContainsAny(text, ",.") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// String returns the command as a shell would read it, without its redirections.
func (c Command) String() string {
	var b strings.Builder
	for _, a := range c.Assigns {
		b.WriteString(" " + a.Name + "=" + a.Value.String())
	}
	for _, w := range c.Words {
		b.WriteString(" " + w.String())
	}
	return strings.TrimPrefix(b.String(), " ")
}

func contains(list []Word, w Word) bool { return slices.Contains(list, w) }

func (a *analysis) word(node *syntax.Word) Word {
	if node == nil {
		return Word{}
	}
	reader := wordReader{}
	for _, part := range node.Parts {
		reader.part(part, false)
	}
	w := Word{Text: plainBracket(reader.text.String()), Splits: reader.splits}
	if a.lang == syntax.LangBash && reader.braces == 3 {
		w = Word{Text: string(Hole), Splits: true}
	}
	if !w.IsStatic() {
		w.Source = a.source[node.Pos().Offset():node.End().Offset()]
	}
	return w
}

// plainBracket puts a [ back that no ] follows: it is the name of a command, not a pattern.
func plainBracket(text string) string {
	last := strings.LastIndexByte(text, ']')
	if last < 0 {
		last = 0
	}
	return text[:last] + strings.ReplaceAll(text[last:], string(Set), "[")
}

// wordReader takes the quotes from a word.
type wordReader struct {
	text   strings.Builder
	splits bool
	braces int // 1 after an opening brace, 2 after a separator in it, 3 after the end of it
	// document says that it is the text of a here-document, where quotes have no meaning.
	document bool
}

func (r *wordReader) part(part syntax.WordPart, quoted bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		if quoted {
			r.quoted(part.Value)
		} else {
			r.unquoted(part.Value)
		}
	case *syntax.SglQuoted:
		if part.Dollar { // POSIX shells and bash read these differently
			r.text.WriteRune(Hole)
			return
		}
		r.text.WriteString(part.Value)
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			r.part(inner, true)
		}
	default:
		r.text.WriteRune(Hole)
		r.splits = r.splits || !quoted || isList(part)
	}
}

// isList reports whether "$@" or the like is in a part, which becomes several words in quotes too.
func isList(part syntax.WordPart) (found bool) {
	syntax.Walk(part, func(node syntax.Node) bool {
		if p, ok := node.(*syntax.ParamExp); ok && p.Param != nil {
			index, _ := p.Index.(*syntax.Word)
			found = found || p.Param.Value == "@" || p.Names != 0 || index != nil && index.Lit() == "@"
		}
		return !found
	})
	return found
}

// quoted adds a text in double quotes, where only some characters can be escaped.
func (r *wordReader) quoted(text string) {
	special := "$`\"\\"
	if r.document {
		special = "$`\\"
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(special, text[i+1]) >= 0 {
			i++
		}
		r.text.WriteByte(text[i])
	}
}

func (r *wordReader) unquoted(text string) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			i++
			r.text.WriteByte(text[i])
			continue
		}
		r.brace(c)
		r.text.WriteByte(r.special(c))
	}
}

// special returns what stands for an unquoted character.
func (r *wordReader) special(c byte) byte {
	switch c {
	case '*':
		return Star
	case '?':
		return One
	case '[':
		return Set
	case '~':
		if r.text.Len() == 0 {
			return Tilde
		}
	}
	return c
}

// brace notes what bash may expand, as in {a,b} and {1..9}.
func (r *wordReader) brace(c byte) {
	switch {
	case c == '{' && r.braces == 0, (c == ',' || c == '.') && r.braces == 1, c == '}' && r.braces == 2:
		r.braces++
	}
}
