package archtest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheImportGraphOfThePageIsTrue compares the graph in docs/ARCHITECTURE.md with the
// table of allowed imports, which TestImports compares with the code.
func TestTheImportGraphOfThePageIsTrue(t *testing.T) {
	page := pageGraph(t)
	for pkg, targets := range allowed {
		if pkg == "." {
			pkg = "main"
		}
		shown := page[pkg]
		for _, target := range targets {
			if !slices.Contains(shown, target) {
				t.Errorf("docs/ARCHITECTURE.md does not show that %s imports %s", pkg, target)
			}
		}
		for _, target := range shown {
			if !slices.Contains(targets, target) {
				t.Errorf("docs/ARCHITECTURE.md shows that %s imports %s, which it does not", pkg, target)
			}
		}
	}
	for pkg := range page {
		if _, known := allowed[pkg]; !known && pkg != "main" {
			t.Errorf("docs/ARCHITECTURE.md shows the imports of %s, which is not a package", pkg)
		}
	}
}

// pageGraph reads the graph of the page: for each package those that it imports. A line has
// statements such as "a, b -> c -> d", apart by five spaces, or continues the last one.
func pageGraph(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Who imports whom\n\n```\n")
	section, _, _ = strings.Cut(section, "\n```")
	var statements []string
	for line := range strings.SplitSeq(section, "\n") {
		for _, part := range regexp.MustCompile(` {5,}`).Split(strings.TrimSpace(line), -1) {
			if strings.Contains(part, "->") || len(statements) == 0 {
				statements = append(statements, part)
			} else {
				statements[len(statements)-1] += " " + part
			}
		}
	}
	graph := map[string][]string{}
	for _, statement := range statements {
		lists := strings.Split(statement, "->")
		for i, importers := range lists[:len(lists)-1] {
			for _, pkg := range packagesIn(importers) {
				graph[pkg] = append(graph[pkg], packagesIn(lists[i+1])...)
			}
		}
	}
	return graph
}

// packagesIn returns the packages of a list such as "a, b/{c,d}, e/*". Remarks in
// parentheses are not a part of it.
func packagesIn(list string) (packages []string) {
	list = regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(list, "")
	for _, item := range regexp.MustCompile(`[^,{}]+(\{[^}]*\})?`).FindAllString(list, -1) {
		item = strings.TrimSpace(item)
		base, names, several := strings.Cut(strings.TrimSuffix(item, "}"), "{")
		switch {
		case item == "" || item == "nothing of ours":
		case several:
			for name := range strings.SplitSeq(names, ",") {
				packages = append(packages, base+strings.TrimSpace(name))
			}
		case strings.HasSuffix(item, "*"):
			for pkg := range allowed {
				if strings.HasPrefix(pkg, strings.TrimSuffix(item, "*")) {
					packages = append(packages, pkg)
				}
			}
		default:
			packages = append(packages, item)
		}
	}
	return packages
}
