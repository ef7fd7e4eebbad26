package plugins_test

import (
	"bytes"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	plugins "github.com/chibi-host/chibi/examples/plugins"
)

// TestNeedsAreSaid: what an example needs includes the interpreter of its first
// line and stands in the table of the README.
func TestNeedsAreSaid(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := plugins.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range all {
		interpreter := ""
		for _, f := range example.Files {
			line, _, _ := bytes.Cut(f.Content, []byte("\n"))
			if words := strings.Fields(string(line)); f.Mode == 0o755 && len(words) > 0 {
				interpreter = path.Base(words[len(words)-1])
			}
		}
		if interpreter != "sh" && !slices.Contains(example.Needs, interpreter) {
			t.Errorf("%s begins with %s, needs %q", example.Name, interpreter, example.Needs)
		}
		row := ""
		for line := range strings.Lines(string(page)) {
			if strings.HasPrefix(line, "| ["+example.Name+"]") {
				row = line
			}
		}
		cells := strings.Split(row, "|")
		if len(cells) != 6 || strings.TrimSpace(cells[4]) != strings.Join(example.Needs, ", ") {
			t.Errorf("README.md does not say in a row that %s needs %q: %s", example.Name, example.Needs, row)
		}
	}
}
