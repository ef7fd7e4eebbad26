package cli_test

import (
	"os"
	"strings"
	"testing"
)

// TestWhatThePageOfMCPShowsHappened compares what docs/MCP.md shows of other programs with the
// transcript of a run with them. .ci/peers/mcp makes that.
func TestWhatThePageOfMCPShowsHappened(t *testing.T) {
	transcript, err := os.ReadFile("../../.ci/peers/mcp.out")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, block := range blocks(t)["docs/MCP.md"] {
		if block[0] == "sh" && !strings.Contains(string(transcript), block[1]) {
			t.Errorf("no script of the run is this one:\n%s", block[1])
		}
		if block[0] != "console" {
			continue
		}
		for _, shown := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			count++
			if !strings.Contains(string(transcript), "\n$ "+strings.TrimRight(shown, "\n")+"\n") {
				t.Errorf("the transcript does not have this:\n$ %s", shown)
			}
		}
	}
	if count < 10 {
		t.Errorf("the page shows only %d commands", count)
	}
}
