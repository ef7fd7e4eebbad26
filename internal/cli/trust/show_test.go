package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWordsThatMayBePaths(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		"--- ... /":                       nil,
		"source ./lib/a.sh; . b.sh.":      {"source", "./lib/a.sh", "b.sh"},
		`open("../data/x-1.json")`:        {"open", "../data/x-1.json"},
		"a=~/.config/x_y @scope/pkg+1":    {"a", "~/.config/x_y", "@scope/pkg+1"},
		"see the file notes.txt, or dir/": {"see", "the", "file", "notes.txt", "or", "dir"},
		"\xff/bin/sh\x00résumé.txt":       {"/bin/sh", "r", "sum", ".txt"},
	} {
		if diff := cmp.Diff(want, slices.Collect(paths(text))); diff != "" {
			t.Errorf("in %q (-want +got):\n%s", text, diff)
		}
	}
	if got := len(slices.Collect(paths(strings.Repeat("word ", 3*maxWords)))); got != maxWords {
		t.Errorf("there are %d words of a long text, want %d", got, maxWords)
	}
}
