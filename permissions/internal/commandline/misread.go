package commandline

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What the parser reads otherwise than shells do, or shells otherwise than each other, so that
// the commands of the line may be others. It is found in the tree and in the bytes behind its
// nodes; docs/upstream/mvdan-sh.md has an example of each.
const (
	quotesInQuotes  = "quotes in an expansion in quotes, a here-document or arithmetic mean different things to shells"
	noComment       = "whether a # begins a comment there is not certain"
	longComment     = "a comment ends at the end of its line, which the parser continues after a backslash"
	brokenOperator  = "a line is continued in the middle of an operator"
	continuedInput  = "a line of a here-document is continued"
	unclearEnd      = "the end of a here-document is not certain"
	closedAndMore   = "bash takes the text behind >&- or <&- for a separate word"
	nestedBackquote = "a command in backquotes ends at the next one, also in quotes, and takes backslashes away"
	splitWord       = "the parser makes two words of one with a command in backquotes"
	unreadPattern   = "a pattern in parentheses has parts that the parser does not read"
)

// doubts finds out why the commands of a line may be others than those that the parser found.
type doubts struct {
	source    string
	why       string       // the first reason
	isFlat    bool         // there is nothing for which it matters in which substitution a node is
	around    []around     // the nodes that the visited one is in
	backquote int          // the place behind the last backquote that begins a substitution
	verbatim  *syntax.Word // the text of the last here-document in which nothing is expanded
}

// around is the substitution that a node is in.
type around struct {
	end        int  // where it ends, 0 for none
	backquotes bool // it, or one around it, is in backquotes, which take backslashes away
}

func (d *doubts) add(why string) { d.why = cmp.Or(d.why, why) }

// visit notes what the parser may have misread at a node; nil is the end of one.
func (d *doubts) visit(node syntax.Node) {
	d.enter(node)
	switch node := node.(type) {
	case *syntax.Stmt:
		d.comments(node.Comments)
	case *syntax.CallExpr:
		if d.here().backquotes && splitsWord(node) {
			d.add(splitWord)
		}
	case *syntax.CaseItem:
		d.comments(node.Comments)
	case *syntax.ArrayElem:
		d.comments(node.Comments)
	case *syntax.Comment: // those that are in no list of a statement
		d.comment(node)
	case *syntax.Lit:
		d.literal(node)
	case *syntax.DblQuoted:
		d.quotes(node.Parts)
	case *syntax.ArithmExp:
		d.arithmetic(node.X)
	case *syntax.ArithmCmd:
		d.arithmetic(node.X)
	case *syntax.CStyleLoop:
		d.arithmetic(node.Init, node.Cond, node.Post)
	case *syntax.ParamExp:
		d.expansion(node)
	case *syntax.CmdSubst:
		d.substitution(node)
	case *syntax.Subshell:
		if d.continues(int(node.Lparen.Offset()) + 1) { // (( is arithmetic
			d.add(brokenOperator)
		}
	case *syntax.ExtGlob:
		if strings.ContainsAny(node.Pattern.Value, "'\"`$\\(<>") {
			d.add(unreadPattern)
		}
	case *syntax.Redirect:
		d.redirection(node)
	}
}

func (d *doubts) enter(node syntax.Node) {
	if d.isFlat {
		return
	}
	if node == nil {
		d.around = d.around[:max(0, len(d.around)-1)]
		return
	}
	here := d.here()
	switch s := node.(type) {
	case *syntax.CmdSubst:
		here = around{int(s.Right.Offset()), here.backquotes || s.Backquotes}
	case *syntax.ProcSubst:
		here.end = int(s.Rparen.Offset())
	}
	d.around = append(d.around, here)
}

func (d *doubts) here() around {
	if len(d.around) == 0 {
		return around{}
	}
	return d.around[len(d.around)-1]
}

func (d *doubts) comments(list []syntax.Comment) {
	for i := range list {
		d.comment(&list[i])
	}
}

// comment: a # begins a comment only where a word could begin, and ends with its line.
func (d *doubts) comment(c *syntax.Comment) {
	before := d.source[:min(int(c.Hash.Offset()), len(d.source))]
	isBehindWord := before != "" && !strings.ContainsRune(" \t\n;&|(", rune(before[len(before)-1]))
	switch {
	case isBehindWord && len(before) == d.backquote: // `# ...`
	case isBehindWord, strings.HasSuffix(before, "\\\n"):
		d.add(noComment)
	case isContinued(c.Text):
		d.add(longComment)
	}
}

// isContinued reports whether a text ends with a newline that a backslash takes away.
func isContinued(text string) bool {
	text, ok := strings.CutSuffix(text, "\n")
	return ok && isEscaped(text, len(text))
}

