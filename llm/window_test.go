package llm_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/llm"
)

func TestContextWindow(t *testing.T) {
	for model, want := range map[string]int{
		"":                                 128_000,
		"demo":                             128_000,
		"somebody/new-model":               128_000,
		"gpt-4":                            8_192,
		"openai/gpt-4-0613":                8_192,
		"gpt-4-32k-0613":                   32_768,
		"gpt-4o":                           128_000,
		"openai/gpt-4o-mini:free":          128_000,
		"gpt-4.1-mini":                     1_047_576,
		"gpt-4.9":                          128_000,
		"o3-mini":                          200_000,
		"anthropic/claude-sonnet-4":        200_000,
		"Anthropic/Claude-Sonnet-4.5":      200_000,
		"claude-3-5-sonnet@20240620":       200_000,
		"claude-2.0":                       128_000,
		"openrouter/google/gemini-2.5-pro": 1_048_576,
		"llama3:70b":                       8_192,
		"llama3.2":                         128_000,
	} {
		if got := llm.ContextWindow(model); got != want {
			t.Errorf("%q: %d tokens, want %d", model, got, want)
		}
	}
}

// TestConfigurationPageHasTheTable holds the page to the table.
func TestConfigurationPageHasTheTable(t *testing.T) {
	page, err := os.ReadFile("../docs/CONFIGURATION.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## The context window")
	section, _, _ = strings.Cut(section, "\n## ")
	listed := 0
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") {
			listed += strings.Count(line, "`") / 2
		}
	}
	known := llm.KnownWindows()
	if listed != len(known) {
		t.Errorf("the page lists %d models, the table %d", listed, len(known))
	}
	for _, k := range known {
		found := false
		for line := range strings.Lines(section) {
			found = found || strings.Contains(line, "`"+k.Prefix+"`") && strings.HasSuffix(line,
				fmt.Sprintf("| %d |\n", k.Tokens))
		}
		if !found {
			t.Errorf("the page does not list `%s` with %d tokens", k.Prefix, k.Tokens)
		}
	}
}
