package hookdoc_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
	"github.com/google/jsonschema-go/jsonschema"
)

// staleFiles lists the generated files that differ from what Files returns, and schemas
// and pages that it does not return.
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
	for _, pattern := range [...]string{"docs/schema/*.json", "docs/reference/hooks-*.md"} {
		have, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range have {
			if files[path] == nil {
				stale = append(stale, path)
			}
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
		"docs/HOOKS.md":                        "<!-- generated: overview -->\nold\n<!-- /generated -->\n",
		"docs/reference/hooks-tool.md":         "old",
		"docs/reference/hooks-toll.md":         "old",
		"docs/schema/pre_tool.payload.json":    "{}",
		"docs/schema/before_tool.payload.json": "{}",
		"hookpoints/fielddoc_gen.go":           "package hookpoints",
	} {
		root[name] = &fstest.MapFile{Data: []byte(change)}
	}
	want := []string{
		"docs/HOOKS.md", "docs/reference/hooks-toll.md", "docs/reference/hooks-tool.md",
		"docs/schema/before_tool.payload.json", "docs/schema/pre_tool.payload.json", "hookpoints/fielddoc_gen.go",
	}
	if diff := cmp.Diff(want, staleFiles(t, root)); diff != "" {
		t.Errorf("stale files (-want +got):\n%s", diff)
	}
}

func TestAPageWithoutTheOverviewIsAnError(t *testing.T) {
	root := copyOfSources(t)
	root["docs/HOOKS.md"] = &fstest.MapFile{Data: []byte("<!-- generated: overview -->\n")}
	const want = "docs/HOOKS.md has no <!-- generated: overview --> ... <!-- /generated -->"
	if _, err := generate.Files(root); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// copyOfSources is the repository's generated files and their sources, in memory.
func copyOfSources(t *testing.T) fstest.MapFS {
	t.Helper()
	root := fstest.MapFS{}
	for _, pattern := range []string{"docs/HOOKS.md", "docs/reference/*.md", "docs/schema/*.json", "hookpoints/*.go"} {
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

// TestEveryAnswerHasAnExample: a table of the page shows an answer at each point that has one, and
// the point knows its fields.
func TestEveryAnswerHasAnExample(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string][]string{}
	rows := regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+`) \\| `(\\{.*?\\})` \\|")
	for _, row := range rows.FindAllStringSubmatch(string(text), -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			name = strings.Trim(name, "`")
			shown[name] = append(shown[name], row[2])
		}
	}
	for _, info := range hookpoints.All() {
		if info.CanChange() != (shown[string(info.Name)] != nil) {
			t.Errorf("%s: can change: %v; the page shows %q", info.Name, info.CanChange(), shown[string(info.Name)])
			continue
		}
		_, schema, err := hookdoc.Schema(info)
		if err != nil {
			t.Fatal(err)
		}
		for _, answer := range shown[string(info.Name)] {
			for field := range object(t, answer) {
				if schema.Properties[field] == nil {
					t.Errorf("%s: %s: it does not know %s", info.Name, answer, field)
				}
			}
			checkSchema(t, schema, answer)
		}
	}
}

// checkSchema fails if a value does not fit a schema.
func checkSchema(t *testing.T, schema *jsonschema.Schema, value string) {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := tools.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Check(json.RawMessage(value)); err != nil {
		t.Errorf("%s: %v", value, err)
	}
}

// TestCommonFieldsHaveDifferentNames: a page can name them without their descriptions.
func TestCommonFieldsHaveDifferentNames(t *testing.T) {
	text := hookdoc.Pages()[hookdoc.CommonPage]
	for _, part := range strings.Split(text, "\n## ")[1:] {
		names := map[string]bool{}
		for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(part, -1) {
			if names[row[1]] {
				t.Errorf("two fields are %s", row[1])
			}
			names[row[1]] = true
		}
	}
}

func TestExamplesFitTheirSchemas(t *testing.T) {
	for _, info := range hookpoints.All() {
		schema, _, err := hookdoc.Schema(info)
		if err != nil {
			t.Fatal(err)
		}
		checkSchema(t, schema, string(hookdoc.Example(info)))
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
	if _, answer, err := hookdoc.Schema(info); err != nil || answer.Properties["content"].Type != "string" {
		t.Errorf("schema of its answer: %+v, %v", answer, err)
	}
	if section := hookdoc.Section(info); !strings.Contains(section, "| `content` | string |  |\n") {
		t.Errorf("section:\n%s", section)
	}
}
