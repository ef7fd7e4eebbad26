package native

import (
	"slices"
	"testing"
)

// TestVariables: no list means all, an empty one none, and several are put together.
func TestVariables(t *testing.T) {
	list := func(names ...string) schema { return schema{Env: append([]string{}, names...)} }
	for _, test := range []struct {
		schemas []schema
		want    []string
		isAll   bool
	}{
		{schemas: []schema{{}, {}}, isAll: true},
		{schemas: []schema{list()}},
		{schemas: []schema{list("A"), {}, list("B")}, want: []string{"A", "B"}},
	} {
		if got := variables(test.schemas); !slices.Equal(got, test.want) || (got == nil) != test.isAll {
			t.Errorf("%+v: %#v", test.schemas, got)
		}
	}
}
