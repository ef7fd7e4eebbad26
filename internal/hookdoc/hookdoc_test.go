package hookdoc_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/internal/hookdoc/generate"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

// staleFiles lists the generated files that differ from what Files returns, and schemas
// that it does not return.
func staleFiles(t *testing.T, root fs.FS) (stale []string) {
	t.Helper()
	files, err := generate.Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		if got, err := fs.ReadFile(root, path); err != nil || string(got) != string(want) {
			stale = append(stale, path)
		}
	}
	have, err := fs.Glob(root, "docs/schema/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range have {
		if files[path] == nil {
			stale = append(stale, path)
		}
	}
	slices.Sort(stale)
	return stale
}

func TestGeneratedFilesAreFresh(t *testing.T) {
	if stale := staleFiles(t, os.DirFS("../..")); len(stale) > 0 {
		t.Errorf("stale: %s; run: go generate ./...", strings.Join(stale, ", "))
	}
}

func TestStaleFilesAreNamed(t *testing.T) {
	root := copyOfSources(t)
	for name, change := range map[string]string{
		"docs/HOOKS.md":                        "<!-- generated: turn -->\nold\n<!-- /generated -->\n",
		"docs/schema/pre_tool.payload.json":    "{}",
		"docs/schema/before_tool.payload.json": "{}",
		"hookpoints/fielddoc_gen.go":           "package hookpoints",
	} {
		root[name] = &fstest.MapFile{Data: []byte(change)}
	}
	want := []string{
		"docs/HOOKS.md", "docs/schema/before_tool.payload.json", "docs/schema/pre_tool.payload.json",
		"hookpoints/fielddoc_gen.go",
	}
	if diff := cmp.Diff(want, staleFiles(t, root)); diff != "" {
		t.Errorf("stale files (-want +got):\n%s", diff)
	}
}

func TestMistakesOnThePageAreNamed(t *testing.T) {
	for _, tc := range []struct{ name, page, err string }{
		{"unknown group", "<!-- generated: toll -->\n<!-- /generated -->",
			`docs/HOOKS.md: unknown group "toll"`},
		{"block without end", "<!-- generated: tool -->\n",
			`docs/HOOKS.md: 1 generated blocks begin, 0 end with <!-- /generated -->`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := copyOfSources(t)
			root["docs/HOOKS.md"] = &fstest.MapFile{Data: []byte(tc.page)}
			if _, err := generate.Files(root); err == nil || err.Error() != tc.err {
				t.Errorf("got %v\nwant %s", err, tc.err)
			}
		})
	}
}

// copyOfSources is the repository's generated files and their sources, in memory.
func copyOfSources(t *testing.T) fstest.MapFS {
	t.Helper()
	root := fstest.MapFS{}
	for _, pattern := range []string{"docs/HOOKS.md", "docs/schema/*.json", "hookpoints/*.go"} {
		paths, err := fs.Glob(os.DirFS("../.."), pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(filepath.Join("../..", path))
			if err != nil {
				t.Fatal(err)
			}
			root[path] = &fstest.MapFile{Data: data}
		}
	}
	return root
}

func TestEveryPointHasAPlaceOnThePage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range hookpoints.All() {
		if !strings.Contains(string(text), "\n#### "+string(info.Name)+"\n") {
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
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := tools.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Check(hookdoc.Example(info)); err != nil {
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

// Nothing of an example is left empty, but for counts and flags: it is to be
// believed.
func TestExamplesHaveTexts(t *testing.T) {
	for _, info := range hookpoints.All() {
		if example := string(hookdoc.Example(info)); strings.Contains(example, `""`) || strings.Contains(example, "null") {
			t.Errorf("%s: an empty value in %s", info.Name, example)
		}
	}
}

// A program can document points of its own; their fields have no comments here.
func TestPointsOfOthers(t *testing.T) {
	type Mail struct {
		Content string `json:"content"`
		secret  string
	}
	type Answer struct {
		Content *string `json:"content,omitzero" merge:"replace"`
	}
	info := hookpoints.Point[Mail, Answer]{Name: "pre_post", Mode: hookpoints.Chain,
		When: Mail{secret: "a letter leaves"}.secret}.Info()
	if _, answer, err := hookdoc.Schema(info); err != nil || answer.Properties[0].Schema.Type != "string" {
		t.Errorf("schema of its answer: %+v, %v", answer, err)
	}
	if section := hookdoc.Section(info); !strings.Contains(section, "| `content` | string |  |\n") {
		t.Errorf("section:\n%s", section)
	}
}
