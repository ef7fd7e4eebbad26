package agent

import (
	"encoding/json"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

func TestCommandsOfARecipe(t *testing.T) {
	r := &Recipe{Name: "r", Commands: []string{"git *", "ls"}}
	for command, want := range map[string]bool{
		"git log": true, "ls": true, "ls -l": false, "git log | ls": true, "git log; rm x": false,
		"git log && ls || rm": false,
		"git log\nrm x":       false, "git log & rm x": false, "git $(rm x)": false, "git `rm x`": false,
		" git status ": true, "": true,
		"git --version 2>&1": true, "git log &> x": true, "git <(rm x)": false, "git >(rm x)": false,
		"git log 2>&1 >&2 | ls": true, "git log 2>&- &>> x": true, "git log >& rm": false, "git log &>&1": false,
	} {
		args, _ := json.Marshal(map[string]string{"command": command})
		if got := r.checkCommand(tools.Spec{}, args) == nil; got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
	for _, args := range []string{`{"command":"git x","command":"rm x"}`, `{"command":["rm","x"]}`, `{"command":7}`} {
		if r.checkCommand(tools.Spec{}, json.RawMessage(args)) == nil {
			t.Errorf("%s is allowed", args)
		}
	}
	if (*Recipe)(nil).checkCommand(tools.Spec{}, json.RawMessage(`{"command":"rm"}`)) != nil ||
		r.checkCommand(tools.Spec{}, json.RawMessage(`{"cmd":7}`)) != nil {
		t.Error("calls without a recipe or a command are held")
	}
	all := &Recipe{Commands: []string{"*"}}
	if all.checkCommand(tools.Spec{}, json.RawMessage(`{"command":"echo $(date)"}`)) != nil {
		t.Error(`"*" does not fit all`)
	}
}

func TestPatternsOfCommands(t *testing.T) {
	for _, test := range []struct {
		pattern, command string
		want             bool
	}{
		{"make", "make", true}, {"make", "make all", false}, {"make*", "make", true}, {"make*", "make all", true},
		{"make *", "make", false}, {"* -n", "make -n", true}, {"* -n", "make -n all", false},
		{"git * --stat *", "git log --stat x", true}, {"git * --stat *", "git --stat x", false},
		{"a*a", "a", false}, {"a*a", "aa", true}, {"a**b", "axb", true}, {"a*b*b", "ab", false},
		{"ls [a]", "ls [a]", true}, {"ls [a]", "ls a", false}, {"ls .", "ls x", false}, {"", "ls", false},
	} {
		if got := (&Recipe{Commands: []string{test.pattern}}).allows(test.command); got != test.want {
			t.Errorf("%q, %q: %v", test.pattern, test.command, got)
		}
	}
}
