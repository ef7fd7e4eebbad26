package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Check validates a call's arguments against the schema. The error names the argument
// and what is wrong with it, so that a model can correct the call. Arguments whose check
// would take too many steps are rejected.
func (s *Schema) Check(args json.RawMessage) error {
	value, err := strictjson.Value(args)
	if err != nil {
		return errors.New("the arguments are not valid JSON")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return errors.New("the arguments must be one JSON object")
	}
	if s == nil {
		return nil
	}
	for _, name := range s.required {
		if _, given := object[name]; !given {
			return fmt.Errorf("argument %q is missing", name)
		}
	}
	if !s.root.affordable(object) {
		return errors.New("the arguments are too large to be checked against the tool's parameters; make them smaller")
	}
	if err := s.validate(object); err != nil {
		return s.explain(object, err)
	}
	return nil
}

// decodeText returns the text of the decoder's error without the library's types.
func decodeText(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	field := strings.Trim(strings.ReplaceAll(wrong.Field, "schemaWithoutMethods", ""), ".")
	kind, _, _ := strings.Cut(wrong.Value, " ")
	value := map[string]string{"bool": "a boolean", "object": "an object", "array": "an array"}[kind]
	return (&strictjson.TypeError{Field: strings.ReplaceAll(field, "..", "."), Want: strictjson.Wanted(wrong.Type),
		Value: cmp.Or(value, "a "+kind)}).Error()
}
