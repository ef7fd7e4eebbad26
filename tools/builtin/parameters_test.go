package builtin_test

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/builtin"
)

// TestParametersOfBuiltinToolsCanBeUsed: their calls are checked, and numbers in
// texts are converted.
func TestParametersOfBuiltinToolsCanBeUsed(t *testing.T) {
	for _, tool := range builtin.All(builtin.Config{Reflection: true}) {
		spec := tool.Spec()
		schema, err := tools.Compile(spec.Parameters)
		if err != nil || schema == nil {
			t.Errorf("%v: %v", spec, err)
		}
		if spec.Name != "file_lines" {
			continue
		}
		const want = `{"path":"7","start":1,"end":2}`
		if args, _ := schema.Convert(json.RawMessage(`{"path":"7","start":"1","end":"2"}`)); string(args) != want {
			t.Errorf("%v: %s, want %s", spec, args, want)
		}
	}
}
