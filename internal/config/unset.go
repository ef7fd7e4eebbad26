package config

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/pelletier/go-toml/v2"
)

// Unset removes one key from a configuration file's text, and the header of its table if nothing else is in it.
// Everything else stays as it is. A missing key is not an error; a key in an inline table is one: that has to be
// removed by hand. name is the file's name for errors.
func Unset(name string, data []byte, key string) ([]byte, error) {
	if err := validText(name, data); err != nil {
		return nil, err
	}
	path, err := keyParts(key)
	if err != nil {
		return nil, err
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
	within := path[:len(path)-1]
	if t := d.header(within); t != nil && isEmptyTable(edited, within) {
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
	table, ok := tableIn(all, path)
	return ok && len(table) == 0
}

// tableIn returns the table that a path leads to in nested tables.
func tableIn(all map[string]any, path []string) (table map[string]any, ok bool) {
	for _, part := range path {
		if all, ok = all[part].(map[string]any); !ok {
			return nil, false
		}
	}
	return all, true
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
		return byHand(name)
	}
	in, ok := tableIn(want, path[:len(path)-1])
	if !ok {
		return byHand(name)
	}
	delete(in, path[len(path)-1])
	prune(want)
	prune(got)
	if len(want)+len(got) > 0 && !reflect.DeepEqual(want, got) {
		return changesMore(name, path)
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
