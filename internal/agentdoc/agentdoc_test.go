package agentdoc_test

import (
	"os"
	"testing"

	"github.com/chibi-host/chibi/internal/agentdoc"
	"github.com/google/go-cmp/cmp"
)

// TestThePageIsUpToDate compares AGENTS.md with the tables of the agents.
func TestThePageIsUpToDate(t *testing.T) {
	want, err := agentdoc.Generate(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../" + agentdoc.Page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is stale; run go generate ./plugin/dialect\n%s", agentdoc.Page, diff)
	}
}
