package jsonedit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/jsonedit"
	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

func TestAppendInsertsWhereAPersonWould(t *testing.T) {
	multi := func(indent, unit, newLine string) string {
		lines := []string{`"hooks": {`, unit + `"Stop": [`, unit + unit + "{", unit + unit + unit + `"c": 1`,
			unit + unit + "}", unit + "]", "}"}
		return indent + strings.Join(lines, newLine+indent)
	}
	for name, test := range map[string]struct{ before, after string }{
		"no file":      {"", "{\n" + multi("  ", "  ", "\n") + "\n}\n"},
		"empty object": {"{}", "{\n" + multi("  ", "  ", "\n") + "\n}"},
		"another key":  {"{\n    \"a\": 1\n}\n", "{\n    \"a\": 1,\n" + multi("    ", "    ", "\n") + "\n}\n"},
		"tabs":         {"{\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}", "{\n" + multi("\t", "\t", "\n") + "\n}"},
		"on one line":  {`{"hooks":{"Stop":[{"a":1}]}}`, `{"hooks":{"Stop":[{"a":1}, {"c":1}]}}`},
		"an empty list": {"{\"hooks\": {\"Stop\": [\n]}}",
			"{\"hooks\": {\"Stop\": [\n  {\n    \"c\": 1\n  }\n]}}"},
		"comments": {"{ // mine\n  \"hooks\": { /* a, b */\n    \"Stop\": [\n      1 // one, two\n      ,\n    ],\n  },\n}",
			"{ // mine\n  \"hooks\": { /* a, b */\n    \"Stop\": [\n      1 // one, two\n      ,\n" +
				"      {\n        \"c\": 1\n      }\n    ],\n  },\n}"},
		"windows": {"{\r\n  \"hooks\": {}\r\n}\r\n", "{\r\n" + multi("  ", "  ", "\r\n") + "\r\n}\r\n"},
		"a mark":  {"\ufeff{\"a\":1}", "\ufeff{\"a\":1, \"hooks\": {\"Stop\":[{\"c\":1}]}}"},
		"twice":   {`{"hooks":1,"hooks":{"Stop":[0]}}`, `{"hooks":1,"hooks":{"Stop":[0, {"c":1}]}}`},
	} {
		d, err := jsonedit.Open([]byte(test.before), jsonedit.Comments)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := d.Append(json.RawMessage(`{"c":1}`), "hooks", "Stop"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.after, string(d.Text())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if undone, fits := jsonedit.Undo(d.Text(), d.Inserts()); !fits || string(undone) != test.before {
			t.Errorf("%s: undone it is %q, %v", name, undone, fits)
		}
	}
}

func TestWhatCannotBeEditedIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"hooks\": [\n":           "line 3",
		"[1]":                           "it is an array; want an object",
		"{\n\"hooks\": 5}":              "line 2: hooks is a number; want an object",
		"{\"hooks\": {\n\"Stop\": {}}}": "line 2: hooks.Stop is an object; want a list",
		"{} // no":                      "line 1",
	} {
		d, err := jsonedit.Open([]byte(text), jsonedit.Plain)
		if err == nil {
			err = d.Append(json.RawMessage("1"), "hooks", "Stop")
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

func TestRemovingTakesNothingElse(t *testing.T) {
	isOurs := func(e gjson.Result) bool { return e.Get("c").Exists() }
	for before, want := range map[string]string{
		"[{\"c\":1}]":                             "[]",
		"[1, {\"c\":1}]":                          "[1]",
		"[{\"c\":1}, 1]":                          "[ 1]",
		"[\n  1,\n  {\"c\":1}\n]":                 "[\n  1\n]",
		"[\n  {\"c\":1},\n  1\n]":                 "[\n  1\n]",
		"[\n  1, // one\n  {\"c\":1}\n]":          "[\n  1 // one\n]",
		"[\n  // ours?\n  {\"c\":1}\n]":           "[\n  // ours?\n]",
		"[{\"c\":1},{\"c\":2},3,{\"c\":4},]":      "[3,]",
		"[ /* [,] */ {\"c\":1} /* , */ , 2 ]":     "[ /* [,] */ /* , */  2 ]",
		"[\n  1, // a\n  {\"c\":1}, // b\n  2\n]": "[\n  1, // a // b\n  2\n]",
	} {
		d, err := jsonedit.Open([]byte(`{"a":`+before+`}`), jsonedit.Comments)
		if err != nil {
			t.Fatal(err)
		}
		d.RemoveElements(isOurs, "a")
		if diff := cmp.Diff(`{"a":`+want+`}`, string(d.Text())); diff != "" {
			t.Errorf("%s: %s", before, diff)
		}
	}
	d, _ := jsonedit.Open([]byte("{\n  \"a\": 1,\n  \"hooks\": {}\n}"), jsonedit.Plain)
	if d.Remove("hooks"); string(d.Text()) != "{\n  \"a\": 1\n}" {
		t.Errorf("%s", d.Text())
	}
}

// Whatever the text: what is inserted is there, all else is as before, and undoing it gives back
// every byte.
func FuzzAppend(f *testing.F) {
	for _, text := range []string{
		"", "{}", " { } ", `{"hooks":{"Stop":[{"a":[1,2,{"b":"]}"}]}]}}`, "{\"hooks\":{},}", "\ufeff{\"a\":1}", "{//\n}",
		"{\"hooks\":{\"Stop\":[/*,*/1/*]*/,]}}", "{\"a\":{\"b\":\"\\\"\"}}\r\n",
		"{\"hooks\":{\"Stop\":[]},\"hooks\":{\"x\":[]}}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzztest.Memory(t)
		d, err := jsonedit.Open(text, jsonedit.Comments)
		if err != nil {
			return
		}
		before := append([]gjson.Result{}, d.Get("hooks", "Stop").Array()...)
		if d.Append(json.RawMessage(`{"ours":[true]}`), "hooks", "Stop") != nil {
			return
		}
		again, err := jsonedit.Open(d.Text(), jsonedit.Comments)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, d.Text(), err)
		}
		after := again.Get("hooks", "Stop").Array()
		if len(after) != len(before)+1 || !after[len(before)].Get("ours.0").Bool() {
			t.Fatalf("%q became %q", text, d.Text())
		}
		undone, fits := jsonedit.Undo(d.Text(), d.Inserts())
		if !fits || string(undone) != string(text) {
			t.Fatalf("%q became %q and then %q", text, d.Text(), undone)
		}
		again.RemoveElements(func(e gjson.Result) bool { return e.Get("ours.0").Bool() }, "hooks", "Stop")
		_, err = jsonedit.Open(again.Text(), jsonedit.Comments)
		if err != nil || len(again.Get("hooks", "Stop").Array()) != len(before) {
			t.Fatalf("%q became %q", d.Text(), again.Text())
		}
	})
}
