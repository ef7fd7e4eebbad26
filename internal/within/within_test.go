package within_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/within"
)

func read(value string) (*within.Mark, error) {
	return within.Read(func(name string) string {
		if name != "CHIBI_WITHIN" {
			return ""
		}
		return value
	})
}

func TestAMarkIsReadAsItWasWritten(t *testing.T) {
	mark := within.Mark{Tool: "shell_exec", Home: "/home/me/.chibi", Context: "work", Root: "/src/\u00fc x",
		Settings: []string{"[permissions]\ndeny = ['shell(git push*)']\n"}, Flags: []string{"trust-tools"}}
	got, err := read(mark.Value())
	if err != nil || !reflect.DeepEqual(*got, mark) {
		t.Errorf("%+v, %v", got, err)
	}
	if name, value, _ := strings.Cut(mark.Pair(), "="); name != "CHIBI_WITHIN" || value != mark.Value() {
		t.Errorf("the variable is %s", mark.Pair())
	}
}

// TestSettingsThatNoVariableHoldsAreLeftOut: Linux starts no program with a variable of 128 KiB. Where
// they are left out, chibi does not run.
func TestSettingsThatNoVariableHoldsAreLeftOut(t *testing.T) {
	mark := within.Mark{Tool: "shell_exec", Home: "/home/me/.chibi", Context: "work",
		Settings: []string{strings.Repeat("# a long list\n", 10_000)}}
	if len(mark.Pair()) >= 128<<10 {
		t.Errorf("the variable has %d bytes", len(mark.Pair()))
	}
	if got, err := read(mark.Value()); err == nil || !strings.Contains(err.Error(), `context "work"`) {
		t.Errorf("it is read as %+v, %v", got, err)
	}
}

func TestOnlyAtATerminalARefusalSaysHowItEnds(t *testing.T) {
	for _, onTerminal := range []bool{false, true} {
		m := within.Mark{Tool: "shell_exec", OnTerminal: onTerminal}
		err := m.Refusal("chibi trust", within.Row{Why: "a", Instead: "b"})
		if strings.Contains(err.Error(), "unset CHIBI_WITHIN") != onTerminal || strings.Contains(m.Value(), "erminal") {
			t.Errorf("on a terminal %t: %v, %s", onTerminal, err, m.Value())
		}
	}
}

// TestADamagedMarkIsNoLackOfOne: what chibi did not write itself is an error.
func TestADamagedMarkIsNoLackOfOne(t *testing.T) {
	if mark, err := read(""); mark != nil || err != nil {
		t.Errorf("without the variable: %v, %v", mark, err)
	}
	for _, value := range []string{"0", "no", "{", `{"tool": 1}`, `{"toll": "x"}`, "[]", `{"tool": "x", "home": "/a"} {}`,
		"null", "{}"} {
		if mark, err := read(value); err == nil {
			t.Errorf("%s is read as %+v", value, mark)
		} else if !strings.Contains(err.Error(), "CHIBI_WITHIN") {
			t.Errorf("%s: the error does not name the variable: %v", value, err)
		}
	}
}

func TestTheRowOfTheNearestKeyCounts(t *testing.T) {
	for key, refused := range map[string]bool{
		"permissions": true, "permissions.allow": true, "permissions.deny": false, "permissions.ask": false,
		"plugins.a.b.enabled": true, "tools.coding": false, "tools.sandbox": true, "api.temperature": false,
		"limits.hook_answers_bytes": true, "limits.prompt_bytes": false,
		"mcp.x.command": true, "url_policy.default": false, "url_policy.allow": true,
	} {
		if row, known := within.Key(key); !known || row.Refused() != refused {
			t.Errorf("%s: known %t, refused %t; want %t", key, known, row.Refused(), refused)
		}
	}
	if _, known := within.Key("temperature"); known {
		t.Error("a key that is not in the table is known")
	}
}
