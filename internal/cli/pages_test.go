package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// pages reads every page of the documentation, by its path from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found, root := map[string]string{}, os.DirFS("../..")
	for _, dir := range []string{"docs", "examples", "."} {
		err := fs.WalkDir(root, dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && dir == "." && path != "." {
				return fs.SkipDir
			}
			if err != nil || filepath.Ext(path) != ".md" {
				return err
			}
			text, err := fs.ReadFile(root, path)
			found[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestTablesAreWhole: a table has a head, and as many cells in each row; an empty
// line in its middle makes text of the rest.
func TestTablesAreWhole(t *testing.T) {
	for page, text := range pages(t) {
		cells, row, before := 0, 0, ""
		for i, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(line, "|") {
				row, before = 0, line
				continue
			}
			// A bar that stands in code or behind a backslash ends no cell.
			line = regexp.MustCompile("`[^`]*`|\\\\\\|").ReplaceAllString(line, "")
			switch row++; {
			case row == 1:
				cells = strings.Count(line, "|")
				if before != "" && !strings.HasPrefix(before, "<!--") {
					t.Errorf("%s:%d: a table needs an empty line before it", page, i+1)
				}
			case row == 2 && strings.Trim(line, "|- :") != "":
				t.Errorf("%s:%d: rows of a table without a head; is there an empty line before them?", page, i)
			case strings.Count(line, "|") != cells:
				t.Errorf("%s:%d: this row has other cells than the table's head", page, i+1)
			}
		}
	}
}

// widest is how many characters a line of prose may have.
const widest = 120

// TestLinesOfPagesAreWrapped: lines of prose fit. Tables, code, pictures, generated parts and a line that is one
// word or one piece of code are as wide as they must be.
func TestLinesOfPagesAreWrapped(t *testing.T) {
	exempt := regexp.MustCompile("(?ms)^ *```.*?^ *```|<!-- generated: .*?<!-- /generated -->|^(\\||!\\[)[^\n]*")
	code := regexp.MustCompile("`[^`\n]*`")
	count := 0
	for page, text := range pages(t) {
		text = exempt.ReplaceAllStringFunc(text, func(part string) string {
			return strings.Repeat("\n", strings.Count(part, "\n"))
		})
		for i, line := range strings.Split(text, "\n") {
			count++
			words := strings.Fields(strings.TrimLeft(code.ReplaceAllString(line, "CODE"), "*- "))
			if n := utf8.RuneCountInString(line); n > widest && len(words) > 1 {
				t.Errorf("%s:%d: %d characters; wrap it at %d", page, i+1, n, widest)
			}
		}
	}
	if count < 4000 {
		t.Errorf("only %d lines were looked at", count)
	}
}

// TestLinksLead: links between pages lead to files that exist, and to headings of
// theirs.
func TestLinksLead(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, match := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(match[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, match[1])
			} else if anchor != "" && !hasHeading(all[target], anchor) {
				t.Errorf("%s: the link %s leads to no heading", page, match[1])
			}
		}
	}
}

// hasHeading reports whether a page has a heading that is linked to by a name.
func hasHeading(text, anchor string) bool {
	for _, match := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(match[1]), "")
		if strings.ReplaceAll(name, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// TestTheTableOfKeysIsWhole: every key that can be looked at stands in the table
// of CONFIGURATION.md, with the default that counts.
func TestTheTableOfKeysIsWhole(t *testing.T) {
	h := home{t, t.TempDir()}
	out, err := h.command("-n", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	page := pages(t)["docs/CONFIGURATION.md"]
	defaults := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| ([^|]*) \\|").FindAllStringSubmatch(page, -1) {
		keys, values := strings.Split(row[1], ", "), strings.Split(row[2], ", ")
		for i, key := range keys {
			defaults[strings.Trim(key, "`")] = strings.Trim(values[min(i, len(values)-1)], "`")
		}
	}
	// These are looked at, and are no keys.
	others := []string{"system_prompt", "reflection", "todos", "goals", "home", "list"}
	literal := regexp.MustCompile(`^(\d+|true|false|https://\S+)$`)
	for _, key := range strings.Fields(string(out))[2:] {
		want, isKnown := defaults[key]
		switch {
		case slices.Contains(others, key):
		case !isKnown && !strings.Contains(page, "`"+key+"`"):
			t.Errorf("CONFIGURATION.md does not name %s", key)
		case literal.MatchString(want):
			got, err := h.command("-n", key).Output()
			if err != nil || strings.TrimSpace(string(got)) != want {
				t.Errorf("%s is %q (%v), CONFIGURATION.md says %q", key, got, err, want)
			}
		}
	}
}

// TestEveryFileHasAPlace: each file that STORAGE.md lists is in its table of what is on the
// machine and what in a shared store.
func TestEveryFileHasAPlace(t *testing.T) {
	page := pages(t)["docs/operating/STORAGE.md"]
	files, after, ok := strings.Cut(page, "\n## Entries\n")
	_, places, found := strings.Cut(after, "\n### What is on the machine, and what in the store\n")
	if !ok || !found {
		t.Fatal("STORAGE.md has no such headings")
	}
	places, _, _ = strings.Cut(places, "\n## ")
	count := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(files, -1) {
		for _, file := range strings.Split(row[1], ", ") {
			count++
			if !strings.Contains(places, file) {
				t.Errorf("STORAGE.md does not say where %s is if contexts are in a shared store, and why", file)
			}
		}
	}
	if count < 40 {
		t.Errorf("only %d files found", count)
	}
}
