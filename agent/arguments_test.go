package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

// TestParametersThatCannotBeUsedAreSaidOnce: not once for each prompt, and their
// calls run with arguments that nobody checked or changed.
func TestParametersThatCannotBeUsedAreSaidOnce(t *testing.T) {
	var said []string
	a := &Agent{Output: Output{Notice: func(text string) { said = append(said, text) }}}
	for _, spec := range []tools.Spec{
		{Name: "t", Owner: "p", Parameters: json.RawMessage(`{"properties":{"n":{"type":"int"}}}`)},
		{Name: "u", Parameters: json.RawMessage(`{"$ref":"#"}`)},
	} {
		for depth := range 3 {
			args, err := newTurn(a, depth, 1).agent.PrepareArguments(spec, json.RawMessage(`{"n":"5"}`))
			if err != nil || string(args) != `{"n":"5"}` {
				t.Errorf("%s: %s, %v", spec.Name, args, err)
			}
		}
	}
	if len(said) != 2 ||
		!strings.HasPrefix(said[0], `tool "t" of plugin "p": its parameters are not a usable JSON Schema: in /properties/n: `+
			`unknown type "int"`) ||
		!strings.HasPrefix(said[1], `tool "u": its parameters are not a usable JSON Schema: its $ref "#" refers to itself; `+
			`its calls are not checked`) {
		t.Errorf("said: %q", said)
	}
}
