package permissions_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chibi-host/chibi/permissions"
	"github.com/chibi-host/chibi/tools"
)

// TestAConditionIsAboutCalls: also where a command may be the one that is meant.
func TestAConditionIsAboutCalls(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		rule     string
		category tools.Category
		argument string
		want     bool
	}{
		{"shell(rm *)", tools.CategoryShell, "rm -rf x", true},
		{"shell(rm *)", tools.CategoryShell, "FOO=1 rm x", true},
		{"shell(rm *)", tools.CategoryShell, "ls && rm x", true},
		{"shell(rm *)", tools.CategoryShell, "echo $(rm x)", true},
		{"shell(rm *)", tools.CategoryShell, "echo `rm x`", true},
		{"shell(rm *)", tools.CategoryShell, "echo rm", false},
		{"shell(rm *)", tools.CategoryShell, "rmdir x", false},
		{"shell(git push:*)", tools.CategoryShell, "git push origin", true},
		{"shell(git push:*)", tools.CategoryShell, "git status", false},
		{"shell(git push *)", tools.CategoryShell, "git $WHAT", true},
		{"shell(rm *)", tools.CategoryShell, `echo "not closed`, true},
		{"shell", tools.CategoryShell, "ls", true},
		{"shell", tools.CategoryRead, "x", false},
		{"edit(*.ts)", tools.CategoryEdit, "a.ts", true},
		{"edit(*.ts)", tools.CategoryWrite, "a.ts", true},
		{"edit(*.ts)", tools.CategoryEdit, "a.go", false},
		{"edit(*.ts)", tools.CategoryRead, "a.ts", false},
		{"fetch(domain:example.com)", tools.CategoryFetch, "https://example.com/x", true},
		{"fetch(domain:example.com)", tools.CategoryFetch, "https://example.org/x", false},
		{"agent", tools.CategoryAgent, "x", true},
	} {
		c, err := permissions.NewCondition(test.rule, permissions.Settings{Dir: dir, Root: dir})
		if err != nil {
			t.Fatal(err)
		}
		spec := tools.Spec{Name: "it", Category: test.category, Subject: "about"}
		arguments := json.RawMessage(fmt.Sprintf(`{"about": %q}`, test.argument))
		call := permissions.Call{Tool: spec, Arguments: arguments, Access: permissions.AccessOf(spec, arguments, dir)}
		if got := c.Concerns(call); got != test.want {
			t.Errorf("%s about %s %q: %v", test.rule, test.category, test.argument, got)
		}
	}
}

func TestAConditionThatIsNoRuleIsRefused(t *testing.T) {
	if _, err := permissions.NewCondition("shell(rm", permissions.Settings{}); err == nil {
		t.Error("it was taken")
	}
}
