package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// fetch is what Gemini CLI says before a call of web_fetch.
func fetch(t *testing.T, input string) (gemini engine.Dialect, m engine.Moment) {
	t.Helper()
	gemini, _ = agents.ByName("gemini")
	m, err := gemini.Moment(beforeTool(t, gemini), []byte(`{"tool_name":"web_fetch","tool_input":`+input+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return gemini, m
}

// A guard of fetches sees every address that Gemini CLI takes for one, and the prompt around them.
func TestAFetchOfGeminiIsACallForEachAddress(t *testing.T) {
	for _, test := range []struct{ input, want string }{
		{`{"prompt":"http://a/"}`, `{"url":"http://a/"}`},
		{`{"url":"http://a/"}`, `{"url":"http://a/"}`},
		{`{"prompt":"no address"}`, `{"url":"no address"}`},
		{`{"prompt":"read http://a/ please"}`, `{"prompt":"read http://a/ please","url":"http://a/"}`},
		{`{"prompt":"http://a/\u3000http://b/\nhttp://a/"}`,
			`{"prompt":"http://a/\u3000http://b/\nhttp://a/","url":"http://a/"} {"url":"http://b/"}`},
		{`{"prompt":"http://a/","url":"http://b/"}`, `{"prompt":"http://a/","url":"http://b/"} {"url":"http://a/"}`},
		{`{"prompt":"no address","url":"http://b/ c"}`, `{"prompt":"no address","url":"http://b/ c"}`},
		{`{"prompt":"http://a\u0085@b/ http://c\ufeffhttp://d"}`, // white space as in JavaScript
			`{"prompt":"http://a\u0085@b/ http://c\ufeffhttp://d","url":"http://a\u0085@b/"} {"url":"http://c"} ` +
				`{"url":"http://d"}`},
	} {
		_, m := fetch(t, test.input)
		var got []string
		for _, m := range append([]engine.Moment{m}, m.More...) {
			got = append(got, string(m.Values[engine.ToolInput]))
			if m.Text(engine.ToolName)+m.Text(engine.ToolCategory)+m.Text(engine.ToolSubject) != "fetch_urlfetchurl" {
				t.Errorf("%s: %s", test.input, m.Values)
			}
		}
		var is, want []map[string]string
		if err := errors.Join(strictjson.Decode([]byte("["+strings.Join(got, ",")+"]"), &is),
			strictjson.Decode([]byte("["+strings.ReplaceAll(test.want, "} {", "},{")+"]"), &want)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, is); diff != "" {
			t.Errorf("%s is %s", test.input, diff)
		}
	}
	many := ""
	for i := range 60 {
		many += fmt.Sprintf("http://a/%d ", i)
	}
	input, _ := strictjson.Encode(map[string]string{"prompt": many})
	_, m := fetch(t, string(input))
	last := gjson.GetBytes(m.More[len(m.More)-1].Values[engine.ToolInput], "url").Str
	if len(m.More) != 50 || !strings.HasPrefix(last, "http://a/50 http://a/51 ") {
		t.Errorf("there are %d more, the last is %s", len(m.More), last)
	}
}

// The agent fetches the address that a plugin writes, or the change is lost.
func TestAChangedAddressOfGemini(t *testing.T) {
	for _, test := range []struct{ input, changed, want string }{
		{`{"prompt":"read http://a/ now"}`, `{"prompt":"read http://a/ now","url":"http://b/"}`,
			`{"prompt":"read http://b/ now"}`},
		{`{"prompt":"key read http://a/"}`, `{"prompt":"read http://a/","url":"http://a/"}`, `{"prompt":"read http://a/"}`},
		{`{"prompt":"read it","url":"http://a/"}`, `{"prompt":"read it","url":"http://b/"}`,
			`{"prompt":"read it","url":"http://b/"}`},
		{`{"prompt":"http://a/","url":"http://a/"}`, `{"url":"http://b/"}`, `{"url":"http://b/","prompt":"http://b/"}`},
		{`{"prompt":"read http://a/"}`, `{"prompt":"read http://c/","url":"http://a/"}`, ""},
		{`{"prompt":"read http://a/"}`, `{"prompt":"read http://a/ http://c/","url":"http://a/"}`, ""},
		{`{"prompt":"read http://a/"}`, `{"prompt":"read http://a/"}`, ""},
		{`{"prompt":"read http://a/ http://b/"}`, `{"prompt":"read http://a/ http://b/","url":"http://c/"}`, ""},
	} {
		gemini, m := fetch(t, test.input)
		if got := gemini.Theirs(m, []byte(test.changed)); string(got) != test.want {
			t.Errorf("%s changed to %s is %s, want %s", test.input, test.changed, got, test.want)
		}
		taker := engine.Taker{Dialect: gemini, Event: beforeTool(t, gemini), Moment: m}
		if taken, lost := taker.Arguments([]byte(test.changed)); (lost == "") != (test.want != "") ||
			!slices.Contains([]string{"", "null"}, string(taken)) {
			t.Errorf("%s changed to %s: %s, %q", test.input, test.changed, taken, lost)
		}
	}
	gemini, m := fetch(t, `{"prompt":"read http://a/ http://b/"}`)
	if got := gemini.Theirs(m.More[0], []byte(`{"url":"http://c/"}`)); got != nil {
		t.Errorf("the second address is changed to %s", got)
	}
}
