package builtin_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/tools"
)

// FuzzFileArguments holds that whatever a model passes to the file tools, they
// answer in text of a bounded length, and never with what is not allowed.
func FuzzFileArguments(f *testing.F) {
	f.Add(`{"path": "~/docs/../secret.txt", "lines": 9}`)
	f.Add(`{"path": "~/docs/out", "start": 1, "end": 9223372036854775807}`)
	f.Add(`{"cache_id": "../../secret", "pattern": "(a*)*b", "lines": -1}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		fuzztest.Memory(t)
		set, _, _ := fixture(t)
		for _, name := range []string{"file_head", "file_tail", "file_lines", "file_grep", "cache_list"} {
			tool, ok := set.Lookup(name)
			if !ok {
				t.Fatal(name)
			}
			result, err := tool.Call(t.Context(), tools.Call{Arguments: []byte(arguments)})
			if err == nil && (strings.HasPrefix(result.Text, "secret") || len(result.Text) > 64<<10+2*len(arguments)) {
				t.Errorf("%s %s answered %d bytes: %.40q", name, arguments, len(result.Text), result.Text)
			}
		}
	})
}
