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

// Value returns the value of a key, as text for people: "" if it is not set and has no
// default. ok is false for an unknown key.
func (c Config) Value(key string) (text string, ok bool) {
	if !slices.Contains(Keys(), key) {
		return "", false
	}
	v, known, shown := reflect.ValueOf(c), fields{}, ""
	for _, part := range strings.Split(key, ".") {
		field, _ := known.find(v.Type(), "toml", part)
		v, shown = v.FieldByIndex(field.Index), field.Tag.Get("shown")
	}
	if shown == "address" {
		return WithoutSecrets(v.String()), true
	}
	return textOf(v), true
}

// HoldsKey reports whether the text of a configuration file has a key for the model's
// server. A text that is not valid TOML has one if it mentions the setting.
func HoldsKey(text []byte) bool {
	var table map[string]any
	if toml.Unmarshal(text, &table) != nil {
		return bytes.Contains(bytes.ToLower(text), []byte("api_key"))
	}
	return holdsKey(table)
}

func holdsKey(table map[string]any) bool {
	for name, value := range table {
		inner, isTable := value.(map[string]any)
		text, _ := value.(string)
		switch name = strings.ToLower(name); {
		case name == "api_key" && value != "", name == "store" && StoreSecrets(text) != nil, isTable && holdsKey(inner):
			return true
		}
	}
	return false
}

// textOf returns a value as text for people.
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
		return textOf(v.Elem())
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
	return fmt.Sprint(v)
}

// Option is one member of a request body.
type Option struct {
	Name  string
	Value json.RawMessage
}

// Options lists the members that were configured, in the order of the
// documentation.
func (a API) Options() []Option {
	a.PromptCaching = nil // is never sent
	var options []Option
	v := reflect.ValueOf(a)
	for i := range v.NumField() {
		field := v.Field(i)
		isSet := !field.IsZero()
		if raw, err := json.Marshal(field.Interface()); err == nil && isSet {
			options = append(options, Option{v.Type().Field(i).Tag.Get("toml"), raw})
		}
	}
	return options
}

// List lists the hooks in the order in which their events happen, and within one event in
// the order of the file.
func (k Kode) List() (list []KodeHook) {
	for _, event := range kodeEvents() {
		for _, h := range k.Hooks[event] {
			h.Event = event
			list = append(list, h)
		}
	}
	return list
}
