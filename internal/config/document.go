package config

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// statement is a KEY = VALUE of a TOML text, with its place. The key includes its
// table's key.
type statement struct {
	key               []string
	begin, value, end int         // of the key and the value
	inline            bool        // the value is an inline table, from its { to its }
	children          []statement // of an inline table
}

type table struct {
	key        []string
	begin, end int // of the header
	isArray    bool
}

// document holds the places of the statements and tables of a TOML text.
type document struct {
	data       []byte
	statements []statement
	tables     []table
}

// scan finds all statements and table headers of a valid text.
func scan(data []byte) *document {
	d := &document{data: data}
	p := &unstable.Parser{}
	p.Reset(data)
	var current []string
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			d.statements = append(d.statements, d.statement(current, e))
			continue
		}
		t := d.table(e)
		d.tables, current = append(d.tables, t), t.key
	}
	return d
}

// header returns the [table] header of a table, nil if it has none.
func (d *document) header(key []string) *table {
	i := slices.IndexFunc(d.tables, func(t table) bool { return !t.isArray && slices.Equal(t.key, key) })
	if i < 0 {
		return nil
	}
	return &d.tables[i]
}

// table finds the extent of a [table] or [[table]]: the parser gives only the places
// of its names.
func (d *document) table(e *unstable.Node) table {
	t := table{isArray: e.Kind == unstable.ArrayTable}
	brackets := 1
	if t.isArray {
		brackets = 2
	}
	first := e.Child().Raw.Offset
	t.begin = len(bytes.TrimRight(d.data[:first], " \t")) - brackets
	t.key, t.end = names(e.Key())
	t.end = d.skipBlanks(t.end) + brackets
	return t
}

// statement finds a KEY = VALUE within a table.
func (d *document) statement(within []string, e *unstable.Node) statement {
	key, end := names(e.Key())
	st := statement{key: append(slices.Clip(within), key...), begin: int(e.Raw.Offset)}
	st.end = st.begin + int(e.Raw.Length)
	st.value = d.skipBlanks(d.skipBlanks(end) + len("="))
	if value := e.Value(); value.Kind == unstable.InlineTable {
		st.inline = true
		for it := value.Children(); it.Next(); {
			st.children = append(st.children, d.statement(st.key, it.Node()))
		}
	}
	return st
}

func (d *document) skipBlanks(at int) int {
	return len(d.data) - len(bytes.TrimLeft(d.data[at:], " \t"))
}

// names returns the parts of a key, and where it ends.
func names(key unstable.Iterator) (names []string, end int) {
	for key.Next() {
		n := key.Node()
		names, end = append(names, string(n.Data)), int(n.Raw.Offset+n.Raw.Length)
	}
	return names, end
}
