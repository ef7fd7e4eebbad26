package native

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

func TestParseSchemas(t *testing.T) {
	for _, test := range []struct {
		name, out string
		tools     []string
		warnings  []string
		err       string
	}{
		{name: "one tool", out: `{"name":"a","description":"d"}`, tools: []string{"a"}},
		{name: "several tools", out: `[{"name":"a"},{"name":"b"}]`, tools: []string{"a", "b"}},
		{name: "no name", out: `{"description":"d"}`, err: `--schema: it has no "name"`},
		{
			name: "a name with a space", out: `{"name":"my tool"}`,
			err: `--schema: the name "my tool" is not a valid tool name; use 1 to 64 letters, digits, - and _`,
		},
		{name: "nothing", out: ``, err: `--schema did not print JSON; it printed nothing`},
		{name: "a log line before the JSON", out: "loading...\n{}",
			err: `--schema did not print JSON; it begins "loading..."`},
		{name: "not UTF-8", out: "{\"name\":\"\xff\"}", err: "--schema did not print JSON; it begins " +
			"\"{\\\"name\\\":\\\"\uFFFD\\\"}\""},
		{name: "a number", out: `3`, err: `--schema: want an object with a name`},
		{name: "an empty array", out: `[]`, err: `--schema printed no usable tool`},
		{
			name: "a bad element leaves the others", out: `[{"name":""},{"name":"b"},7]`, tools: []string{"b"},
			warnings: []string{
				`element 1 of its --schema is skipped: it has no "name"`,
				`element 3 of its --schema is skipped: want an object with a name`,
			},
		},
		{
			name: "an unknown hook is dropped", out: `{"name":"a","hooks":["pre_tool","before_tool"]}`, tools: []string{"a"},
			warnings: []string{`hook "before_tool" does not exist; did you mean "pre_tool"?`},
		},
		{
			name: "an unknown hook like no other is dropped", out: `{"name":"a","hooks":["whenever"]}`, tools: []string{"a"},
			warnings: []string{`hook "whenever" does not exist; see chibi hook list`},
		},
		{
			name: "a guard must be a hook", out: `{"name":"a","hooks":["on_end"],"guards":["pre_tool"]}`, tools: []string{"a"},
			warnings: []string{`guards names "pre_tool", which is not among its hooks`},
		},
		{
			name: "a guard must be able to block", out: `{"name":"a","hooks":["pre_stop"],"guards":["pre_stop"]}`,
			tools:    []string{"a"},
			warnings: []string{`guards names "pre_stop", where nothing can be blocked; it is not a guard there`},
		},
		{
			name: "where all are asked at once no guard is needed",
			out:  `{"name":"a","hooks":["pre_shell_exec"],"guards":["pre_shell_exec"]}`, tools: []string{"a"},
			warnings: []string{`guards names "pre_shell_exec", where guards are not needed: all plugins are asked there at ` +
				`once, about what will happen; it can refuse there without it`},
		},
		{name: "a byte order mark", out: "\ufeff{\"name\":\"a\"}\r\n", tools: []string{"a"}},
		{
			name: "async is for hooks that observe",
			out: `{"name":"a","hooks":["on_start","post_tool","pre_tool","on_end"],` +
				`"async":["post_tool","on_start","pre_tool","on_end","post_message"]}`,
			tools: []string{"a"},
			warnings: []string{`async names "pre_tool", where its answer counts; chibi waits for it there`,
				`async names "on_end", which is the end of the run; chibi waits for it there`,
				`async names "post_message", which is not among its hooks`},
		},
		{name: "what cannot be a variable", out: `{"name":"a","resident":true,"env":["","A=B","PATH"]}`, tools: []string{"a"},
			warnings: []string{`env names "", which cannot be the name of an environment variable`,
				`env names "A=B", which cannot be the name of an environment variable`}},
		{name: "names in other letters", out: `{"Name":"a"}`, err: `--schema: it has no "name"`},
		{name: "the last of two names", out: `{"name":"a","n\u0061me":"b"}`, tools: []string{"b"}},
		{name: "20 million brackets", out: strings.Repeat("[", 20<<20),
			err: "--schema cannot be read: it nests too deep: more than 1000 objects and arrays in each other"},
		{
			name: "deep parameters", out: `{"name":"a","parameters":{"not":` +
				strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`,
			tools: []string{"a"},
			warnings: []string{`the "parameters" of its tool "a" cannot be used: it nests too deep: more than 200 objects and ` +
				`arrays in each other; the model does not see them, and arguments of its calls are not checked`},
		},
		{name: "a million tools", out: "[" + strings.Repeat("7,", 1<<20) + "7]",
			err: "--schema printed 1048577 tools, at most 1000 are read"},
		{name: "a wrong type", out: `{"name":"a","hooks":"pre_tool"}`, err: `--schema: hooks: must be an array, is a string`},
		{name: "a wrong on_failure", out: `{"name":"a","on_failure":"deny"}`,
			err: `--schema: on_failure is "deny"; use "ignore" or "block"`},
		{name: "parameters that are no schema", out: `{"name":"a","parameters":[]}`, tools: []string{"a"},
			warnings: []string{`the "parameters" of its tool "a" are an array, not a JSON Schema, which is an object; ` +
				`the model does not see them, and arguments of its calls are not checked`}},
		{name: "hooks only", out: `{"name":"a","tool":false,"hooks":["on_end"]}`},
		{name: "a tool, and it says so", out: `{"name":"a","tool":true}`, tools: []string{"a"}},
		{name: "null is nothing said", out: `{"name":"a","tool":null}`, tools: []string{"a"}},
		{name: "a text for tool", out: `{"name":"a","tool":"false"}`, err: `--schema: tool: must be a boolean, is a string`},
		{name: "hooks only, whatever the parameters", out: `{"name":"a","tool":false,"hooks":["on_end"],"parameters":"x"}`},
		{name: "neither tool nor hooks", out: `{"name":"a","tool":false}`,
			err: `--schema: it has "tool": false and no hooks, so it does nothing`},
		{name: "neither tool nor known hooks", out: `[{"name":"a","tool":false,"hooks":["pre_toll"]},{"name":"b"}]`,
			tools: []string{"b"}, warnings: []string{`element 1 of its --schema is skipped: hook "pre_toll" does not exist; ` +
				`did you mean "pre_tool"?; it has "tool": false and no hooks, so it does nothing`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := parseSchemas([]byte(test.out), Options{}.unknownHook)
			if got := errorText(err); got != test.err {
				t.Fatalf("error = %q, want %q", got, test.err)
			}
			var names []string
			for _, s := range p.schemas {
				if s.isTool() {
					names = append(names, s.Name)
				}
			}
			if diff := cmp.Diff(test.tools, names); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.warnings, p.warnings); test.err == "" && diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMissingParametersAreAnEmptyObject(t *testing.T) {
	for _, out := range []string{`{"name":"a"}`, `{"name":"a","parameters":null}`} {
		p, err := parseSchemas([]byte(out), Options{}.unknownHook)
		if err != nil || string(p.schemas[0].Parameters) != `{"type":"object","properties":{}}` {
			t.Errorf("%s: schemas = %+v, %v", out, p.schemas, err)
		}
	}
}

func FuzzParseSchemas(f *testing.F) {
	for _, seed := range []string{`{"name":"a","hooks":["pre_tool"]}`, `[{"name":"a"},1]`, `log {}`,
		"\xff", `{"name":1}`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		fuzztest.Memory(t)
		p, err := parseSchemas(out, func(hookpoints.Name) string { return "" })
		if err == nil && len(p.schemas) == 0 {
			t.Error("neither a tool nor an error")
		}
		for _, s := range p.schemas {
			if !tools.ValidName(s.Name) || len(s.Parameters) == 0 {
				t.Errorf("unusable schema %+v", s)
			}
		}
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return strings.TrimSpace(err.Error())
}
