package commandline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// visit collects what a node of the line is about. The nodes inside it come afterwards.
func (a *analysis) visit(node syntax.Node) bool {
	a.doubts.visit(node)
	switch node := node.(type) {
	case *syntax.Stmt:
		a.statement(node)
	case *syntax.DeclClause:
		a.declaration(node)
	case *syntax.ForClause:
		a.loop(node)
	case *syntax.LetClause:
		a.add(Command{Words: []Word{{Text: "let"}, {Text: string(Hole), Source: a.text(node)}}})
		a.hide("arithmetic can run commands that are in variables")
	case *syntax.TestClause:
		a.add(Command{Words: []Word{{Text: "[["}, {Text: string(Hole), Source: a.text(node)}}})
	default:
		a.expansion(node)
	}
	return a.err == nil
}

// text is a node as it was written.
func (a *analysis) text(node syntax.Node) string { return textOf(node, a.source) }

func textOf(node syntax.Node, source string) string {
	return source[node.Pos().Offset():node.End().Offset()]
}

// statement notes what the redirections of a statement open, and a simple command.
func (a *analysis) statement(s *syntax.Stmt) {
	var input *Word
	for _, r := range s.Redirs {
		text := a.heredoc(r)
		a.Input = a.Input || text != nil
		if isInput(r) { // the last one counts
			input = text
		}
		a.redirection(r)
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		c := Command{Assigns: a.assigns(call.Assigns, len(call.Args) > 0)}
		for _, w := range call.Args {
			c.Words = append(c.Words, a.word(w))
		}
		a.add(a.examine(c, input))
	}
}

// heredoc returns the text that a redirection feeds to a command, nil if it opens a file.
func (a *analysis) heredoc(r *syntax.Redirect) *Word {
	if r.Op == syntax.WordHdoc {
		w := a.word(r.Word)
		return &w
	}
	if r.Hdoc == nil {
		return nil
	}
	if isQuoted(r.Word) {
		return &Word{Text: r.Hdoc.Lit()}
	}
	reader := wordReader{document: true}
	for _, part := range r.Hdoc.Parts {
		reader.part(part, true)
	}
	return &Word{Text: reader.text.String(), Source: a.text(r.Hdoc)}
}

// isQuoted reports whether a part of a delimiter is quoted, so that nothing is expanded.
func isQuoted(w *syntax.Word) bool {
	text := w.Lit()
	return text == "" || strings.Contains(text, `\`)
}

func (a *analysis) assigns(list []*syntax.Assign, before bool) (found []Assign) {
	for _, as := range list {
		if as.Name == nil {
			continue
		}
		value := a.word(as.Value)
		if as.Array != nil || as.Index != nil {
			value = Word{Text: string(Hole), Source: a.text(as)}
		}
		found = append(found, Assign{Name: as.Name.Value, Value: value, Exported: before})
	}
	return found
}

// declaration makes a simple command of what is one in a POSIX shell: export, readonly,
// local and the like.
func (a *analysis) declaration(d *syntax.DeclClause) {
	c := Command{Words: []Word{{Text: d.Variant.Value}}}
	for _, as := range d.Args {
		switch {
		case as.Name == nil:
			c.Words = append(c.Words, a.word(as.Value))
		case as.Naked && as.Index == nil:
			c.Words = append(c.Words, Word{Text: as.Name.Value})
		case as.Array != nil || as.Index != nil:
			c.Words = append(c.Words, Word{Text: as.Name.Value + "=" + string(Hole), Source: a.text(as)})
		default:
			w := a.word(as.Value)
			w.Text = as.Name.Value + "=" + w.Text
			if !w.IsStatic() {
				w.Source = a.text(as)
			}
			c.Words = append(c.Words, w)
		}
	}
	a.add(a.examine(c, nil))
}

// loop notes the variable of a loop, which is set like any other.
func (a *analysis) loop(node *syntax.ForClause) {
	if iter, ok := node.Loop.(*syntax.WordIter); ok {
		a.set(iter.Name.Value, iter.Name)
	}
}

func (a *analysis) set(name string, node syntax.Node) {
	variable := Assign{Name: name, Value: Word{Text: string(Hole), Source: a.text(node)}}
	a.add(a.examine(Command{Assigns: []Assign{variable}}, nil))
}

// expansion notes what can run commands that stand in variables: bash evaluates the values
// of variables in arithmetic, with the commands in their subscripts.
func (a *analysis) expansion(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.ArithmExp:
		a.arithmetic(node.X)
	case *syntax.ArithmCmd:
		a.arithmetic(node.X)
	case *syntax.CStyleLoop:
		a.arithmetic(node.Init, node.Cond, node.Post)
	case *syntax.ArrayElem:
		a.arithmetic(node.Index)
	case *syntax.ParamExp:
		a.parameter(node)
	case *syntax.BinaryTest:
		if node.Op >= syntax.TsEql && node.Op <= syntax.TsGtr {
			a.hide("arithmetic can run commands that are in variables")
		}
	case *syntax.UnaryTest:
		if node.Op == syntax.TsVarSet || node.Op == syntax.TsRefVar {
			a.hide("a test of a variable can run commands that are in its subscript")
		}
	}
}

func (a *analysis) parameter(p *syntax.ParamExp) {
	a.arithmetic(p.Index)
	if p.Slice != nil {
		a.arithmetic(p.Slice.Offset, p.Slice.Length)
	}
	if p.Excl || p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		a.hide("an expansion can run commands that are in variables")
	}
	if p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) && p.Param != nil {
		a.set(p.Param.Value, p)
	}
	if text := a.text(p); strings.Contains(text, "<(") || strings.Contains(text, ">(") {
		a.hide("bash runs a process substitution in an expansion, which the parser takes for text")
		a.Misread = true
	}
}

// arithmetic hides commands if an expression has other operands than numbers.
func (a *analysis) arithmetic(list ...syntax.ArithmExpr) {
	for _, x := range list {
		if x == nil {
			continue
		}
		syntax.Walk(x, func(node syntax.Node) bool {
			if w, ok := node.(*syntax.Word); ok && !isNumber(w) {
				a.hide("arithmetic can run commands that are in variables")
			}
			return true
		})
	}
}

func isNumber(w *syntax.Word) bool {
	text := w.Lit()
	return text != "" && strings.Trim(text, "0123456789") == "" || text == "@" || text == "*"
}

// add adds a command and what it runs, within the bound of the line.
func (a *analysis) add(c Command) {
	if a.count++; a.count > MaxCommands {
		a.err = errTooMany
		return
	}
	a.Commands = append(a.Commands, c)
}
