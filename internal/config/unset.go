package config

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Unset removes one key from a configuration file's text, and the header of its table if nothing else is in it.
// Everything else stays as it is. A missing key is not an error; a key in an inline table is one: that has to be
// removed by hand. name is the file's name for errors.
func Unset(name string, data []byte, key string) ([]byte, error) {
	if err := validText(name, data); err != nil {
		return nil, err
	}
	path := keyParts([]byte(key+" = 0"), len(strings.TrimRight(key, " \t")))
	if path == nil {
		return nil, fmt.Errorf("%q is not a key; want KEY or TABLE.KEY", key)
	}
	d := scan(data)
	st := find(d.statements, path)
	if st == nil {
		return data, nil
	}
	if st.inline {
		return nil, fmt.Errorf("%s cannot be changed by the program; remove %s by hand", name, key)
	}
	edited := cutLine(data, st.begin, st.end)
	if i := slices.IndexFunc(d.tables, func(t table) bool {
		return !t.isArray &&
			slices.Equal(t.key, path[:len(path)-1])
	}); i >= 0 && isEmptyTable(edited, path[:len(path)-1]) {
		t := d.tables[i]
		edited = cutLine(edited, t.begin, t.end)
	}
	return edited, checkUnset(name, data, edited, path)
}

// isEmptyTable reports whether a table holds nothing.
func isEmptyTable(data []byte, path []string) bool {
	var all map[string]any
	if toml.Unmarshal(data, &all) != nil {
		return false
	}
	for _, part := range path {
		next, ok := all[part].(map[string]any)
		if !ok {
			return false
		}
		all = next
	}
	return len(all) == 0
}

// cutLine removes the lines from begin to end, whole.
func cutLine(data []byte, begin, end int) []byte {
	begin = bytes.LastIndexByte(data[:begin], '\n') + 1
	if n := bytes.IndexByte(data[end:], '\n'); n >= 0 {
		end += n + 1
	} else {
		end = len(data)
	}
	return append(bytes.Clone(data[:begin]), data[end:]...)
}

// checkUnset checks that only the key was removed, and tables that are empty without
// it.
func checkUnset(name string, before, after []byte, path []string) error {
	var want, got map[string]any
	if toml.Unmarshal(before, &want) != nil || toml.Unmarshal(after, &got) != nil {
		return fmt.Errorf("%s cannot be changed by the program, change it by hand", name)
	}
	in := want
	for _, part := range path[:len(path)-1] {
		next, ok := in[part].(map[string]any)
		if !ok {
			return fmt.Errorf("%s cannot be changed by the program, change it by hand", name)
		}
		in = next
	}
	delete(in, path[len(path)-1])
	prune(want)
	prune(got)
	if len(want)+len(got) > 0 && !reflect.DeepEqual(want, got) {
		return fmt.Errorf("%s cannot be changed by the program without changing more than %s; change it by hand", name,
			strings.Join(path, "."))
	}
	return nil
}

// prune removes empty tables.
func prune(table map[string]any) {
	for key, value := range table {
		if below, ok := value.(map[string]any); ok {
			if prune(below); len(below) == 0 {
				delete(table, key)
			}
		}
	}
}
