package tools

import "testing"

// TestWhatAToolWithoutACategoryTakesSuggestsOne by the names of its arguments that can be texts.
func TestWhatAToolWithoutACategoryTakesSuggestsOne(t *testing.T) {
	const text = `{"type":"string"}`
	for _, test := range []struct {
		properties string
		want       Undeclared
	}{
		{`"command":` + text, Undeclared{CategoryShell, "command"}},
		{`"cmd":{}`, Undeclared{CategoryShell, "cmd"}},
		{`"Script":true`, Undeclared{CategoryShell, "Script"}},
		{`"url":` + text + `,"cmd":{"type":["array","null"]}`, Undeclared{CategoryShell, "cmd"}},
		{`"url":{"type":["string","null"]}`, Undeclared{CategoryFetch, "url"}},
		{`"uri":{"anyOf":[` + text + `]},"path":` + text, Undeclared{CategoryFetch, "uri"}},
		{`"path":` + text + `,"content":` + text, Undeclared{CategoryWrite, "path"}},
		{`"filePath":` + text + `,"contents":` + text, Undeclared{CategoryWrite, "filePath"}},
		{`"file":` + text + `,"text":` + text, Undeclared{CategoryWrite, "file"}},
		{`"path":` + text, Undeclared{}},
		{`"content":` + text, Undeclared{}},
		{`"command":{"type":"string","enum":["north","south"]}`, Undeclared{}},
		{`"command":{"const":"go"}`, Undeclared{}},
		{`"command":{"type":"integer"},"script":{"type":"boolean"}`, Undeclared{}},
		{`"commands":` + text + `,"recommand":` + text, Undeclared{}},
		{``, Undeclared{}},
	} {
		spec := Spec{Kind: Plugin, Parameters: []byte(`{"type":"object","properties":{` + test.properties + `}}`)}
		if got, ok := UndeclaredOf(spec); ok != (test.want != Undeclared{}) || ok && got != test.want {
			t.Errorf("%s: %+v, %v", test.properties, got, ok)
		}
	}
}

// TestWhoSaysWhatItIsSuggestsNothing, and neither does what is no plugin's, or has no parameters.
func TestWhoSaysWhatItIsSuggestsNothing(t *testing.T) {
	takes := []byte(`{"properties":{"command":{"type":"string"}}}`)
	for _, spec := range []Spec{
		{Kind: Plugin, Parameters: takes, Category: CategoryAgent},
		{Kind: Plugin, Parameters: takes, Uncategorized: true},
		{Kind: Builtin, Parameters: takes},
		{Kind: Plugin},
		{Kind: Plugin, Parameters: []byte(`{"properties":["command"]}`)},
	} {
		if got, ok := UndeclaredOf(spec); ok {
			t.Errorf("%+v: %+v", spec, got)
		}
	}
}
