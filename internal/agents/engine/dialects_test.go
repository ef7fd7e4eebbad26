package engine

import (
	"slices"
	"testing"
)

func TestAnAgentHasTheNamesOfItsTable(t *testing.T) {
	for _, a := range agents() {
		d := a.table()
		if !slices.Equal(a.names, append([]string{d.Name}, d.Aliases...)) {
			t.Errorf("%q is the agent of the table %q, %q", a.names, d.Name, d.Aliases)
		}
		for _, name := range a.names {
			if known, ok := NameOf(name); known != d.Name || !ok {
				t.Errorf("%s is %q", name, known)
			}
		}
	}
	if len(agents()) != 7 {
		t.Errorf("%d agents", len(agents()))
	}
}
