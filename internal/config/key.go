package config

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Key describes a key of the configuration.
type Key struct {
	// Name is the key as it is written, with dots for tables. Words in capitals stand for
	// any name: NAME for the name of a plugin, POINT of a hook point, EVENT of a Kode event,
	// SERVER of an MCP server, TOOL of one of its tools, VARIABLE and HEADER.
	Name string
	// Model is its name below [models.NAME] in models.toml; "" if it is not allowed
	// there.
	Model string
	// Default is its value if no source sets it, as text for people.
	Default string
	// Field is the field that it sets, as TYPE.FIELD. The field's comment says what
	// the key means.
	Field string
	// OnlyGlobal is true if only config.toml can have it.
	OnlyGlobal bool
	// Shared says whether the local.toml of a context that machines share can have it: "" if
	// not; "yes"; "adds", what it lists beside what the host has; or the one value that counts.
	Shared string
}

// All describes all keys that config.toml, local.toml and --set take, in the order
// of the documentation.
func All() []Key {
	var c Config
	c.setDefaults()
	c.resolve(func(string) string { return "" })
	w := walker{}
	w.walk(reflect.ValueOf(c), Key{}, "toml")
	return w.keys
}

// Keys lists the keys that [Config.Value] knows, in the order of the documentation.
// The key for the model's server is not among them, nor are settings of plugins, of
// Kode's hooks and of MCP servers.
func Keys() []string {
	return namesOf(All(), func(k Key) bool {
		return k.Name != "api_key" && !strings.HasPrefix(k.Name, "plugins.") && !hasPlaceholder(k.Name)
	})
}

// SettableKeys lists the keys that --set takes, except keys of single plugins, of Kode's
// hooks and of MCP servers.
func SettableKeys() []string {
	return namesOf(All(), func(k Key) bool { return !hasPlaceholder(k.Name) && !k.OnlyGlobal })
}

// hasPlaceholder reports whether a key, or a part of one, stands for any name.
func hasPlaceholder(name string) bool { return strings.ToLower(name) != name }

func namesOf(keys []Key, wanted func(Key) bool) (names []string) {
	for _, k := range keys {
		if wanted(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// walker lists the keys and tables of a struct.
type walker struct {
	keys   []Key
	tables []string
}

// walk lists what is below a table.
func (w *walker) walk(v reflect.Value, table Key, tag string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := f.Tag.Get(tag)
		if name == "" {
			continue
		}
		below := Key{Name: join(table.Name, name), Field: v.Type().Name() + "." + f.Name, Default: f.Tag.Get("unset"),
			OnlyGlobal: f.Tag.Get("above") == "never", Shared: f.Tag.Get("shared")}
		if model := f.Tag.Get("model"); model != "" {
			below.Model = model
		} else if table.Model != "" {
			below.Model = join(table.Model, name)
		}
		if name == "*" {
			below.Name = table.Name
		}
		w.value(v.Field(i), f, below)
	}
}

// value lists a key, or the keys below it if it is a table.
func (w *walker) value(v reflect.Value, f reflect.StructField, k Key) {
	switch {
	case v.Kind() == reflect.Struct:
		w.tables = append(w.tables, k.Name)
		w.walk(v, k, "toml")
	case v.Kind() == reflect.Map:
		w.tables = append(w.tables, k.Name)
		tag := "toml"
		if keys := f.Tag.Get("keys"); keys != "" {
			tag = keys
		}
		element := v.Type().Elem()
		if element.Kind() == reflect.Slice {
			element = element.Elem()
		}
		k.Name = join(k.Name, f.Tag.Get("name"))
		if element.Kind() != reflect.Struct { // its elements are values
			w.keys = append(w.keys, k)
			return
		}
		w.walk(newWithDefaults(element), k, tag)
	default:
		k.Default = cmp.Or(k.Default, textOf(v))
		w.keys = append(w.keys, k)
	}
}

func join(table, name string) string {
	if table == "" {
		return name
	}
	return table + "." + name
}

// fields caches the fields of structs by the tags that name them.
type fields map[namedBy]map[string]reflect.StructField

// namedBy is a struct and the tag that names its fields.
type namedBy struct {
	t   reflect.Type
	tag string
}

// find returns the field that a key means, in upper or lower case.
func (f fields) find(t reflect.Type, tag, key string) (field reflect.StructField, ok bool) {
	by := namedBy{t, tag}
	names, ok := f[by]
	if !ok {
		names = make(map[string]reflect.StructField, t.NumField())
		for i := range t.NumField() {
			field := t.Field(i)
			if name := field.Tag.Get(tag); name != "" {
				names[name] = field
			}
		}
		f[by] = names
	}
	field, ok = names[strings.ToLower(key)]
	return field, ok
}

// unknown returns the error for an unknown key, with the nearest known one: one without
// placeholders, or one below the same table, such as plugins.NAME.on_failure for
// plugins.on_failure. t ends at the part that is wrong.
func (d *decoder) unknown(t target) error {
	var w walker
	w.walk(d.root, Key{}, "toml")
	table := t.path[:t.depth-1]
	var known []string
	for _, name := range slices.Concat(namesOf(w.keys, func(Key) bool { return true }), w.tables) {
		if actual, ok := named(name, table); ok {
			known = append(known, actual)
		} else if len(table) > 0 && strings.HasPrefix(name, keyText(table)+".") {
			known = append(known, name)
		}
	}
	return d.errorNear(t, t.key(), known)
}

// unknownOf returns the error for a name that is not one of those that a table can
// have.
func (s source) unknownOf(t target, names []string) error {
	table := keyText(t.path[:t.depth-1])
	var known []string
	for _, name := range names {
		known = append(known, join(table, name))
	}
	return s.errorNear(t, t.key(), known)
}

func (s source) errorNear(t target, key string, known []string) error {
	known = slices.DeleteFunc(known, func(k string) bool { return strings.HasPrefix(key, k+".") }) // it is known
	if near := nearest(key, known); near != "" {
		return s.errorAt(t.offset(), "unknown key %q; did you mean %q?", key, near)
	}
	return s.errorAt(t.offset(), "unknown key %q", key)
}

// named replaces a key's placeholders by the names of a path. ok is false if the key has
// more placeholders than the path has names, or belongs to a table that the path does not resemble.
func named(key string, path []part) (name string, ok bool) {
	parts := strings.Split(key, ".")
	for i, p := range parts {
		switch {
		case hasPlaceholder(p) && i < len(path):
			parts[i] = path[i].name
		case hasPlaceholder(p), i < len(path) && !resembles(p, path[i].name) && hasPlaceholder(key):
			return "", false
		}
	}
	return tomlKey(parts), true
}

// resembles reports whether a name may be a mistake for another one.
func resembles(name, other string) bool { return strictjson.Distance(name, other) <= len(name)/2 }

// nearest returns the known key that is nearest to a wrong one. Last parts are compared
// too, so that "temperature" finds "api.temperature"; they must be near each other for
// their own length, and count for more below the same table.
func nearest(key string, known []string) string {
	best, least := "", len(key)/2+1
	last := lastKey(key)
	table := strings.TrimSuffix(key, last)
	for _, k := range known {
		d := strictjson.Distance(key, k)
		if ofLast := strictjson.Distance(last, lastKey(k)); ofLast <= len(last)/2 {
			if table == "" || !strings.HasPrefix(k, table) {
				ofLast++
			}
			d = min(d, ofLast)
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

func lastKey(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
