package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// ErrSchema says that a tool's schema itself is broken, so that arguments
// cannot be checked against it.
var ErrSchema = errors.New("its parameters are not a usable JSON Schema")

// Check holds a call's arguments against a tool's JSON Schema. The error names
// the argument and what is wrong with it, in a sentence that a model can act
// on. An empty schema takes any object. Remote references are not followed.
func Check(schema, args json.RawMessage) error {
	if !json.Valid(args) {
		return errors.New("the arguments are not valid JSON")
	}
	if trimmed := bytes.TrimSpace(args); trimmed[0] != '{' {
		return errors.New("the arguments must be one JSON object")
	}
	if len(schema) == 0 {
		return nil
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return fmt.Errorf("%w: %s", ErrSchema, decodeText(err))
	}
	if s.Type != "" && s.Type != "object" {
		return fmt.Errorf("%w: its type is %q, want \"object\"", ErrSchema, s.Type)
	}
	if err := checkReferences(schema); err != nil {
		return fmt.Errorf("%w: %v", ErrSchema, err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrSchema, err)
	}
	var value map[string]any
	if err := json.Unmarshal(args, &value); err != nil {
		return err
	}
	for _, name := range s.Required {
		if _, given := value[name]; !given {
			return fmt.Errorf("argument %q is missing", name)
		}
	}
	if err := resolved.Validate(value); err != nil {
		return explain(err)
	}
	return nil
}

// decodeText words the decoder's complaint without the library's types.
func decodeText(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	field := strings.Trim(strings.ReplaceAll(wrong.Field, "schemaWithoutMethods", ""), ".")
	return fmt.Sprintf("%q cannot be a %s", strings.ReplaceAll(field, "..", "."), wrong.Value)
}

// schemaPath finds the argument in the validator's words.
var schemaPath = regexp.MustCompile(`/properties/([^/:]+)`)

// schemaChain is how the validator says which schemas it was in.
var schemaChain = regexp.MustCompile(`^(validating [^:]+: )+`)

// explain puts the argument's name before the validator's last words.
func explain(err error) error {
	text := err.Error()
	if m := schemaPath.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("argument %q: %s", m[1], lastPart(text))
	}
	return errors.New(lastPart(text))
}

// lastPart is what follows the validator's chain of schema paths.
func lastPart(text string) string {
	return schemaChain.ReplaceAllString(text, "")
}
