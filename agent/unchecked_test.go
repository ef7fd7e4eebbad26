package agent

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

// TestABrokenSchemaIsSaidOnce: the tool runs with arguments that nobody checked.
func TestABrokenSchemaIsSaidOnce(t *testing.T) {
	said := 0
	r := newRound(&Agent{Output: Output{Notice: func(string) { said++ }}}, 0)
	spec := tools.Spec{Name: "t", Parameters: json.RawMessage(`{"$ref":"#"}`)}
	for range 3 {
		if err := r.checkArguments(spec, json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
	}
	if said != 1 {
		t.Errorf("it was said %d times", said)
	}
}
