package native

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// schema describes one tool of an executable.
type schema struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Tool        *bool             `json:"tool"`
	Parameters  json.RawMessage   `json:"parameters"`
	Category    tools.Category    `json:"category"`
	Subject     string            `json:"subject"`
	Parallel    bool              `json:"parallel"`
	Hooks       []hookpoints.Name `json:"hooks"`
	Guards      []hookpoints.Name `json:"guards"`
	Pure        bool              `json:"pure"`
	Redacts     *bool             `json:"redacts"`
	Async       []hookpoints.Name `json:"async"`
	OnFailure   plugin.Failure    `json:"on_failure"`
	TimeoutMS   int               `json:"timeout_ms"`
	Stdin       string            `json:"stdin"`
	Resident    bool              `json:"resident"`
	Concurrent  bool              `json:"concurrent"`
	Env         []string          `json:"env"`
	Cache       *bool             `json:"cache"`
	Transcript  bool              `json:"transcript"`
}

// isTool reports whether the model may call it, which is the default.
func (s schema) isTool() bool { return s.Tool == nil || *s.Tool }

// timeout returns its time limit, 0 if it says none.
func (s schema) timeout() time.Duration {
	const longest = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(min(int64(s.TimeoutMS), longest)) * time.Millisecond
}

// hookTimeout returns the time limit of the hooks of an executable: the longest one of the
// schemas with hooks, of which each has the usual limit if it says none.
func hookTimeout(schemas []schema, usual time.Duration) (longest time.Duration) {
	for _, s := range schemas {
		if len(s.Hooks) > 0 {
			longest = max(longest, cmp.Or(s.timeout(), usual))
		}
	}
	return longest
}

// arePure reports whether all schemas with hooks say that calling these in vain or twice has
// no effect.
func arePure(schemas []schema) (pure bool) {
	for _, s := range schemas {
		if len(s.Hooks) > 0 && !s.Pure {
			return false
		}
		pure = pure || len(s.Hooks) > 0
	}
	return pure
}

// hideNothing reports whether all schemas with hooks say that they take no secrets out of texts.
func hideNothing(schemas []schema) (is bool) {
	for _, s := range schemas {
		if len(s.Hooks) > 0 && (s.Redacts == nil || *s.Redacts) {
			return false
		}
		is = is || len(s.Hooks) > 0
	}
	return is
}

// parseSchemas reads what --schema printed: an object, or an array of them.
// Invalid elements of an array are skipped with a warning; an error means that no
// element is usable. unknown says what is wrong with the name of a hook, "" if nothing is.
func parseSchemas(out []byte, unknown func(hookpoints.Name) string) (p probed, err error) {
	elements, err := elementsOf(strictjson.Trim(out))
	if err != nil {
		return p, err
	}
	p.elements = len(elements)
	for i, element := range elements {
		s, more, err := parseSchema(element, unknown)
		p.warnings = append(p.warnings, more...)
		switch {
		case err == nil:
			p.schemas = append(p.schemas, s)
		case len(elements) == 1:
			return p, fmt.Errorf("--schema: %w", err)
		default:
			p.warnings = append(p.warnings, fmt.Sprintf("element %d of its --schema is skipped: %v", i+1, err))
		}
	}
	p.warnings = few(p.warnings)
	if len(p.schemas) == 0 {
		return p, errors.New(strings.Join(append(p.warnings, "--schema printed no usable tool"), "; "))
	}
	return p, nil
}

// elementsOf returns the elements of an array, or another value as the only element.
func elementsOf(out []byte) ([]json.RawMessage, error) {
	err := strictjson.Check(out)
	switch {
	case errors.Is(err, strictjson.ErrDepth):
		return nil, fmt.Errorf("--schema cannot be read: %w", err)
	case err != nil || !utf8.Valid(out):
		return nil, fmt.Errorf("--schema did not print JSON%s", beginning(out))
	case out[0] != '[':
		return []json.RawMessage{out}, nil
	}
	var elements []json.RawMessage
	if err := strictjson.Decode(out, &elements); err != nil {
		return nil, err
	}
	if len(elements) > maxTools {
		return nil, fmt.Errorf("--schema printed %d tools, at most %d are read", len(elements), maxTools)
	}
	return elements, nil
}

