package serve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/plugin/serve"
	"github.com/google/go-cmp/cmp"
)

// A plugin that refuses commands with rm -rf, and counts the words of a text when the
// model calls it.
func Example() {
	p := serve.Plugin{
		Schema: map[string]any{"name": "words", "resident": true, "hooks": []string{"pre_tool"}},
		Hook: func(ev serve.Event) (any, error) {
			var payload struct {
				Arguments struct {
					Command string `json:"command"`
				} `json:"arguments"`
			}
			if err := json.Unmarshal(ev.Payload, &payload); err != nil {
				return nil, err
			}
			if strings.Contains(payload.Arguments.Command, "rm -rf") {
				return map[string]any{"block": true, "message": "not here"}, nil
			}
			return nil, nil
		},
		Tool: func(call serve.Call) (string, error) {
			var arguments struct {
				Text string `json:"text"`
			}
			err := json.Unmarshal(call.Arguments, &arguments)
			return fmt.Sprint(len(strings.Fields(arguments.Text))), err
		},
	}
	// A program passes os.Args[1:] and os.Stdin.
	requests := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"hook","params":{"meta":{},` +
		`"point":"pre_tool","payload":{"arguments":{"command":"rm -rf /"}}}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tool","params":{"meta":{},"name":"words","arguments":{"text":"a b c"}}}` + "\n")
	if err := p.Run([]string{"--resident"}, requests, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"block":true,"message":"not here"}}
	// {"jsonrpc":"2.0","id":2,"result":{"output":"3"}}
}

// echoes answers with what it was asked.
var echoes = serve.Plugin{
	Schema: json.RawMessage(`{"name":"echoes"}`),
	Hook: func(ev serve.Event) (any, error) {
		switch ev.Point {
		case "fails":
			return nil, errors.New("no disk")
		case "silent":
			return nil, nil
		case "odd":
			return func() {}, nil
		}
		return ev, nil
	},
	Tool: func(call serve.Call) (string, error) { return call.Name + " " + string(call.Arguments), nil },
}

func TestOneEventIsFoundInTheEnvironment(t *testing.T) {
	for _, test := range []struct {
		args      []string
		hook, in  string
		out, fail string
	}{
		{args: []string{"--schema"}, out: `{"name":"echoes"}` + "\n"},
		{hook: "pre_tool", in: `{"a":1}`,
			out: `{"Point":"pre_tool","Payload":{"a":1},"Meta":{"CHIBI_HOME":"/h","CHIBI_CONTEXT":"c",` +
				`"CHIBI_VERBOSE":"","CHIBI_SESSION_ID":"s","CHIBI_PROMPT_ID":"p"}}` + "\n"},
		{hook: "silent"},
		{hook: "fails", fail: "no disk"},
		{hook: "odd", fail: "json"},
		{in: `{"b":2}`, out: `tool {"b":2}`},
	} {
		t.Setenv("CHIBI_HOOK", test.hook)
		t.Setenv("CHIBI_TOOL_NAME", "tool")
		t.Setenv("CHIBI_HOME", "/h")
		t.Setenv("CHIBI_CONTEXT", "c")
		t.Setenv("CHIBI_VERBOSE", "")
		t.Setenv("CHIBI_SESSION_ID", "s")
		t.Setenv("CHIBI_PROMPT_ID", "p")
		var out strings.Builder
		err := echoes.Run(test.args, strings.NewReader(test.in), &out)
		if out.String() != test.out || (err != nil) != (test.fail != "") ||
			err != nil && !strings.Contains(err.Error(), test.fail) {
			t.Errorf("%+v: %q, %v", test, out.String(), err)
		}
	}
}

func TestAResidentAnswersEachRequest(t *testing.T) {
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"hook","params":{"meta":{"CHIBI_HOME":"/h"},"point":"p","payload":{"a":1.0}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"hook","params":{"point":"silent","payload":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"hook","params":{"point":"fails","payload":{}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tool","params":{"name":"t","arguments":{"x":"<&>"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"ping"}`,
	}, "\n") + "\n"
	want := []string{
		`{"jsonrpc":"2.0","id":1,"result":{"Point":"p","Payload":{"a":1.0},"Meta":{"CHIBI_HOME":"/h","CHIBI_CONTEXT":"",` +
			`"CHIBI_VERBOSE":""}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no disk"}}`,
		`{"jsonrpc":"2.0","id":4,"result":{"output":"t {\"x\":\"<&>\"}"}}`,
		`{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"there is no method \"ping\""}}`,
	}
	for _, concurrent := range []bool{false, true} {
		p := echoes
		p.Concurrent = concurrent
		var out strings.Builder
		if err := p.Run([]string{"--resident"}, strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		got := strings.Split(strings.TrimSpace(out.String()), "\n")
		if slices.Sort(got); !cmp.Equal(want, got) {
			t.Errorf("answers (-want +got):\n%s", cmp.Diff(want, got))
		}
	}
	if err := echoes.Run([]string{"--resident"}, strings.NewReader("hello\n"), &strings.Builder{}); err == nil {
		t.Error("a line that is no request was taken for one")
	}
}

// TestConcurrentAnswersWaitForNoOther: the first request is answered only when the second
// one has come.
func TestConcurrentAnswersWaitForNoOther(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	p := serve.Plugin{Concurrent: true, Hook: func(serve.Event) (any, error) {
		both.Done()
		both.Wait()
		return nil, nil
	}}
	in := `{"id":1,"method":"hook","params":{}}` + "\n" + `{"id":2,"method":"hook","params":{}}` + "\n"
	var out strings.Builder
	err := p.Run([]string{"--resident"}, strings.NewReader(in), &out)
	if err != nil || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestEachRequestHasItsVariables: those of its environment, and none that an earlier one had.
func TestEachRequestHasItsVariables(t *testing.T) {
	for _, name := range []string{"CHIBI_VERBOSE", "CHIBI_PROMPT_ID", "CHIBI_HOOK", "CHIBI_TOOL_NAME"} {
		t.Setenv(name, "of the start")
	}
	sees := func() string { return os.ExpandEnv("$CHIBI_VERBOSE,$CHIBI_PROMPT_ID,$CHIBI_HOOK,$CHIBI_TOOL_NAME") }
	p := serve.Plugin{Hook: func(serve.Event) (any, error) { return sees(), nil },
		Tool: func(serve.Call) (string, error) { return sees(), nil }}
	in := `{"id":1,"method":"hook","params":{"meta":{"CHIBI_VERBOSE":"1"},"point":"pre_tool"}}` + "\n" +
		`{"id":2,"method":"tool","params":{"meta":{"CHIBI_PROMPT_ID":"p"},"name":"t"}}` + "\n"
	want := `{"jsonrpc":"2.0","id":1,"result":"1,,pre_tool,"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"result":{"output":",p,,t"}}` + "\n"
	var out strings.Builder
	if err := p.Run([]string{"--resident"}, strings.NewReader(in), &out); err != nil || out.String() != want {
		t.Errorf("%v, %s", err, out.String())
	}
}
