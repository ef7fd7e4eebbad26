package config

import (
	"bytes"
	"slices"
	"strings"
)

// set replaces the key's value in place, or adds the key where it belongs: to its
// inline table, after the last key of its table, or in a new table at the end.
func set(data []byte, path []string, value string) []byte {
	d := scan(data)
	if st := find(d.statements, path); st != nil {
		return splice(data, st.value, st.end, value)
	}
	if st, depth := inlineFor(d.statements, path); st != nil {
		return addInline(data, st, tomlKey(path[depth:])+" = "+value)
	}
	newline := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		newline = "\r\n"
	}
	for depth := len(path) - 1; depth > 0; depth-- {
		if t := d.header(path[:depth]); t != nil {
			return addLine(data, d.endOf(*t), tomlKey(path[depth:])+" = "+value, newline)
		}
	}
	if len(path) == 1 || d.dotted(path) {
		return addLine(data, d.endOfTop(), tomlKey(path)+" = "+value, newline)
	}
	return addTable(data, path, value, newline)
}

// find finds a key, in inline tables too.
func find(list []statement, path []string) *statement {
	for i := range list {
		if slices.Equal(list[i].key, path) {
			return &list[i]
		}
		if st := find(list[i].children, path); st != nil {
			return st
		}
	}
	return nil
}

// inlineFor finds the innermost inline table that a key belongs to, and how many
// parts of the key lead to it.
func inlineFor(list []statement, path []string) (found *statement, depth int) {
	for i := range list {
		st := &list[i]
		if !st.inline || len(st.key) >= len(path) || !slices.Equal(st.key, path[:len(st.key)]) {
			continue
		}
		if inner, depth := inlineFor(st.children, path); inner != nil {
			return inner, depth
		}
		return st, len(st.key)
	}
	return nil, 0
}

func addInline(data []byte, st *statement, text string) []byte {
	if len(st.children) == 0 && len(bytes.TrimSpace(data[st.value+1:st.end-1])) > 0 { // comments stay
		return splice(data, st.value+1, st.value+1, " "+text)
	}
	if len(st.children) == 0 {
		return splice(data, st.value+1, st.end-1, " "+text+" ")
	}
	last := st.children[len(st.children)-1].end
	return splice(data, last, last, ", "+text)
}

// endOf returns the end of the last statement of a table, or of its header.
func (d *document) endOf(t table) int {
	end := t.end
	next := len(d.data)
	for _, other := range d.tables {
		if other.begin > t.begin {
			next = min(next, other.begin)
		}
	}
	for _, st := range d.statements {
		if t.end <= st.begin && st.begin < next {
			end = max(end, st.end)
		}
	}
	return end
}

// endOfTop returns the end of the last statement before the first table; -1 if there is
// none.
func (d *document) endOfTop() int {
	end := -1
	for _, st := range d.statements {
		if len(d.tables) == 0 || st.begin < d.tables[0].begin {
			end = max(end, st.end)
		}
	}
	return end
}

// dotted reports whether the key's table is written with dotted keys at the top; then a
// header for it would define it twice.
func (d *document) dotted(path []string) bool {
	return slices.ContainsFunc(d.statements, func(st statement) bool {
		isTop := len(d.tables) == 0 || st.begin < d.tables[0].begin
		return isTop && len(st.key) > 1 && st.key[0] == path[0]
	})
}

// addLine adds a line after the line of the offset end. If end is -1 the line goes
// below the comments at the top.
func addLine(data []byte, end int, text, newline string) []byte {
	if end < 0 {
		begin := topComments(data)
		if begin > 0 && data[begin-1] != '\n' { // a comment ends the file
			text = newline + text
		}
		return splice(data, begin, begin, text+newline)
	}
	if i := bytes.IndexByte(data[end:], '\n'); i >= 0 {
		return splice(data, end+i+1, end+i+1, text+newline)
	}
	return splice(data, len(data), len(data), newline+text+newline)
}

// topComments returns where the first keys can go: after the comments at the top of the
// file and the blank line that ends them. Comments right above a table belong to the
// table.
func topComments(data []byte) int {
	for begin := 0; ; {
		end := bytes.IndexByte(data[begin:], '\n') + 1
		if end == 0 {
			end = len(data) - begin
		}
		line := bytes.TrimSpace(data[begin : begin+end])
		begin += end
		if len(line) == 0 || line[0] == '#' && begin == len(data) {
			return begin
		}
		if line[0] != '#' {
			return 0
		}
	}
}

// addTable adds a table with one key at the end.
func addTable(data []byte, path []string, value, newline string) []byte {
	text := string(data)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += newline
	}
	if strings.TrimSpace(text) != "" {
		text += newline
	}
	last := len(path) - 1
	return []byte(text + "[" + tomlKey(path[:last]) + "]" + newline + tomlKey(path[last:]) + " = " + value + newline)
}

func splice(data []byte, begin, end int, text string) []byte {
	return slices.Concat(data[:begin], []byte(text), data[end:])
}
