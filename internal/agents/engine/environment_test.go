package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// TestTheTablesKnowTheVariablesOfThePrograms compares the names with those that programs gave
// their hooks.
func TestTheTablesKnowTheVariablesOfThePrograms(t *testing.T) {
	for _, name := range []string{"claude", "qwen"} {
		d, _ := engine.ByName(name)
		text, err := os.ReadFile(filepath.Join("testdata", name, "environment.txt"))
		if err != nil {
			t.Fatal(err)
		}
		var captured, known []string
		for line := range strings.Lines(string(text)) {
			variable, _, _ := strings.Cut(line, "=")
			captured = append(captured, variable)
		}
		for _, v := range d.Environment {
			known = append(known, v.Name)
		}
		slices.Sort(captured)
		slices.Sort(known)
		if !slices.Equal(captured, known) {
			t.Errorf("%s gives its hooks %q, the table has %q", name, captured, known)
		}
	}
}
