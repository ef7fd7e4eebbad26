package agents

import (
	"slices"
	"testing"
)

func TestAnAgentHasTheNamesOfItsTable(t *testing.T) {
	for _, a := range bridges() {
		d := a.Dialect()
		if !slices.Equal(a.Names, append([]string{d.Name}, d.Aliases...)) {
			t.Errorf("%q is the agent of the table %q, %q", a.Names, d.Name, d.Aliases)
		}
		for _, name := range a.Names {
			if known, ok := ByName(name); known.Name != d.Name || !ok {
				t.Errorf("%s is %q", name, known.Name)
			}
			if _, isHooks := NameOf(name); isHooks != (d.Carrier == "" && d.Name != "goose") {
				t.Errorf("hooks of %s run in chibi: %t", name, isHooks)
			}
		}
	}
	if len(list()) != 10 || len(bridges()) != 14 {
		t.Errorf("%d agents, %d in which plugins work", len(list()), len(bridges()))
	}
}
