package config

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Edit sets one key of a configuration file's text and returns the new text. Everything else stays as it is, byte for
// byte: comments, order, blank lines, line ends. name is the file's name for errors; key and value are written as for
// --set. A wrong key or value gets the same error as with --set; other errors describe what is wrong with the text.
// With an error, Edit changes nothing.
func Edit(name string, data []byte, key, value string) ([]byte, error) {
	flag, err := flagSource(key + "=" + value)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(flag.valid(), validText(name, data)); err != nil {
		return nil, err
	}
	text := value
	if toml.Unmarshal([]byte("x = "+value), &map[string]any{}) != nil {
		text = Quote(value)
	}
	text = strings.TrimSpace(text)
	path, err := keyParts(key)
	if err != nil {
		return nil, err
	}
	return edit{name: name, before: data, path: path, value: text}.apply()
}

// decoded returns what a configuration file's text says, and nothing else.
func decoded(name string, data []byte) (c Config, err error) {
	s, err := newSource(name, data)
	if err != nil {
		return c, err
	}
	err = s.decode(fields{}, &c)
	return c, err
}

// EditLinks changes the list plugins.allow_links in a configuration file's text and
// returns the new text; see [Edit].
func EditLinks(name string, data []byte, change func([]string) []string) ([]byte, error) {
	c, err := decoded(name, data)
	if err != nil {
		return nil, err
	}
	var quoted []string
	for _, link := range change(c.Plugins.AllowLinks) {
		quoted = append(quoted, Quote(link))
	}
	return Edit(name, data, "plugins.allow_links", "["+strings.Join(quoted, ", ")+"]")
}

// keyParts returns the parts of a key. The error is for a text that is not one key: of
// "a=1\nb", a would be set, not b.
func keyParts(key string) ([]string, error) {
	p := &unstable.Parser{}
	p.Reset([]byte(key + " = 0"))
	if p.NextExpression() && p.Expression().Kind == unstable.KeyValue {
		parts, end := names(p.Expression().Key())
		if end == len(strings.TrimRight(key, " \t")) && !p.NextExpression() && p.Error() == nil {
			return parts, nil
		}
	}
	return nil, fmt.Errorf("%q is not a key; want KEY or TABLE.KEY", key)
}

// edit sets a key of a file's text to a value, which is TOML.
type edit struct {
	name   string // of the file
	before []byte
	path   []string // the key
	value  string
}

// apply returns the new text.
func (e edit) apply() ([]byte, error) {
	after := set(e.before, e.path, e.value)
	if err := e.check(after); err != nil {
		return nil, err
	}
	return after, nil
}

// check checks that the new text has the new value and that nothing else has changed.
func (e edit) check(after []byte) error {
	if err := validText(e.name, after); err != nil {
		return fmt.Errorf("%s cannot be changed by the program, change it by hand: %w", e.name, err)
	}
	var want, got map[string]any
	if toml.Unmarshal(e.before, &want) != nil || toml.Unmarshal(after, &got) != nil {
		return byHand(e.name)
	}
	var wanted map[string]any
	if err := toml.Unmarshal([]byte("x = "+e.value), &wanted); err != nil {
		return err
	}
	if want == nil {
		want = map[string]any{}
	}
	put(want, e.path, wanted["x"])
	wantText, wantErr := toml.Marshal(want)
	gotText, gotErr := toml.Marshal(got)
	if wantErr != nil || gotErr != nil || !bytes.Equal(wantText, gotText) { // as text: NaN equals itself
		return changesMore(e.name, e.path)
	}
	return nil
}

// byHand returns the error for a text that cannot be changed.
func byHand(name string) error {
	return fmt.Errorf("%s cannot be changed by the program, change it by hand", name)
}

// changesMore returns the error for a key that cannot be changed alone.
func changesMore(name string, path []string) error {
	return fmt.Errorf("%s cannot be changed by the program without changing more than %s; change it by hand", name,
		strings.Join(path, "."))
}

// put sets a value in nested tables.
func put(in map[string]any, path []string, value any) {
	for _, part := range path[:len(path)-1] {
		next, ok := in[part].(map[string]any)
		if !ok {
			next = map[string]any{}
			in[part] = next
		}
		in = next
	}
	in[path[len(path)-1]] = value
}

// tomlKey writes a dotted key, with quotes where they are needed.
func tomlKey(path []string) string {
	var parts []string
	for _, part := range path {
		bare := part != "" && strings.Trim(part, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
		if !bare {
			part = quoteBasic(part)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ".")
}

// quoteBasic returns a text as a basic string, which is also a valid key.
func quoteBasic(text string) string {
	if quoted := Quote(text); strings.HasPrefix(quoted, `"`) || strings.HasPrefix(quoted, "'") &&
		!strings.HasPrefix(quoted, "'''") {
		return quoted
	}
	return fmt.Sprintf("%q", text)
}
