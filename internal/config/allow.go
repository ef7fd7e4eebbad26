package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// AllowRule adds a rule to the list permissions.allow in a configuration file's text and
// returns the new text; comments stay, those in the list too. A rule that is there
// already changes nothing. See [Edit] for the rest.
func AllowRule(name string, data []byte, rule string) ([]byte, error) {
	if !utf8.ValidString(rule) {
		return nil, fmt.Errorf("the rule %q is not valid UTF-8, so %s cannot have it", rule, name)
	}
	c, err := decoded(name, data)
	if err != nil {
		return nil, err
	}
	quoted := []string{}
	for _, r := range c.Permissions.Allow {
		if r.Text == rule {
			return data, nil
		}
		quoted = append(quoted, Quote(r.Text))
	}
	path := []string{"permissions", "allow"}
	e := edit{name: name, before: data, path: path, value: "[" + strings.Join(append(quoted, Quote(rule)), ", ") + "]"}
	st := find(scan(data).statements, path)
	if st == nil {
		return e.apply()
	}
	after := addToList(data, *st, Quote(rule))
	return after, e.check(after)
}

// addToList adds a value to a list: on a line of its own if the list ends on one,
// otherwise after the last value.
func addToList(data []byte, list statement, value string) []byte {
	last, shut := lastOf(data, list), list.end-len("]")
	line := bytes.LastIndexByte(data[:shut], '\n') + 1
	ownLine := line > list.value && len(bytes.TrimSpace(data[line:shut])) == 0
	at, text := len(bytes.TrimRight(data[:shut], " \t")), value
	switch {
	case ownLine:
		at, text = line, indentOf(data, last, line)+value+",\n"
		if bytes.HasSuffix(data[:line], []byte("\r\n")) {
			text = text[:len(text)-1] + "\r\n"
		}
	case last > 0:
		text = " " + value
	}
	data = splice(data, at, at, text)
	if last > 0 && !endsWithComma(data[last:at]) {
		data = splice(data, last, last, ",")
	}
	return data
}

// lastOf returns where the last value of a list ends; 0: the list is empty.
func lastOf(data []byte, list statement) (end int) {
	p := &unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		end = max(end, lastWithin(e, list))
	}
	return end
}

// lastWithin returns where the last text within a list ends, which is the value of a
// statement or of a part of it; 0: it has none there.
func lastWithin(n *unstable.Node, list statement) (end int) {
	if n.Kind == unstable.String {
		if at := int(n.Raw.Offset); at > list.value && at < list.end {
			return at + int(n.Raw.Length)
		}
		return 0
	}
	for it := n.Children(); it.Next(); {
		end = max(end, lastWithin(it.Node(), list))
	}
	return end
}

// endsWithComma reports whether the text between a value and the next one has its comma;
// comments do not count.
func endsWithComma(between []byte) bool {
	for line := range bytes.Lines(between) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		if bytes.IndexByte(line, ',') >= 0 {
			return true
		}
	}
	return false
}

// indentOf returns the white space before the value that ends at an offset; without one,
// two spaces more than the line that begins at the other offset.
func indentOf(data []byte, end, line int) string {
	more := "  "
	if end > 0 {
		line, more = bytes.LastIndexByte(data[:end], '\n')+1, ""
	}
	rest := data[line:]
	return string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))]) + more
}
