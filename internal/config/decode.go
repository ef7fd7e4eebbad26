package config

import (
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// part is a part of a key, with its place in the source.
type part struct {
	name   string
	offset int
}

// decoder decodes a source into a struct whose tags name the keys. Fields whose keys
// are not in the source keep their values.
type decoder struct {
	source
	fields fields
	parser unstable.Parser
	root   reflect.Value
	table  []part          // the table that keys belong to
	begun  map[string]bool // lists that the source has started
	lists  [][]part        // the lists whose last elements are not checked yet
}

// target is the place in a struct that a key leads to.
type target struct {
	path    []part
	depth   int                 // how many parts of path lead to v
	v       reflect.Value       // settable
	field   reflect.StructField // describes v
	tag     string              // names the keys in v
	isTable bool                // the path leads to a table
}

// key returns the part of the path that leads to the target, as TOML.
func (t target) key() string { return keyText(t.path[:t.depth]) }

// offset returns where the last part of that key is.
func (t target) offset() int { return t.path[max(0, t.depth-1)].offset }

func keyText(path []part) string {
	var names []string
	for _, p := range path {
		names = append(names, p.name)
	}
	return tomlKey(names)
}

// decode decodes the source into a struct.
func (s source) decode(known fields, into any) error {
	d := decoder{source: s, fields: known, root: reflect.ValueOf(into).Elem(), begun: map[string]bool{}}
	d.parser.Reset(s.data)
	for d.parser.NextExpression() {
		if err := d.expression(d.parser.Expression()); err != nil {
			return err
		}
	}
	return d.leaveElements()
}

// expression decodes a line: the header of a table, or a key with its value.
func (d *decoder) expression(e *unstable.Node) error {
	if e.Kind == unstable.KeyValue {
		return d.keyValue(target{path: d.table, v: d.root, tag: "toml"}, e)
	}
	if err := d.leaveElements(); err != nil {
		return err
	}
	d.table = withKey(nil, e.Key())
	t := target{path: d.table, v: d.root, tag: "toml"}
	if e.Kind == unstable.ArrayTable {
		return d.descend(t, d.enterElement)
	}
	t.isTable = true
	return d.descend(t, func(t target) error {
		switch kind := t.v.Kind(); {
		case isList(t.v):
			return d.enterElement(t) // the list of one
		case kind != reflect.Struct && kind != reflect.Map:
			return d.mismatch(t, t.offset(), "a table")
		}
		return nil
	})
}

// keyValue decodes a key and its value within a table.
func (d *decoder) keyValue(table target, e *unstable.Node) error {
	table.path = withKey(table.path, e.Key())
	value := e.Value()
	table.isTable = value.Kind == unstable.InlineTable
	return d.descend(table, func(t target) error { return d.set(t, value) })
}

// withKey returns a path extended by the key that follows it.
func withKey(path []part, key unstable.Iterator) []part {
	path = slices.Clip(path)
	for key.Next() {
		n := key.Node()
		path = append(path, part{string(n.Data), int(n.Raw.Offset)})
	}
	return path
}

// descend follows the path to its end and calls do with the target there.
func (d *decoder) descend(t target, do func(target) error) error {
	if err := d.admit(t); err != nil {
		return err
	}
	switch kind := t.v.Kind(); {
	case kind == reflect.Interface:
		return d.take(t)
	case t.depth == len(t.path):
		return do(t)
	case kind == reflect.Struct:
		return d.intoField(t, do)
	case kind == reflect.Map:
		return d.intoMap(t, do)
	case isList(t.v):
		return d.intoElement(t, do)
	}
	return d.mismatch(t, t.offset(), "a table")
}

// intoField follows the path to a field of a struct.
func (d *decoder) intoField(t target, do func(target) error) error {
	next := t.path[t.depth]
	tables, mixed := d.fields.find(t.v.Type(), "toml", "*")
	field, ok := d.fields.find(t.v.Type(), t.tag, next.name)
	if mixed && (t.isTable || t.depth+1 < len(t.path)) {
		field, ok = tables, true // the map has the names
	} else {
		t.depth++
	}
	if !ok {
		return d.unknown(t)
	}
	t.v, t.field, t.tag = t.v.FieldByIndex(field.Index), field, "toml"
	return d.descend(t, do)
}

// intoMap follows the path to an element of a map, which is created with its defaults
// if it does not exist.
func (d *decoder) intoMap(t target, do func(target) error) error {
	all := t.v
	t.depth++
	text, err := d.nameOf(t)
	if err != nil {
		return err
	}
	name := reflect.ValueOf(text).Convert(all.Type().Key())
	t.v = newWithDefaults(all.Type().Elem())
	if before := all.MapIndex(name); before.IsValid() {
		t.v.Set(before)
	} else if placed, ok := t.v.Addr().Interface().(interface{ setPlace(string) }); ok {
		placed.setPlace(d.place(t.offset()))
	}
	if keys := t.field.Tag.Get("keys"); keys != "" {
		t.tag = keys
	}
	if err := d.descend(t, do); err != nil {
		return err
	}
	if all.IsNil() {
		all.Set(reflect.MakeMap(all.Type()))
	}
	all.SetMapIndex(name, t.v)
	return nil
}

// intoElement follows the path into the last element of a list, which a dotted key
// creates.
func (d *decoder) intoElement(t target, do func(target) error) error {
	if !d.begun[t.key()] {
		if err := d.enterElement(t); err != nil {
			return err
		}
	}
	t.v = t.v.Index(t.v.Len() - 1)
	return d.descend(t, do)
}

// newWithDefaults returns a settable value with its defaults.
func newWithDefaults(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	if with, ok := v.Interface().(interface{ setDefaults() }); ok {
		with.setDefaults()
	}
	return v.Elem()
}

func isList(v reflect.Value) bool {
	return v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct && !isRules(v)
}

// isRules reports whether a value is a list of permission rules.
func isRules(v reflect.Value) bool { return v.Type() == reflect.TypeFor[Rules]() }

// enterElement adds an element to a list of tables.
func (d *decoder) enterElement(t target) error {
	if !isList(t.v) {
		return d.mismatch(t, t.offset(), "a list of tables")
	}
	if key := t.key(); !d.begun[key] { // a later source replaces the list
		d.begun[key] = true
		t.v.SetZero()
	}
	t.v.Set(reflect.Append(t.v, newWithDefaults(t.v.Type().Elem())))
	d.lists = append(d.lists, t.path[:t.depth])
	return nil
}

// leaveElements checks the last elements of the lists that the source has entered.
func (d *decoder) leaveElements() error {
	for _, path := range d.lists {
		err := d.descend(target{path: path, v: d.root, tag: "toml"}, func(t target) error {
			return d.checkElement(t, t.v, t.offset())
		})
		if err != nil {
			return err
		}
	}
	d.lists = nil
	return nil
}
