package uninstall

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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

// An agent that runs has events answered while the home goes: it goes all the same, or the person is told why not.
func TestAProgramWritesMeanwhile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	p := plan{home: home, files: []string{filepath.Join(home, "bridge")}}
	note := func(text string) { t.Error(text) }
	writes, stop, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			dir := filepath.Join(home, "bridge", "claude", strconv.Itoa(n%8))
			if os.MkdirAll(dir, 0o700) == nil {
				_ = os.WriteFile(filepath.Join(dir, "fired"), nil, 0o600) // it may be gone
			}
			if n == 8 {
				close(writes)
			}
		}
	}()
	<-writes
	if err := p.carryOut(t.Context(), note); err != nil && !strings.Contains(err.Error(), "such as an agent that runs") {
		t.Error(err)
	}
	close(stop)
	<-over
	if err := p.carryOut(t.Context(), note); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Error(err)
	}
}
