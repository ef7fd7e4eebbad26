package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Keys lists the keys that Value knows, in the order of the documentation. The
// key for the model's server is not among them, nor are settings of single
// plugins.
func Keys() []string {
	return slices.DeleteFunc(knownKeys(reflect.TypeFor[layer]()), func(key string) bool {
		isTable := slices.Contains([]string{"api", "api.reasoning", "tools", "storage", "trace", "limits"}, key)
		return isTable || key == "api_key" || strings.HasPrefix(key, "plugins") || strings.HasPrefix(key, "kode")
	})
}

// SettableKeys lists the keys that --set knows, settings of single plugins
// aside.
func SettableKeys() []string {
	keys := append(Keys(), "api_key")
	for _, key := range knownKeys(reflect.TypeFor[pluginKeys]()) {
		keys = append(keys, "plugins."+key)
	}
	return keys
}

// Value is what counts for a key, as text for people: "" if it is not set and
// has no default. ok is false for a key that is not known.
func (c Config) Value(key string) (text string, ok bool) {
	if !slices.Contains(Keys(), key) {
		return "", false
	}
	field := reflect.ValueOf(c.effective)
	for _, part := range strings.Split(key, ".") {
		field = fieldOf(field, part)
	}
	return textOf(field), true
}

// HoldsKey reports whether the text of a configuration file has a key for the
// model's server. One that is not valid TOML has it if it names the key.
func HoldsKey(text []byte) bool {
	var table map[string]any
	if toml.Unmarshal(text, &table) != nil {
		return bytes.Contains(text, []byte("api_key"))
	}
	return holdsKey(table)
}

func holdsKey(table map[string]any) bool {
	for name, value := range table {
		inner, isTable := value.(map[string]any)
		if name == "api_key" && value != "" || isTable && holdsKey(inner) {
			return true
		}
	}
	return false
}

// fieldOf finds the field of a struct that a part of a key names.
func fieldOf(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("toml") == name {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

func textOf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return ""
		}
		if v.Kind() == reflect.Interface && v.Elem().Kind() != reflect.String {
			data, _ := json.Marshal(v.Interface())
			return string(data)
		}
		return fmt.Sprint(v.Elem())
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, fmt.Sprint(v.Index(i)))
		}
		if v.Len() == 0 && !v.IsNil() {
			return "(empty)"
		}
		return strings.Join(parts, ", ")
	}
	return ""
}
