package agentdoc_test

import (
	"os"
	"testing"

	"github.com/chibi-host/chibi/internal/agentdoc"
	"github.com/google/go-cmp/cmp"
)

// TestThePagesAreUpToDate compares AGENTS.md and BRIDGE.md with the tables of the agents.
func TestThePagesAreUpToDate(t *testing.T) {
	for page, generate := range agentdoc.Pages() {
		want, err := generate(os.DirFS("../.."))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is stale; run go generate ./...\n%s", page, diff)
		}
	}
}
