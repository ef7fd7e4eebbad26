package agent

import (
	"encoding/json"
	"testing"
)

func TestCommandsOfARecipe(t *testing.T) {
	r := &Recipe{Name: "r", Commands: []string{"git *", "ls"}}
	for command, want := range map[string]bool{
		"git log": true, "ls": true, "ls -l": false, "git log | ls": true, "git log; rm x": false,
		"git log && ls || rm": false,
		"git log\nrm x":       false, "git log & rm x": false, "git $(rm x)": false, "git `rm x`": false,
		" git status ": true, "": true,
		"git --version 2>&1": true, "git log &> x": true, "git <(rm x)": false, "git >(rm x)": false,
	} {
		args, _ := json.Marshal(map[string]string{"command": command})
		if got := r.checkCommand(args) == nil; got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
	for _, args := range []string{`{"command":"git x","command":"rm x"}`, `{"command":["rm","x"]}`, `{"command":7}`} {
		if r.checkCommand(json.RawMessage(args)) == nil {
			t.Errorf("%s is allowed", args)
		}
	}
	if (*Recipe)(nil).checkCommand(json.RawMessage(`{"command":"rm"}`)) != nil ||
		r.checkCommand(json.RawMessage(`{"cmd":7}`)) != nil {
		t.Error("calls without a recipe or a command are held")
	}
	if (&Recipe{Commands: []string{"*"}}).checkCommand(json.RawMessage(`{"command":"echo $(date)"}`)) != nil {
		t.Error(`"*" does not fit all`)
	}
}
