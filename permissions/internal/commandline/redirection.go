package commandline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func isInput(r *syntax.Redirect) bool {
	if r.N != nil {
		return strings.Trim(r.N.Value, "0") == ""
	}
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true
	}
	return false
}

func (a *analysis) redirection(r *syntax.Redirect) {
	target := a.word(r.Word)
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") { // {NAME}>file
		a.set(strings.Trim(r.N.Value, "{}"), r.N)
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll,
		syntax.RdrAllClob, syntax.AppAllClob, syntax.AppClob:
		a.Writes = append(a.Writes, target)
	case syntax.RdrInOut:
		a.Writes = append(a.Writes, target)
		a.Reads = append(a.Reads, target)
	case syntax.RdrIn:
		a.Reads = append(a.Reads, target)
	case syntax.DplOut, syntax.DplIn:
		if !isDescriptor(target.Text) {
			a.Writes = append(a.Writes, target)
		}
		if r.Op == syntax.DplOut && strings.ContainsAny(target.Text, "$`\\\"'*?[~{<> ") {
			a.hide("bash expands the file behind >& twice, also where it is quoted")
			a.Misread = true
		}
	}
}

// isDescriptor reports whether a word after >& or <& duplicates or closes a descriptor. In
// bash it can also be a file.
func isDescriptor(text string) bool {
	return text == "-" || text != "" && strings.Trim(strings.TrimSuffix(text, "-"), "0123456789") == ""
}
