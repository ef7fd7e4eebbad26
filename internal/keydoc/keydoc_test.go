package keydoc_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chibi-host/chibi/internal/keydoc"
	"github.com/google/go-cmp/cmp"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	have, err := os.ReadFile("../../" + keydoc.Page)
	if err != nil {
		t.Fatal(err)
	}
	want, err := keydoc.Generate(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(have)); diff != "" {
		t.Errorf("%s is stale; run: go generate ./... (-want +got):\n%s", keydoc.Page, diff)
	}
}

func TestMistakesAreNamed(t *testing.T) {
	page := "<!-- generated: keys -->\nold\n<!-- /generated -->\n" +
		"<!-- generated: keys of a model -->\n<!-- /generated -->\n" +
		"<!-- generated: keys of a shared context -->\n<!-- /generated -->\n"
	for _, test := range []struct{ name, page, source, err string }{
		{"no block", "# Keys\n", "", "docs/CONFIGURATION.md has no <!-- generated: keys --> ... <!-- /generated -->"},
		{"a block without end", strings.Replace(page, "<!-- /generated -->\n<!--", "<!--", 1), "",
			"docs/CONFIGURATION.md has no <!-- generated: keys of a model --> ... <!-- /generated -->"},
		{"a key without comment", page, "type Config struct {\n\tAPIKey string\n}\n",
			"api_key: the field Config.APIKey of package config has no comment"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fake := fstest.MapFS{keydoc.Page: &fstest.MapFile{Data: []byte(test.page)}}
			if test.source != "" {
				fake["internal/config/config.go"] = &fstest.MapFile{Data: []byte("package config\n" + test.source)}
			} else {
				for _, file := range []string{"bridge.go", "config.go", "tables.go", "plugins.go", "mcp.go", "foreign.go"} {
					data, err := os.ReadFile("../config/" + file)
					if err != nil {
						t.Fatal(err)
					}
					fake["internal/config/"+file] = &fstest.MapFile{Data: data}
				}
			}
			if _, err := keydoc.Generate(fake); err == nil || err.Error() != test.err {
				t.Errorf("error = %v\nwant    %s", err, test.err)
			}
		})
	}
}
