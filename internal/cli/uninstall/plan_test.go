package uninstall

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestEveryFileOfAHomeIsKnown holds the table of STORAGE.md: each file of a home is removed, by itself
// or with --all.
func TestEveryFileOfAHomeIsKnown(t *testing.T) {
	page, err := os.ReadFile("../../../docs/operating/STORAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Files\n")
	table, _, _ = strings.Cut(table, "\nIn `contexts/NAME/`:\n")
	count := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(table, -1) {
		for _, match := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
			name, _, _ := strings.Cut(strings.Replace(match[1], "SERVER", "x", 1), "/")
			if strings.HasSuffix(name, ".md") { // the others of prompts/
				continue
			}
			count++
			if !isOwn(name) && !isYours(name) {
				t.Errorf("chibi uninstall does not know %s", name)
			}
		}
	}
	if count < 25 {
		t.Errorf("only %d names found", count)
	}
}
