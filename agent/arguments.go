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

// arguments is a call's argument text as JSON in its one spelling, so that
// guards see what the tool reads; models send nothing for none. Text that is not
// JSON, or nests deeper than guards could read, becomes a JSON string, so that
// hooks can still see it, and the error says what is wrong with it.
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

// schema is a tool's parameters, ready for its calls. Parameters that cannot be
// used do not keep the tool from running: they check nothing, and that is said once.
func (a *Agent) schema(spec tools.Spec) *tools.Schema {
	if schema, known := a.schemas[spec.Name]; known {
		return schema
	}
	schema, err := tools.Compile(spec.Parameters)
	return a.rememberSchema(spec, schema, err)
}

// rememberSchema remembers what the calls of a tool are checked with: nothing, if
// something is wrong with it.
func (a *Agent) rememberSchema(spec tools.Spec, schema *tools.Schema, wrong error) *tools.Schema {
	if wrong != nil {
		a.notice("%v: %v; calls of it are not checked", spec, wrong)
		schema = nil
	}
	if a.schemas == nil {
		a.schemas = map[string]*tools.Schema{}
	}
	a.schemas[spec.Name] = schema
	return schema
}

// PrepareArguments makes a call's arguments what the tool would get in a turn without hooks: it
// converts what the tool's parameters want converted. The error says what is wrong
// with them.
func (a *Agent) PrepareArguments(spec tools.Spec, args json.RawMessage) (json.RawMessage, error) {
	converted, _ := a.schema(spec).Convert(args)
	return converted, a.checkArguments(spec, converted)
}

// checkArguments checks a call's arguments against the tool's parameters.
func (a *Agent) checkArguments(spec tools.Spec, args json.RawMessage) error {
	err := a.schema(spec).Check(args)
	if errors.Is(err, tools.ErrSchema) {
		a.rememberSchema(spec, nil, err)
		return nil
	}
	return err
}

// refineArguments converts the arguments that plugins make as those that models
// write, so that guards and the tool see the same.
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
