package native

import (
	"testing"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/google/go-cmp/cmp"
)

func TestWhatAToolDoesIsReadFromItsSchema(t *testing.T) {
	const properties = `"parameters":{"type":"object","properties":{"cmd":{"type":"string"},"n":{}}}`
	for name, test := range map[string]struct {
		out      string
		want     tools.Spec
		warnings []string
	}{
		"a shell": {`"category":"shell","subject":"cmd","parallel":true`,
			tools.Spec{Category: tools.CategoryShell, Subject: "cmd", Parallel: true}, nil},
		"an agent needs no subject": {`"category":"agent"`, tools.Spec{Category: tools.CategoryAgent}, nil},
		"nothing":                   {`"parallel":false`, tools.Spec{}, nil},
		"an unknown category": {`"category":"shel","subject":"cmd"`, tools.Spec{},
			[]string{`the "category" of its tool "a" is "shel"; did you mean "shell"?`}},
		"one like no other": {`"category":"?"`, tools.Spec{}, []string{`the "category" of its tool "a" is "?"; ` +
			`the categories are shell, read, write, edit, search, fetch, agent, mcp, and none`}},
		"none": {`"category":"none"`, tools.Spec{Uncategorized: true}, nil},
		"none, with a subject": {`"category":"none","subject":"cmd"`, tools.Spec{Uncategorized: true},
			[]string{`its tool "a" has a "subject" without a "category", which has no effect`}},
		"a subject that is no argument": {`"category":"search","subject":"command"`,
			tools.Spec{Category: tools.CategorySearch},
			[]string{`the "subject" of its tool "a" is "command", but its "parameters" have no such property`}},
		"a subject without a category": {`"subject":"cmd"`, tools.Spec{},
			[]string{`its tool "a" has a "subject" without a "category", which has no effect`}},
		"a category without its subject": {`"category":"fetch"`, tools.Spec{Category: tools.CategoryFetch},
			[]string{`its tool "a" has the category "fetch" and no "subject": rules and permission points cannot see the URL; ` +
				`name the argument that holds it`}},
		"no tool": {`"tool":false,"hooks":["pre_tool"],"category":"shel","subject":"x","parallel":true`, tools.Spec{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parseSchemas([]byte(`{"name":"a",`+properties+`,`+test.out+`}`), Options{}.unknownHook)
			if err != nil || len(p.schemas) != 1 {
				t.Fatal(p, err)
			}
			got := program{}.tool("", p.schemas[0], plugin.Override{}).spec
			got = tools.Spec{Category: got.Category, Uncategorized: got.Uncategorized, Subject: got.Subject,
				Parallel: got.Parallel}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.warnings, p.warnings); diff != "" {
				t.Error(diff)
			}
		})
	}
}
