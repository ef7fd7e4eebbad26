package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/pelletier/go-toml/v2"
)

// document is a source with the [plugins] table as it comes: it mixes keys with
// tables of any name.
type document struct {
	layer
	Plugins map[string]any `toml:"plugins"`
}

// MaxFileBytes bounds a configuration file.
const MaxFileBytes = 4 << 20

// readLayer reads a file; a missing one says nothing.
func readLayer(path string) (layer, error) {
	data, err := disk.ReadFile(disk.OS{}, path, MaxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return layer{}, nil
	}
	if err != nil {
		return layer{}, fmt.Errorf("reading the configuration: %w", err)
	}
	return parseLayer(path, data)
}

// parseLayer reads a source's text. Errors name it, and the line.
func parseLayer(name string, data []byte) (layer, error) {
	var doc document
	if err := strict(name, data, &doc); err != nil {
		return layer{}, err
	}
	l := doc.layer
	var err error
	if l.Plugins, err = splitPlugins(name, data, doc.Plugins); err != nil {
		return layer{}, err
	}
	if key, err := l.validate(); err != nil {
		return layer{}, fmt.Errorf("%s: %w", at(name, lineOf(data, lastKey(key))), err)
	}
	return l, nil
}

// splitPlugins takes the keys of [plugins] and the tables of single plugins
// apart.
func splitPlugins(name string, data []byte, table map[string]any) (p plugins, err error) {
	own := map[string]any{}
	p.ByName = map[string]onePlugin{}
	for key, value := range table {
		one, isTable := value.(map[string]any)
		if !isTable {
			own[key] = value
			continue
		}
		var settings onePlugin
		if err := again(name, data, "plugins."+key+".", one, &settings); err != nil {
			return p, err
		}
		p.ByName[key] = settings
	}
	var keys pluginKeys
	if err := again(name, data, "plugins.", own, &keys); err != nil {
		return p, err
	}
	p.ProbeTimeoutMS, p.HookTimeoutMS, p.ToolTimeoutMS = keys.ProbeTimeoutMS, keys.HookTimeoutMS, keys.ToolTimeoutMS
	p.AllowLinks, p.MaxToolOutputBytes = keys.AllowLinks, keys.MaxToolOutputBytes
	p.RawStderr, p.HideKey, p.AskTimeoutMS = keys.RawStderr, keys.HideKey, keys.AskTimeoutMS
	return p, nil
}

// again decodes a part of a source that was decoded before; lines are looked up
// in the whole.
func again(name string, data []byte, prefix string, table map[string]any, into any) error {
	text, err := toml.Marshal(table)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	err = decode(text, into)
	var wrong *keyError
	if errors.As(err, &wrong) {
		wrong.line = lineOf(data, lastKey(wrong.key))
		return wrong.in(name, prefix, into)
	}
	return err
}

// readModel reads what models.toml says about a model.
func readModel(path string, model *string) (layer, error) {
	data, err := disk.ReadFile(disk.OS{}, path, MaxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return layer{}, nil
	}
	if err != nil {
		return layer{}, fmt.Errorf("reading the configuration: %w", err)
	}
	var file struct {
		Models map[string]modelSettings `toml:"models"`
	}
	if err := strict(path, data, &file); err != nil {
		return layer{}, err
	}
	if err := checkWindows(path, data, file.Models); err != nil || model == nil {
		return layer{}, err
	}
	about := file.Models[*model]
	return layer{ContextWindowLimit: about.ContextWindow, API: about.API}, nil
}

// modelSettings is what models.toml says about one model.
type modelSettings struct {
	ContextWindow *int `toml:"context_window"`
	API           API  `toml:"api"`
}

// checkWindows refuses context windows that no model has.
func checkWindows(path string, data []byte, models map[string]modelSettings) error {
	for _, name := range slices.Sorted(maps.Keys(models)) {
		window := models[name].ContextWindow
		if window == nil || *window > 0 {
			continue
		}
		line := 0
		if st := find(scan(data).statements, []string{"models", name, "context_window"}); st != nil {
			line = 1 + bytes.Count(data[:st.begin], []byte("\n"))
		}
		return fmt.Errorf("%s: models.%s.context_window is %d; want a number above 0", at(path, line), Quote(name), *window)
	}
	return nil
}

// readSet reads KEY=VALUE pairs. A value that is not TOML is a plain text.
func readSet(pairs []string) (layer, error) {
	var all layer
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		if !ok || key == "" {
			return all, fmt.Errorf("--set %s: want KEY=VALUE", pair)
		}
		text := key + " = " + value
		if toml.Unmarshal([]byte(text), &map[string]any{}) != nil {
			text = key + " = " + Quote(value)
		}
		l, err := parseLayer("--set "+pair, []byte(text))
		if err != nil {
			return all, err
		}
		all = all.over(l)
	}
	return all, nil
}

// Quote is a text as TOML.
func Quote(value string) string {
	text, _ := toml.Marshal(map[string]string{"x": value})
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "x = ")
}

// strict decodes a whole source; keys that it does not know are errors.
func strict(name string, data []byte, into any) error {
	err := decode(data, into)
	var wrong *keyError
	if errors.As(err, &wrong) {
		return wrong.in(name, "", into)
	}
	return err
}

// decode decodes TOML and words the first error.
func decode(data []byte, into any) error {
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(into)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unknown):
		first := unknown.Errors[0]
		line, _ := first.Position()
		return &keyError{line: line, key: strings.Join(first.Key(), "."), unknown: true}
	case errors.As(err, &wrong):
		line, _ := wrong.Position()
		return &keyError{line: line, key: strings.Join(wrong.Key(), "."), text: typeText(wrong.Error())}
	}
	return &keyError{text: strings.TrimPrefix(err.Error(), "toml: ")}
}

// mismatch is how the decoder says that a value has the wrong type.
var mismatch = regexp.MustCompile(`cannot decode TOML (\w+) into .* of type (\S+)`)

// typeText words the decoder's error for people.
func typeText(text string) string {
	if m := mismatch.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("want %s, got %s", typeName(m[2]), typeName(m[1]))
	}
	return strings.TrimPrefix(text, "toml: ")
}

// typeName names a type of TOML or Go.
func typeName(name string) string {
	switch {
	case strings.HasPrefix(name, "[]"), name == "array":
		return "a list"
	case strings.HasPrefix(name, "int"):
		return "a whole number"
	case strings.HasPrefix(name, "float"):
		return "a number"
	case strings.HasPrefix(name, "bool"):
		return "true or false"
	case name == "string":
		return "a string"
	}
	if strings.ContainsAny(name, ".[") {
		return "a table"
	}
	return "a " + name
}

// knownKeys lists the keys of a struct for decoding, with dots for tables.
func knownKeys(t reflect.Type) []string {
	if t.Kind() == reflect.Map || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			keys = append(keys, knownKeys(f.Type)...)
			continue
		}
		if name := f.Tag.Get("toml"); name != "" {
			keys = append(keys, name)
			for _, below := range knownKeys(f.Type) {
				keys = append(keys, name+"."+below)
			}
		}
	}
	return keys
}
