package coding

import (
	"fmt"
	"strings"
)

// The operations of file_edit.
const (
	opReplaceLines = "replace_lines"
	opInsertBefore = "insert_before"
	opInsertAfter  = "insert_after"
	opDeleteLines  = "delete_lines"
	opReplace      = "replace_string"
)

type edit struct {
	operation     string
	first, last   int    // lines, from 1
	content       string // new lines
	find, replace string
	all           bool
}

// apply returns the new text, and the message when it is written. named is the file.
func (e edit) apply(text, named string) (after, done string, err error) {
	if e.operation == opReplace {
		return e.replaceText(text, named)
	}
	after, err = e.changeLines(text, named)
	return after, fmt.Sprintf("Edited %s (%s)", named, lines(len(splitLines(after)))), err
}

// replaceText replaces a text that must occur once, unless all occurrences are wanted. In a
// file whose lines all end with CR LF, a newline of the arguments means that.
func (e edit) replaceText(text, named string) (after, done string, err error) {
	find, replace := e.find, e.replace
	if lineEnd(text) == crlf {
		find, replace = withEnds(find, crlf), withEnds(replace, crlf)
	}
	at := occurrences(text, find)
	switch {
	case len(at) == 0:
		return "", "", fmt.Errorf("the text to replace does not occur in %s; read the file and copy the text exactly, "+
			"white space included%s", named, mixedEnds(text, find))
	case len(at) > 1 && !e.all:
		return "", "", fmt.Errorf("the text to replace occurs %s times in %s, on %s; add lines around it to make it unique, "+
			"or set replace_all", number(at), named, linesOf(text, at))
	case e.all:
		after = strings.ReplaceAll(text, find, replace)
	default:
		after = text[:at[0]] + replace + text[at[0]+len(find):]
	}
	what := "string"
	if n := strings.Count(text, find); e.all && n > 1 {
		what = fmt.Sprintf("%d strings", n)
	}
	return after, fmt.Sprintf("Replaced %s in %s (%d → %d bytes)", what, named, len(text), len(after)), nil
}

// maxOccurrences bounds how many occurrences are looked for.
const maxOccurrences = 1000

// occurrences returns where a text occurs, those that overlap included.
func occurrences(text, find string) (at []int) {
	for from := 0; len(at) < maxOccurrences; {
		i := strings.Index(text[from:], find)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + 1
	}
	return at
}

func number(at []int) string {
	if len(at) == maxOccurrences {
		return fmt.Sprintf("%d or more", len(at))
	}
	return fmt.Sprint(len(at))
}

// linesOf names the lines of places in a text, the first ten of them.
func linesOf(text string, at []int) string {
	const most = 10
	var names []string
	line, from := 1, 0
	for _, i := range at[:min(len(at), most)] {
		line += strings.Count(text[from:i], "\n")
		from = i
		names = append(names, fmt.Sprint(line))
	}
	more := ""
	if len(at) > most {
		more = " and more"
	}
	return "lines " + strings.Join(names, ", ") + more
}

// crlf ends the lines of files that come from Windows.
const crlf = "\r\n"

// lineEnd returns the end of the lines of a text: CR LF if all have it.
func lineEnd(text string) string {
	if n := strings.Count(text, "\n"); n > 0 && strings.Count(text, crlf) == n {
		return crlf
	}
	return "\n"
}

func withEnds(text, end string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, crlf, "\n"), "\n", end)
}

// mixedEnds explains why a text may not have been found that looks as if it was there.
func mixedEnds(text, find string) string {
	if strings.Contains(find, "\n") && strings.Contains(text, crlf) && lineEnd(text) != crlf {
		return "; some lines of the file end with CR LF and some with LF, and the text must have the same"
	}
	return ""
}

// changeLines carries out an operation on lines.
func (e edit) changeLines(text, named string) (string, error) {
	mark := ""
	if strings.HasPrefix(text, byteOrderMark) {
		mark, text = byteOrderMark, text[len(byteOrderMark):]
	}
	old := splitLines(text)
	isFirstOfNone := e.operation == opInsertBefore && len(old) == 0 && e.first == 1
	if e.last > len(old) && !isFirstOfNone {
		return "", fmt.Errorf("line %d is past the end of %s, which has %s", e.last, named, lines(len(old)))
	}
	from, to := e.first-1, e.last // what is replaced
	switch e.operation {
	case opInsertBefore:
		to = from
	case opInsertAfter:
		from = to
	}
	var added []string
	if e.operation != opDeleteLines {
		added = newLines(e.content, lineEnd(text))
	}
	kept := append(append(append([]string{}, old[:from]...), added...), old[to:]...)
	return mark + join(kept, text), nil
}

// splitLines splits a text into lines, with their ends.
func splitLines(text string) []string {
	list := strings.SplitAfter(text, "\n")
	if last := len(list) - 1; list[last] == "" {
		return list[:last]
	}
	return list
}

// newLines splits the content of a call into lines with the file's end. A newline at its end
// ends its last line.
func newLines(content, end string) (list []string) {
	content = strings.TrimSuffix(withEnds(content, "\n"), "\n")
	for line := range strings.SplitSeq(content, "\n") {
		list = append(list, line+end)
	}
	return list
}

// join joins lines to a text that ends as the text before: with a newline or without.
func join(list []string, before string) string {
	end := lineEnd(before)
	for i := range list[:max(len(list)-1, 0)] {
		if !strings.HasSuffix(list[i], "\n") {
			list[i] += end
		}
	}
	text := strings.Join(list, "")
	if before != "" && !strings.HasSuffix(before, "\n") {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	return text
}
