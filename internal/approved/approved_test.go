package approved_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/internal/approved"
	"github.com/chibi-host/chibi/tools"
)

// tool is a tool of a server with this definition.
func tool(server, name, definition string) *tools.Remote {
	return &tools.Remote{Server: server, Tool: name, Definition: func() json.RawMessage { return []byte(definition) }}
}

// approve remembers definitions in turn.
func approve(t *testing.T, s *approved.Store, list ...*tools.Remote) {
	t.Helper()
	for _, r := range list {
		if err := s.Approve(r); err != nil {
			t.Fatal(err)
		}
	}
}

// changes returns what changed of a tool, "" if it is as approved.
func changes(t *testing.T, s *approved.Store, r *tools.Remote) string {
	t.Helper()
	change, err := s.Changed(r)
	switch {
	case err != nil:
		t.Fatal(err)
	case change == nil:
		return ""
	case change.Since.IsZero():
		t.Error("it is not known when it was approved")
	}
	return strings.Join(change.Parts, ", ") + "\n" + change.Diff
}

func TestWhatWasApprovedIsRemembered(t *testing.T) {
	home := t.TempDir()
	s := approved.Open(home)
	first, second := tool("s", "read", `{"name":"read","description":"Reads."}`), tool("s", "read", `{"name":"read"}`)
	if got := changes(t, s, first); got != "" {
		t.Errorf("a tool that nobody approved has changed: %s", got)
	}
	if _, err := os.Stat(filepath.Join(home, approved.Name)); err == nil {
		t.Error("asking wrote a file")
	}
	approve(t, s, first)
	for name, test := range map[string]struct {
		tool *tools.Remote
		want string
	}{
		"the same":                       {first, ""},
		"another definition":             {second, "description\ndescription\n@@ -1,1 +0,0 @@\n-Reads.\n"},
		"another tool":                   {tool("s", "read2", `{"name":"read2"}`), ""},
		"a tool of another server":       {tool("other", "read", `{"name":"read"}`), ""},
		"the same, for another process":  {first, ""},
		"a name with control characters": {tool("s", "\x1b[2J", `{}`), ""},
	} {
		if got := changes(t, s, test.tool); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if got := changes(t, approved.Open(home), test.tool); got != test.want {
			t.Errorf("%s, opened again: %q, want %q", name, got, test.want)
		}
	}
	approve(t, s, second)
	if changes(t, s, first)+changes(t, s, second) != "" {
		t.Error("a tool whose second definition was approved too has changed")
	}
}

