package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestANameOfAToolSaysWhoseItIs(t *testing.T) {
	for _, test := range []struct{ server, tool, want string }{
		{"files", "read", "mcp__files__read"},
		{"a-b", "list_all", "mcp__a-b__list_all"},
		{"files", "read file", "mcp__files__read_file_"},
		{"files", "läs", "mcp__files__l_s_"},
		{"files", "", "mcp__files___"},
		{strings.Repeat("s", 32), strings.Repeat("t", 300), "mcp__" + strings.Repeat("s", 32) + "__ttt"},
	} {
		got := ToolName(test.server, test.tool)
		if !strings.HasPrefix(got, test.want) || !tools.ValidName(got) {
			t.Errorf("ToolName(%q, %.20q) = %q, want %q", test.server, test.tool, got, test.want)
		}
	}
	if ToolName("s", "a b") == ToolName("s", "a.b") {
		t.Error("two tools of a server have one name")
	}
}

func TestNamesOfServers(t *testing.T) {
	for name, valid := range map[string]bool{
		"a": true, "my-server_2": true, "": false, "a b": false, "a__b": false, "_a": false, "a_": false,
		strings.Repeat("a", 32): true, strings.Repeat("a", 33): false,
	} {
		if tools.ValidServerName(name) != valid {
			t.Errorf("%q: valid should be %v", name, valid)
		}
	}
}

func TestAServerHasOneWayToBeReached(t *testing.T) {
	for want, s := range map[string]Server{
		"":                       {Name: "a", Command: "x"},
		"neither command nor":    {Name: "a"},
		"both command and url":   {Name: "a", Command: "x", URL: "http://127.0.0.1/"},
		"is not a valid name of": {Name: "a__b", Command: "x"},
	} {
		err := s.Check()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}

func TestAFingerprintChangesWithWhatIsReached(t *testing.T) {
	base := Server{Name: "a", Command: "x", Args: []string{"1"}}
	same, other := base, base
	same.Trusted, same.Timeout = true, 1
	other.Args = []string{"2"}
	if base.Fingerprint() != same.Fingerprint() || base.Fingerprint() == other.Fingerprint() {
		t.Error("the fingerprint is not about what is started")
	}
}

// wireText is a tool as a server lists it.
func wireText(t *testing.T, tool sdk.Tool) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(tool)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestADefinitionChangesItsHash(t *testing.T) {
	tool := sdk.Tool{Name: "a", InputSchema: map[string]any{"type": "object"},
		Annotations: &sdk.ToolAnnotations{Title: "A"}}
	before, err := definitionOf(wireText(t, tool))
	if err != nil || before.Title != "A" || string(before.InputSchema) != `{"type":"object"}` {
		t.Fatalf("%+v, %v", before, err)
	}
	seen := map[string]bool{before.Hash(): true}
	for _, change := range []func(){
		func() { tool.Description = "now it does more" },
		func() { tool.InputSchema = map[string]any{"type": "object", "required": []string{"x"}} },
		func() { tool.Annotations.ReadOnlyHint = true },
	} {
		change()
		after, err := definitionOf(wireText(t, tool))
		if err != nil || seen[after.Hash()] {
			t.Errorf("%+v has a hash that was seen, or %v", after, err)
		}
		seen[after.Hash()] = true
	}
}

func TestADefinitionWhoseSchemaIsNoJSONStillHasAHash(t *testing.T) {
	a, b := Definition{Name: "a", InputSchema: []byte("{")}, Definition{Name: "a", InputSchema: []byte("[")}
	if len(a.JSON()) == 0 || a.Hash() == b.Hash() {
		t.Errorf("%s and %s", a.JSON(), b.JSON())
	}
	remote := tools.Remote{Server: "s", Tool: "a", Definition: a.JSON}
	if remote.Revision() != a.Hash() {
		t.Error("a tool has another revision than its definition")
	}
}
