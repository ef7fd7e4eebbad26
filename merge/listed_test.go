package merge

import (
	"slices"
	"testing"
)

func TestAFilterMayNameAToolOfAServerAsTheOriginalDid(t *testing.T) {
	tools := []string{"mcp__files__read", "mcp__a_b__c_d__e", "mcp__a__b", "a_b", "run"}
	for _, test := range []struct{ names, want []string }{
		{nil, nil},
		{[]string{}, []string{}},
		{[]string{"run", "mcp__files__read"}, []string{"run", "mcp__files__read"}},
		{[]string{"files_read", "run"}, []string{"mcp__files__read", "run"}},
		{[]string{"a_b_c_d__e"}, []string{"mcp__a_b__c_d__e"}},
		{[]string{"a_b"}, []string{"a_b"}}, // a tool has that name
		{[]string{"files__read", "files_write", "read"}, []string{"files__read", "files_write", "read"}},
	} {
		before := slices.Clone(test.names)
		got := Listed(test.names, tools)
		if !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) || !slices.Equal(test.names, before) {
			t.Errorf("%q: %q, want %q", before, got, test.want)
		}
	}
	if got := Listed([]string{"files_read"}, []string{"run"}); !slices.Equal(got, []string{"files_read"}) {
		t.Errorf("without servers: %q", got)
	}
}
