package archtest

import (
	"go/ast"
	"slices"
	"testing"
)

// foreignReaders are functions that read JSON or YAML with names in any letters, with
// duplicates merged, or without a bound on depth.
var foreignReaders = map[string][]string{
	"encoding/json":            {"Unmarshal", "NewDecoder", "Valid"},
	"github.com/tidwall/gjson": {"Valid", "ValidBytes"},
	"github.com/goccy/go-yaml": {"Unmarshal", "UnmarshalContext", "UnmarshalWithOptions", "NewDecoder"},

	"github.com/goccy/go-yaml/parser": {"ParseBytes", "Parse", "ParseFile"},

	"github.com/go-json-experiment/json":          {"Unmarshal", "UnmarshalRead", "UnmarshalDecode"},
	"github.com/go-json-experiment/json/v1":       {"Unmarshal", "NewDecoder", "Valid"},
	"github.com/go-json-experiment/json/jsontext": {"NewDecoder", "AppendFormat"},
}

// mayRead are the files that may call them, with the reason.
var mayRead = map[string]string{
	"internal/recipes/frontmatter.go": "YAML; internal/recipes/bounds.go counts its words first",
	"internal/recipes/keys.go":        "YAML that internal/recipes/frontmatter.go has read already",
}

// TestForeignTextsAreReadInOnePlace: guards hold only if every reader takes the
// same names and the same one of two, and nothing hangs only if depth is bounded.
func TestForeignTextsAreReadInOnePlace(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		if s.in("internal/strictjson") {
			continue
		}
		s.uses(func(node ast.Node, pkg, name string) {
			if !slices.Contains(foreignReaders[pkg], name) {
				return
			}
			if _, ok := mayRead[s.path]; ok {
				used[s.path] = true
				return
			}
			t.Errorf("%s: %s.%s; read JSON through internal/strictjson, or say here why not", s.line(node), pkg, name)
		})
	}
	for file := range mayRead {
		if !used[file] {
			t.Errorf("%s reads nothing that needs an exception any more; take it out of the list", file)
		}
	}
}
