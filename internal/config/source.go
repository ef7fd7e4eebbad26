package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/pelletier/go-toml/v2"
)

// MaxFileBytes bounds a configuration file.
const MaxFileBytes = 4 << 20

// source is a valid TOML text with settings. The zero value has none.
type source struct {
	name   string // of the file or the flag
	isFlag bool
	// isLocal says that it belongs to a context.
	isLocal bool
	// isShared says that it comes from a store that machines share.
	isShared bool
	data     []byte
	tree     map[string]any // what it says
}

// newSource parses a text. Its error is about TOML syntax only.
func newSource(name string, data []byte) (source, error) {
	s := source{name: name, data: data}
	err := toml.Unmarshal(data, &s.tree)
	var wrong *toml.DecodeError
	switch {
	case err == nil:
		return s, nil
	case !errors.As(err, &wrong):
		return s, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "toml: "))
	}
	text := strings.TrimPrefix(wrong.Error(), "toml: ") + unquoted(wrong)
	if key := wrong.Key(); len(key) > 0 {
		text = tomlKey(key) + ": " + text
	}
	line, _ := wrong.Position()
	return s, fmt.Errorf("%s:%d: %s", name, line, text)
}

// unquoted says what is missing where a quotation mark is, "" where none seems to be.
func unquoted(wrong *toml.DecodeError) string {
	switch text := wrong.Error(); {
	case strings.Contains(text, "strings cannot have new lines"):
		return `; the text has no quotation mark at its end, as in key = "text"`
	case strings.Contains(text, "at start of value"):
		return `; a text stands between quotation marks, as in key = "text"`
	}
	return ""
}

// readSource reads a file; for a missing one it returns the zero value.
func readSource(path string) (source, error) {
	data, err := disk.ReadFile(disk.OS{}, path, MaxFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return source{}, nil
	case err != nil:
		return source{}, fmt.Errorf("reading the configuration: %w", err)
	}
	return newSource(path, data)
}

// flagSource reads a KEY=VALUE pair. A value that is not TOML is taken as a string.
func flagSource(pair string) (source, error) {
	key, value, ok := strings.Cut(pair, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return source{}, fmt.Errorf("--set %s: want KEY=VALUE", pair)
	}
	text := key + " = " + value
	if toml.Unmarshal([]byte(text), &map[string]any{}) != nil {
		text = key + " = " + Quote(value)
	}
	s, err := newSource("--set "+key+"="+WithoutSecrets(value), []byte(text))
	s.isFlag = true
	return s, err
}

// ruleSource makes a source of a rule that a flag gives to a list of permissions.
func ruleSource(list, rule string) (source, error) {
	s, err := newSource("--"+list, []byte("permissions."+list+" = ["+Quote(rule)+"]"))
	s.isFlag = true
	return s, err
}

// Quote returns a text as a TOML string.
func Quote(value string) string {
	text, _ := toml.Marshal(map[string]string{"x": value})
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "x = ")
}

// errorAt returns an error about the text at an offset: FILE:LINE: TEXT.
func (s source) errorAt(offset int, format string, args ...any) error {
	return fmt.Errorf("%s: %s", s.place(offset), fmt.Sprintf(format, args...))
}

// place returns where the text at an offset is: FILE:LINE. Flags have no lines.
func (s source) place(offset int) string {
	if s.isFlag {
		return s.name
	}
	return fmt.Sprintf("%s:%d", s.name, 1+bytes.Count(s.data[:offset], []byte("\n")))
}

// valid returns what is wrong with a source, if anything.
func (s source) valid() error {
	var c Config
	return s.decode(fields{}, &c)
}

// validText returns what is wrong with the text of a file, if anything.
func validText(name string, data []byte) error {
	s, err := newSource(name, data)
	if err != nil {
		return err
	}
	return s.valid()
}
