package store_test

import (
	"strings"
	"testing"

	"github.com/chibi-host/chibi/store"
)

func TestNamesThatEnginesTake(t *testing.T) {
	long := strings.Repeat("x", store.MaxKey)
	for _, test := range []struct {
		name                   string
		key, prefix, log, isID bool
	}{
		{"name.work-1_A", true, true, false, false}, {"work", true, true, true, true}, {long, true, true, true, false},
		{long + "x", false, false, false, false}, {"", false, true, false, false}, {"name.", false, true, false, false},
		{".name", false, true, false, false}, {"a..b", false, true, false, false}, {">", false, false, false, false},
		{"text.*", false, false, false, false}, {"a b", false, false, false, false}, {"a\n", false, false, false, false},
		{"é", false, false, false, false}, {"a/b", false, false, false, false}, {"'; drop", false, false, false, false},
		{strings.Repeat("x", 64), true, true, true, true}, {strings.Repeat("x", 65), true, true, true, false},
	} {
		for _, check := range []struct {
			kind string
			err  error
			want bool
		}{
			{"key", store.CheckKey(test.name), test.key}, {"prefix", store.CheckPrefix(test.name), test.prefix},
			{"log", store.CheckLog(test.name), test.log}, {"id", store.CheckID(test.name), test.isID},
		} {
			if (check.err == nil) != check.want {
				t.Errorf("%.20q as a %s: %v", test.name, check.kind, check.err)
			}
		}
	}
}
