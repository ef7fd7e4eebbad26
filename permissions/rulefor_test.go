package permissions

import (
	"testing"

	"github.com/chibi-host/chibi/tools"
)

func TestTheRuleThatAlwaysWrites(t *testing.T) {
	shell := func(command string) Call { return shellCall(command, "/project") }
	fetch := tools.Spec{Name: "fetch_url", Category: tools.CategoryFetch}
	for _, test := range []struct {
		call Call
		want string
	}{
		{shell("go test ./..."), "shell_exec(go test ./...)"},
		{shell("  go   test  "), "shell_exec(go test)"},
		{shell(`git commit -m 'it works; really *'`), `shell_exec(git commit -m it\ works\;\ really\ \*)`},
		{shell(`echo ''`), `shell_exec(echo "")`},
		{shell("ls *.go"), `shell_exec(ls \*.go)`},
		{shell(`timeout 5 go test`), "shell_exec(timeout 5 go test)"},
		{shell(`sh -c 'go test && ls'`), `shell_exec(sh -c go\ test\ \&\&\ ls)`},
		{shell(`find . -exec ls {} \;`), `shell_exec(find . -exec ls {} \;)`},
		{shell(`FOO=bar make`), `shell_exec(FOO=bar make)`},
		{shell("make 2>&1"), "shell_exec(make)"},
		{shell("make > out"), ""},
		{shell("make && make install"), ""},
		{shell("echo $HOME"), ""},
		{shell("echo 'a\nb'"), ""},
		{shell("'"), ""},
		{shell("sh"), ""},
		{shell(". file"), ""},
		{shell("sh <<E\nls\nE"), ""},
		{shell("python3 - <<E\nprint(1)\nE"), ""},
		{shell("sh -c 'python3 - <<E\nprint(1)\nE'"), ""},
		{shell("sort < file"), ""},
		{withInput("python3 -", "print(1)"), ""},
		{shellCall("ls", "/elsewhere"), ""},
		{fileCallOf(readFile, "/elsewhere/a[1]*"), `read_file(//elsewhere/a\[1]\*)`},
		{fileCallOf(writeFile, "/project/src/a.go"), "write_file(/src/a.go)"},
		{fileCallOf(writeFile, "/project/.git/config"), ""},
		{Call{Tool: writeFile, Access: tools.Access{Path: "/project/a", Real: "/elsewhere/a"}}, ""},
		{Call{Tool: readFile}, ""},
		{Call{Tool: fetch, Access: tools.Access{URL: "https://Example.com:8/a?b"}}, "fetch_url(domain:example.com)"},
		{Call{Tool: fetch, Access: tools.Access{URL: "::"}}, ""},
		{Call{Tool: tools.Spec{Name: "mcp__a__b", Category: tools.CategoryMCP}}, "mcp__a__b"},
	} {
		r := rulesOf(t, nil, nil, nil)
		got := r.RuleFor(test.call)
		if got != test.want {
			t.Errorf("%s%s: %s, want %s", test.call.Access.Command, test.call.Access.Path, got, test.want)
		}
		if got == "" {
			continue
		}
		if j := rulesOf(t, nil, nil, []string{got}).Judge(test.call); j.Decision != Allow {
			t.Errorf("%s does not allow its call: %+v", got, j)
		}
	}
}

// withInput is a call that gives a command an input.
func withInput(command, input string) Call {
	c := shellCall(command, "/project")
	c.Access.Stdin = input
	return c
}

func TestTheRuleThatAlwaysWritesAllowsNothingElse(t *testing.T) {
	for _, pair := range [][2]string{
		{"ls a b", "ls 'a b'"},
		{"ls 'a b'", "ls a b"},
		{"ls *", "ls secret"},
		{"ls '*'", "ls secret"},
		{"echo ''", "echo"},
		{"echo a", "echo a b"},
		{"echo a", "echo a; rm b"},
		{"sh -c 'ls'", "sh -c 'ls; rm x'"},
		{`echo a\\b`, "echo ab"},
		{"git status", "git  status -s"},
		{"echo 'a:*'", "echo a: b"},
	} {
		rule := rulesOf(t, nil, nil, nil).RuleFor(shellCall(pair[0], "/project"))
		if rule == "" {
			t.Errorf("%s has no rule", pair[0])
			continue
		}
		if j := rulesOf(t, nil, nil, []string{rule}).Judge(shellCall(pair[1], "/project")); j.Decision != Undecided {
			t.Errorf("%s, which is for %s, is about %s: %+v", rule, pair[0], pair[1], j)
		}
	}
}

func TestNoRuleIsOfferedWhereAnotherOneForbids(t *testing.T) {
	if got := rulesOf(t, nil, []string{"shell(make*)"}, nil).RuleFor(shellCall("make", "/project")); got != "" {
		t.Errorf("offered %s", got)
	}
}
