package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
)

// arguments returns the text of a call's arguments as canonical JSON, so that
// guards see what the tool reads. Models send an empty text if there are no
// arguments. Text that is not JSON, or nests deeper than guards can read, becomes a
// JSON string, so that hooks can still see it, and the error says what is wrong
// with it.
func arguments(text string) (json.RawMessage, error) {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}"), nil
	}
	args, err := strictjson.Arguments([]byte(text))
	if err == nil {
		return args, nil
	}
	args, _ = plugin.JSON(text)
	if !errors.Is(err, strictjson.ErrDepth) {
		return args, errors.New("not valid JSON")
	}
	return args, fmt.Errorf("nested too deep (at most %d objects and arrays in each other)", strictjson.MaxArgumentDepth)
}

// schemas are the parameters of the tools that were called, ready for their calls; nil:
// not to be checked.
type schemas struct{ known map[string]*tools.Schema }

// of returns the compiled parameters of a tool. Parameters that cannot be used
// do not prevent the tool from running: its calls are not checked, and one notice
// says so.
func (s *schemas) of(spec tools.Spec, out Output) *tools.Schema {
	if schema, known := s.known[spec.Name]; known {
		return schema
	}
	schema, err := tools.Compile(spec.Parameters)
	if err != nil {
		return s.distrust(spec, err, out)
	}
	return s.remember(spec, schema)
}

// remember remembers what the calls of a tool are checked with.
func (s *schemas) remember(spec tools.Spec, schema *tools.Schema) *tools.Schema {
	if s.known == nil {
		s.known = map[string]*tools.Schema{}
	}
	s.known[spec.Name] = schema
	return schema
}

// distrust makes the calls of a tool go unchecked, and says so.
func (s *schemas) distrust(spec tools.Spec, wrong error, out Output) *tools.Schema {
	out.notice("%v: %v; its calls are not checked", spec, wrong)
	return s.remember(spec, nil)
}

// check checks a call's arguments against the tool's parameters.
func (s *schemas) check(spec tools.Spec, args json.RawMessage, out Output) error {
	err := s.of(spec, out).Check(args)
	if errors.Is(err, tools.ErrSchema) {
		s.distrust(spec, err, out)
		return nil
	}
	return err
}

// refineArguments converts the arguments that plugins answer in the same way as arguments of
// models, so that guards and the tool see the same.
func refineArguments(schema *tools.Schema) plugin.Refine {
	return plugin.Refine{Field: "arguments", Value: func(args json.RawMessage) (json.RawMessage, string) {
		converted, places := schema.Convert(args)
		if places == nil {
			return args, ""
		}
		return converted, "of its arguments, converted from texts to the types that the tool's parameters want: " +
			strings.Join(places, ", ")
	}}
}
