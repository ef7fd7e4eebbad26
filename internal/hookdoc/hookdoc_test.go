package hookdoc_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/hookdoc"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	stale, err := hookdoc.Stale(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("stale: %s; run: go generate ./...", strings.Join(stale, ", "))
	}
}

func TestEveryPointHasAPlaceOnThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/HOOKS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range hookpoints.All() {
		if !strings.Contains(string(page), "\n#### "+string(info.Name)+"\n") {
			t.Errorf("docs/HOOKS.md has no section for %s: a generated block for its group %q is missing", info.Name, info.Group)
		}
	}
}

func TestExamplesFitTheirSchemas(t *testing.T) {
	for _, info := range hookpoints.All() {
		schema, _, err := hookdoc.Schema(info)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(hookdoc.Example(info), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %v", info.Name, err)
		}
	}
}

func TestTextFitsATerminal(t *testing.T) {
	for _, info := range hookpoints.All() {
		text, _, _ := strings.Cut(hookdoc.Text(info), "\nExample payload")
		for _, line := range strings.Split(text, "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s: %d columns: %s", info.Name, utf8.RuneCountInString(line), line)
			}
		}
	}
}