// parseSchema reads one object.
func parseSchema(raw json.RawMessage, unknown func(hookpoints.Name) string) (schema, []string, error) {
	var s schema
	if raw[0] != '{' {
		return s, nil, errors.New("want an object with a name")
	}
	if err := strictjson.Decode(raw, &s); err != nil {
		return s, nil, err
	}
	if err := s.validate(); err != nil {
		return s, nil, err
	}
	warnings := slices.Concat(s.keepParameters(), s.keepCategory(), s.keepKnown(unknown))
	if !s.isTool() && len(s.Hooks) == 0 {
		return s, nil, errors.New(strings.Join(append(warnings, `it has "tool": false and no hooks, `+
			`so it does nothing`), "; "))
	}
	return s, warnings, nil
}

func (s *schema) validate() error {
	switch {
	case s.Name == "":
		return errors.New(`it has no "name"`)
	case !tools.ValidName(s.Name):
		return fmt.Errorf("the name %q is not a valid tool name; use 1 to 64 letters, digits, - and _", s.Name)
	case s.OnFailure != "" && s.OnFailure != plugin.Ignore && s.OnFailure != plugin.Block:
		return fmt.Errorf(`on_failure is %q; use "ignore" or "block"`, s.OnFailure)
	case s.Stdin != "" && s.Stdin != "data" && s.Stdin != "inherit":
		return fmt.Errorf(`stdin is %q; use "data" or "inherit"`, s.Stdin)
	case s.TimeoutMS < 0:
		return fmt.Errorf("timeout_ms is %d; use a positive number", s.TimeoutMS)
	}
	return nil
}

// keepParameters replaces parameters that cannot be sent to a model: they must be an
// object that is not nested too deeply. The plugin is used all the same, for its hooks.
func (s *schema) keepParameters() (warnings []string) {
	plain, err := strictjson.Normalize(s.Parameters)
	isNone := err != nil || string(plain) == "null"
	s.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	if isNone || !s.isTool() {
		return nil
	}
	why := ""
	if plain[0] != '{' {
		why = fmt.Sprintf("are %s, not a JSON Schema, which is an object", strictjson.TypeOf(plain))
	} else if err := strictjson.CheckDepth(plain, strictjson.MaxArgumentDepth); err != nil {
		why = fmt.Sprintf("cannot be used: %v", err)
	}
	if why == "" {
		s.Parameters = plain
		return nil
	}
	return []string{fmt.Sprintf(`the "parameters" of its tool %q %s; the model does not see them, and `+
		`arguments of its calls are not checked`, s.Name, why)}
}

// keepKnown removes hooks that do not exist, and points that are not possible in guards and
// async, with a warning for each.
func (s *schema) keepKnown(unknown func(hookpoints.Name) string) (warnings []string) {
	s.Hooks = slices.DeleteFunc(s.Hooks, func(name hookpoints.Name) bool {
		why := unknown(name)
		if why != "" {
			warnings = append(warnings, why)
		}
		return why != ""
	})
	s.Guards = slices.DeleteFunc(s.Guards, func(name hookpoints.Name) bool {
		info, isOurs := hookpoints.Find(name)
		switch {
		case !slices.Contains(s.Hooks, name):
			warnings = append(warnings, fmt.Sprintf("guards names %q, which is not among its hooks", name))
		case isOurs && info.Mode != hookpoints.Chain && info.CanBlock():
			warnings = append(warnings, fmt.Sprintf("guards names %q, where guards are not needed: all plugins are asked "+
				"there at once, about what will happen; it can refuse there without it", name))
		case isOurs && info.Mode != hookpoints.Chain:
			warnings = append(warnings, fmt.Sprintf("guards names %q, where nothing can be blocked; "+
				"it is not a guard there", name))
		default:
			return false
		}
		return true
	})
	return append(append(warnings, s.keepAsync()...), s.keepEnv()...)
}

