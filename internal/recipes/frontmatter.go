package recipes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// maxFile bounds a recipe's file in bytes.
const maxFile = 1 << 20

// frontMatter is what stands between the lines of "---".
type frontMatter struct {
	Name            string              `yaml:"name"`
	Description     string              `yaml:"description"`
	AllowedTools    stringList          `yaml:"allowed_tools"`
	AllowedCommands stringList          `yaml:"allowed_commands"`
	Defaults        map[string]scalar   `yaml:"defaults"`
	Arguments       map[string]argument `yaml:"arguments"`
	Hooks           map[string]hook     `yaml:"hooks"`
}

type argument struct {
	Description string  `yaml:"description"`
	Default     *scalar `yaml:"default"`
}

type hook struct {
	Handler string `yaml:"handler"`
	Once    bool   `yaml:"once"`
}

// stringList is a list of strings, or a string with commas.
type stringList struct {
	values []string
	set    bool
}

// UnmarshalYAML reads either form. An empty list is a list too.
func (l *stringList) UnmarshalYAML(node ast.Node) error {
	var text string
	if yaml.NodeToValue(node, &l.values) == nil {
		l.set = true
		return nil
	}
	if err := yaml.NodeToValue(node, &text); err != nil {
		return &lineError{node.GetToken().Position.Line, "want a list of strings, or a string with commas"}
	}
	l.set = true
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			l.values = append(l.values, part)
		}
	}
	return nil
}

// list returns the values; nil only if the key is absent.
func (l stringList) list() []string {
	if l.set && l.values == nil {
		return []string{}
	}
	return l.values
}

// scalar is a string, a number or a boolean, as a string.
type scalar string

// UnmarshalYAML reads any of them.
func (s *scalar) UnmarshalYAML(node ast.Node) error {
	var value any
	if err := yaml.NodeToValue(node, &value); err != nil {
		return err
	}
	switch value.(type) {
	case map[string]any, []any:
		return &lineError{node.GetToken().Position.Line, "want a string, a number, true or false"}
	case nil:
		return nil
	}
	*s = scalar(fmt.Sprint(value))
	return nil
}

// Parse reads a recipe's text. name and path are those that the recipe gets;
// errors name the path, or the name if there is none.
func Parse(name, path string, text []byte) (*Recipe, error) {
	where := cmp.Or(path, name)
	switch {
	case len(text) > maxFile:
		return nil, inFile(where, 0, fmt.Errorf("it is larger than %d MiB", maxFile>>20))
	case !utf8.Valid(text):
		return nil, inFile(where, 0, errors.New("it is not UTF-8"))
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	head, body, err := split(string(text))
	if err != nil {
		return nil, inFile(where, 1, err)
	}
	var f frontMatter
	if err := decode(head, &f); err != nil {
		return nil, yamlError(where, err)
	}
	if err := boundedBody(body); err != nil {
		return nil, inFile(where, 0, err)
	}
	r := f.recipe(name, path, body)
	r.Notes = f.notes(head)
	if _, err := r.template(nil); err != nil {
		return nil, inFile(where, 0, err)
	}
	return r, nil
}

// decode decodes YAML. The parser panics on some invalid input.
func decode(text string, into any) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the front matter is not valid YAML")
		}
	}()
	if err := bounded(text); err != nil {
		return err
	}
	return yaml.Unmarshal([]byte(text), into)
}

// recipe returns the recipe of a front matter and a body.
func (f frontMatter) recipe(name, path, body string) *Recipe {
	r := &Recipe{
		Name: name, Path: path, Title: f.Name, Description: f.Description, Body: body,
		AllowedTools: f.AllowedTools.list(), AllowedCommands: f.AllowedCommands.values,
		Arguments: map[string]Argument{}, Hooks: map[string]Hook{},
	}
	for key, value := range f.Defaults {
		text := string(value)
		r.Arguments[key] = Argument{Default: &text}
	}
	for key, a := range f.Arguments {
		argument := Argument{Description: a.Description, Default: r.Arguments[key].Default}
		if a.Default != nil {
			text := string(*a.Default)
			argument.Default = &text
		}
		r.Arguments[key] = argument
	}
	for event, h := range f.Hooks {
		r.Hooks[event] = Hook(h)
	}
	return r
}

// split separates the front matter from the body. Without front matter, everything is the body.
func split(text string) (head, body string, err error) {
	lines := strings.SplitAfter(text, "\n")
	if strings.TrimSpace(lines[0]) != "---" || !strings.HasPrefix(text, "---") {
		return "", text, nil
	}
	for i, line := range lines[1:] {
		if strings.TrimSpace(line) == "---" {
			// The first line is kept as an empty one, so that lines count right.
			return "\n" + strings.Join(lines[1:i+1], ""), strings.Join(lines[i+2:], ""), nil
		}
	}
	return "", "", errors.New(`the front matter has no end; put a line "---" after it`)
}

// yamlError returns the YAML reader's error with the file and the line.
func yamlError(where string, err error) error {
	if inLine, ok := errors.AsType[*lineError](err); ok {
		return inFile(where, inLine.line, inLine)
	}
	var wrong yaml.Error
	if !errors.As(err, &wrong) || wrong.GetToken() == nil || wrong.GetToken().Position == nil {
		return inFile(where, 0, errors.New(strings.SplitN(err.Error(), "\n", 2)[0]))
	}
	return inFile(where, wrong.GetToken().Position.Line, errors.New(yamlText(wrong)))
}

// yamlText returns the text of the decoder's error without Go's types.
func yamlText(wrong yaml.Error) string {
	var mismatch *yaml.TypeError
	if !errors.As(wrong, &mismatch) {
		return wrong.GetMessage()
	}
	value := strings.Replace(strictjson.Wanted(mismatch.SrcType), "unsigned ", "", 1)
	return fmt.Sprintf("a value must be %s, is %s", strictjson.Wanted(mismatch.DstType), value)
}

// inFile returns an error with the file, and the line if it is known.
func inFile(where string, line int, err error) error {
	switch {
	case where == "":
		return err
	case line > 0:
		return fmt.Errorf("%s:%d: %w", where, line, err)
	}
	return fmt.Errorf("%s: %w", where, err)
}