// isEscaped reports whether the character at a place has a backslash before it that counts.
func isEscaped(text string, at int) bool {
	before := text[:at]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

// hasContinuation reports whether a backslash takes a newline of a text away.
func (d *doubts) hasContinuation(text string) bool {
	for rest, end := text, 0; ; {
		at := strings.Index(rest, "\\\n")
		if at < 0 {
			return false
		}
		if end += at + 2; d.here().backquotes || isContinued(text[:end]) {
			return true
		}
		rest = text[end:]
	}
}

// literal: the parser takes continuations out of words, and forgets it behind a $ and behind
// a backslash.
func (d *doubts) literal(l *syntax.Lit) {
	if d.verbatim != nil && slices.Contains(d.verbatim.Parts, syntax.WordPart(l)) {
		return
	}
	if l.Value == "$" && d.continues(int(l.Pos().Offset())+1) || d.hasContinuation(l.Value) {
		d.add(brokenOperator)
	}
}

// continues reports whether a line is continued at a place.
func (d *doubts) continues(at int) bool {
	text := d.source[min(at, len(d.source)):]
	rest := strings.TrimLeft(text, `\`)
	backslashes := len(text) - len(rest)
	return strings.HasPrefix(rest, "\n") && (backslashes == 1 || backslashes > 1 && d.here().backquotes)
}

// splitsWord reports whether there is nothing between two words of a command.
func splitsWord(call *syntax.CallExpr) bool {
	for i := 1; i < len(call.Args); i++ {
		if call.Args[i-1].End() == call.Args[i].Pos() {
			return true
		}
	}
	return false
}

// expansion: zsh takes $'a' for no quotes in an expansion in another one.
func (d *doubts) expansion(p *syntax.ParamExp) {
	if p.Index != nil {
		d.arithmetic(p.Index)
	}
	if p.Exp == nil || p.Exp.Word == nil {
		return
	}
	for _, part := range p.Exp.Word.Parts {
		if inner, ok := part.(*syntax.ParamExp); ok && !inner.Short && strings.Contains(textOf(inner, d.source), "$'") {
			d.add(quotesInQuotes)
		}
	}
}

// substitution: text in backquotes ends at the next one that is not escaped.
func (d *doubts) substitution(s *syntax.CmdSubst) {
	from, to := int(s.Left.Offset())+1, min(int(s.Right.Offset()), len(d.source))
	if !s.Backquotes {
		if d.continues(from + 1) {
			d.add(brokenOperator)
		}
		return
	}
	d.backquote = from
	for i := from; i < to; i++ {
		isSpecial := strings.IndexByte("`$\"", d.source[i]) >= 0
		if d.source[i] == '`' && !isEscaped(d.source, i) || isSpecial && strings.HasSuffix(d.source[:i], `\\\`) {
			d.add(nestedBackquote)
		}
		if d.source[i] == '\n' && strings.HasSuffix(d.source[:i], `\\`) { // of these some are taken away, and one continues
			d.add(brokenOperator)
		}
	}
}

func (d *doubts) quotes(parts []syntax.WordPart) {
	for _, part := range parts {
		if p, ok := part.(*syntax.ParamExp); ok && !p.Short && hasQuotes(p) {
			d.add(quotesInQuotes)
		}
	}
}

// arithmetic looks for quotes in arithmetic, which shells read as if it was in quotes.
func (d *doubts) arithmetic(list ...syntax.ArithmExpr) {
	for _, x := range list {
		if x != nil && hasQuotes(x) {
			d.add(quotesInQuotes)
		}
	}
}

// hasQuotes reports whether a part of an expansion is quoted, commands in it aside. Quotes do not
// matter where nothing in them ends or begins anything, as in "${x#"$y/"}".
func hasQuotes(node syntax.Node) (found bool) {
	syntax.Walk(node, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.SglQuoted:
			found = true
		case *syntax.DblQuoted:
			found = found || slices.ContainsFunc(node.Parts, hasMeaning)
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
		return !found
	})
	return found
}

// hasMeaning reports whether a part in quotes would mean something else without them.
func hasMeaning(part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit:
		return strings.ContainsAny(part.Value, "'{}\\")
	case *syntax.CmdSubst:
		return part.Backquotes
	case *syntax.ParamExp:
		return false
	}
	return true
}

// redirection looks for ends of here-documents, and for words behind a descriptor that is
// closed.
func (d *doubts) redirection(r *syntax.Redirect) {
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		if text := textOf(r.Word, d.source); strings.HasPrefix(text, "-") && text != "-" {
			d.add(closedAndMore)
		}
	case syntax.Hdoc, syntax.DashHdoc:
		d.document(r)
	}
}

func (d *doubts) document(r *syntax.Redirect) {
	mark, isPlain := plainMark(r.Word)
	if !isPlain || d.continues(int(r.OpPos.Offset())+len("<<")) {
		d.add(unclearEnd)
	}
	end := d.here().end
	if r.Hdoc == nil {
		if end > 0 { // bash takes what comes after the substitution for it, also within quotes
			d.add(unclearEnd)
		}
		return
	}
	if end > 0 && int(r.Hdoc.Pos().Offset()) > end {
		d.add(unclearEnd) // the substitution that it is in has ended before
	}
	lines := strings.Split(strings.TrimSuffix(textOf(r.Hdoc, d.source), "\n"), "\n")
	for _, line := range lines[:len(lines)-1] { // the last one is the end mark
		if r.Op == syntax.DashHdoc {
			line = strings.TrimLeft(line, "\t")
		}
		if line == mark || end > 0 && strings.HasPrefix(line, mark) { // bash ends it in a substitution there too
			d.add(unclearEnd)
		}
	}
	if isQuoted(r.Word) {
		d.verbatim = r.Hdoc
		return
	}
	if d.hasContinuation(textOf(r.Hdoc, d.source)) {
		d.add(continuedInput)
	}
	d.quotes(r.Hdoc.Parts)
}

// plainMark returns the end mark of a here-document, and whether all shells take it for the same.
func plainMark(w *syntax.Word) (mark string, isPlain bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	switch part := w.Parts[0].(type) {
	case *syntax.Lit:
		mark = strings.TrimPrefix(part.Value, `\`)
	case *syntax.SglQuoted:
		if !part.Dollar {
			mark = part.Value
		}
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 && !part.Dollar {
			mark = (&syntax.Word{Parts: part.Parts}).Lit()
		}
	}
	return mark, mark != "" && !strings.ContainsAny(mark, "\\$`'\"\n(){}&;<>")
}