// keepEnv removes entries that are not the name of a variable, with a warning for each.
func (s *schema) keepEnv() (warnings []string) {
	s.Env = slices.DeleteFunc(s.Env, func(name string) bool {
		if name != "" && !strings.ContainsAny(name, "=\x00") {
			return false
		}
		warnings = append(warnings, fmt.Sprintf("env names %q, which cannot be the name of an environment variable", name))
		return true
	})
	return warnings
}

// keepAsync removes the points at which the plugin is waited for although it says that
// nobody needs to, with a warning for each.
func (s *schema) keepAsync() (warnings []string) {
	s.Async = slices.DeleteFunc(s.Async, func(name hookpoints.Name) bool {
		info, isOurs := hookpoints.Find(name)
		switch {
		case !slices.Contains(s.Hooks, name):
			warnings = append(warnings, fmt.Sprintf("async names %q, which is not among its hooks", name))
		case isOurs && info.Mode != hookpoints.Observe:
			warnings = append(warnings, fmt.Sprintf("async names %q, where its answer counts; chibi waits for it there", name))
		case name == hookpoints.OnEnd.Name:
			warnings = append(warnings, fmt.Sprintf("async names %q, which is the end of the run; chibi waits for it "+
				"there", name))
		default:
			return false
		}
		return true
	})
	return warnings
}

// unknownKeys returns a warning for each unknown or unused key of the schemas.
func unknownKeys(out []byte) (warnings []string) {
	elements := gjson.ParseBytes(strictjson.Trim(out)).Array()
	for _, element := range elements {
		element.ForEach(func(key, _ gjson.Result) bool {
			if name := key.String(); !slices.Contains(schemaKeys(), name) {
				warnings = append(warnings, unknownKey(name))
			}
			return len(warnings) < maxWarnings
		})
		for _, name := range []string{"parameters", "stdin", "category", "subject", "parallel"} {
			if element.Get("tool").Type == gjson.False && element.Get(name).Exists() {
				warnings = append(warnings, fmt.Sprintf(`its --schema has %q beside "tool": false, which has no `+
					`effect there`, name))
			}
		}
		for _, name := range []string{"concurrent", "env"} {
			if value := element.Get(name); value.Exists() && value.Type != gjson.False && !element.Get("resident").Bool() {
				warnings = append(warnings, fmt.Sprintf(`its --schema has %q without "resident": true, which has no effect`, name))
			}
		}
	}
	return warnings
}

const (
	// maxTools bounds how many tools an executable can have.
	maxTools = 1000
	// maxWarnings bounds the warnings about one --schema.
	maxWarnings = 20
)

// few returns the first maxWarnings warnings and the number of the others.
func few(warnings []string) []string {
	if n := len(warnings) - maxWarnings; n > 0 {
		return append(warnings[:maxWarnings:maxWarnings], fmt.Sprintf("%d more problems of its --schema", n))
	}
	return warnings
}

func unknownKey(name string) string {
	text := fmt.Sprintf("its --schema has an unknown key %.60q", name)
	if near := strictjson.Nearest(name, schemaKeys()); near != "" {
		return fmt.Sprintf("%s; did you mean %q?", text, near)
	}
	return text + "; the known keys are " + strings.Join(schemaKeys(), ", ")
}

func schemaKeys() (keys []string) {
	for i := range reflect.TypeFor[schema]().NumField() {
		keys = append(keys, reflect.TypeFor[schema]().Field(i).Tag.Get("json"))
	}
	return keys
}

// beginning quotes the beginning of an output that could not be parsed.
func beginning(out []byte) string {
	text := strings.ToValidUTF8(string(out[:min(len(out), 160)]), "\uFFFD")
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if line == "" {
		return "; it printed nothing"
	}
	return fmt.Sprintf("; it begins %q", clip.Text(line, 40))
}
