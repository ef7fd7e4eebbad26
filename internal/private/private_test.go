package private

import (
	"os"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/contexts"
)

// TestDirectoriesAreThoseOfTheLayout: a context whose directory is not looked at would show
// its settings to a tool that reads a second link to them.
func TestDirectoriesAreThoseOfTheLayout(t *testing.T) {
	layout := contexts.Layout{Home: t.TempDir()}
	for _, name := range []string{"work", "play", ".removed-1"} {
		if err := os.MkdirAll(layout.Directory(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := directories(layout.Home)[1:], layout.Directories(); len(got) != 3 || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