// TestADifferenceIsShownPartByPart, for a person.
func TestADifferenceIsShownPartByPart(t *testing.T) {
	s := approved.Open(t.TempDir())
	approve(t, s, tool("s", "a", `{"name":"a","description":"One.\nTwo.",`+
		`"input_schema":{"type":"object","required":["x"]},"read_only":true}`))
	got := changes(t, s, tool("s", "a", `{"name":"a","description":"One.\nThree.","input_schema":{"type":"object"},`+
		`"destructive":false}`))
	want := `description, destructive, input schema, read only
description
@@ -1,2 +1,2 @@
 One.
-Two.
+Three.
destructive
@@ -0,0 +1,1 @@
+false
input schema
@@ -1,6 +1,3 @@
 {
-  "type": "object",
-  "required": [
-    "x"
-  ]
+  "type": "object"
 }
read only
@@ -1,1 +0,0 @@
-true
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDefinitionsThatAreHardToCompare(t *testing.T) {
	long := strings.Repeat("x\n", 20_000)
	deep := strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000)
	for name, test := range map[string]struct{ before, after, want string }{
		"too long to store": {fmt.Sprintf(`{"description":%q}`, long), `{"description":"Short."}`,
			"definition\nThe approved definition was too long to store. This is all of the new one:\ndescription\n" +
				"@@ -0,0 +1,1 @@\n+Short.\n"},
		"now too long":    {`{"description":"Short."}`, fmt.Sprintf(`{"description":%q}`, long), "description\n"},
		"no JSON":         {`{"description":`, `{"description":"Short."}`, "definition, description\ndefinition\n@@"},
		"another order":   {`{"a":1,"b":2}`, `{"b":2,"a":1}`, "definition\nIt differs only in its spelling"},
		"a schema, deep":  {`{"input_schema":` + deep + `}`, `{"input_schema":{}}`, "definition, input schema\n"},
		"not even text":   {"\xff\x00", "{}", "definition\ndefinition\n"},
		"the same, twice": {`{"a":1}`, `{"a":1}`, ""},
	} {
		home := t.TempDir()
		s := approved.Open(home)
		approve(t, s, tool("s", "a", test.before))
		got := changes(t, s, tool("s", "a", test.after))
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %.300q, want %q", name, got, test.want)
		}
		if got := changes(t, approved.Open(home), tool("s", "a", test.before)); got != "" {
			t.Errorf("%s: what was approved has changed: %.300q", name, got)
		}
		if info, err := os.Stat(filepath.Join(home, approved.Name)); err != nil || info.Size() > 20<<10 ||
			info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the file is %v, %v", name, info, err)
		}
	}
}

// TestAServerCannotMakeTheListGrowWithoutABound: by many definitions of a tool, or many tools.
func TestAServerCannotMakeTheListGrowWithoutABound(t *testing.T) {
	home := t.TempDir()
	s := approved.Open(home)
	definition := func(n int) *tools.Remote { return tool("s", "a", fmt.Sprintf(`{"n":%d}`, n)) }
	for n := range 10 {
		approve(t, s, definition(n))
	}
	for n := range 10 {
		if isApproved := changes(t, s, definition(n)) == ""; isApproved != (n >= 2) {
			t.Errorf("definition %d is approved: %v", n, isApproved)
		}
	}
	text := []byte(`{"servers":{"s":{`)
	for n := range 600 {
		text = fmt.Appendf(text, `%q:{"revisions":["x"],"approved":"2026-01-01T00:%02d:%02dZ"},`, fmt.Sprint(n), n/60, n%60)
	}
	text = append(text[:len(text)-1], "}}}"...)
	if err := os.WriteFile(filepath.Join(home, approved.Name), text, 0o600); err != nil {
		t.Fatal(err)
	}
	s = approved.Open(home)
	approve(t, s, tool("s", "new", `{}`))
	for name, want := range map[string]bool{"0": false, "100": false, "101": true, "599": true, "new": true} {
		if isKnown := changes(t, s, tool("s", name, `{"n":1}`)) != ""; isKnown != want {
			t.Errorf("tool %s is known: %v", name, isKnown)
		}
	}
}

func TestAListThatCannotBeReadApprovesNothingAndStays(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, approved.Name)
	if err := os.WriteFile(path, []byte(`{"servers":`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := approved.Open(home)
	const want = "mcp-approved.json is damaged: "
	if _, err := s.Changed(tool("s", "a", `{}`)); err == nil || !strings.Contains(err.Error(), want) ||
		!strings.HasSuffix(err.Error(), "; remove it, and the next call of each tool approves what it is then") {
		t.Errorf("asked: %v", err)
	}
	if err := s.Approve(tool("s", "a", `{}`)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("approved: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != `{"servers":` {
		t.Errorf("the file is now %q, %v", text, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	approve(t, s, tool("s", "a", `{}`))
}

// TestSeveralProcessesLoseNoApproval, and see those of each other.
func TestSeveralProcessesLoseNoApproval(t *testing.T) {
	home := t.TempDir()
	reader := approved.Open(home)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			s := approved.Open(home)
			for m := range 5 {
				if err := s.Approve(tool("s", fmt.Sprint(n, m), `{"was":1}`)); err != nil {
					t.Error(err)
				}
				reader.Changed(tool("s", fmt.Sprint(n, m), `{"was":1}`))
			}
		})
	}
	all.Wait()
	for n := range 4 {
		for m := range 5 {
			if changes(t, reader, tool("s", fmt.Sprint(n, m), `{"is":2}`)) == "" {
				t.Errorf("the approval of tool %d %d is lost", n, m)
			}
		}
	}
}
