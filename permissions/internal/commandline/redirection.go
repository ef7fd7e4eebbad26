package commandline

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirection notes the file that a redirection opens.
func (a *analysis) redirection(r *syntax.Redirect) {
	target := a.word(r.Word)
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
	}
}

// isDescriptor reports whether a word after >& or <& duplicates or closes a descriptor. In
// bash it can also be a file.
func isDescriptor(text string) bool {
	return text == "-" || text != "" && strings.Trim(strings.TrimSuffix(text, "-"), "0123456789") == ""
}
