package permissions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus returns the lines of a file of testdata.
func corpus(t testing.TB, name string) (lines []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		lines = append(lines, strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "¶", "\n"))
	}
	return lines[1:] // the first one says what they are
}

// wrap puts a command line into another one.
func wrap(format, line string) string {
	single := "'" + strings.ReplaceAll(line, "'", `'\''`) + "'"
	double := `"` + strings.NewReplacer(`"`, `\"`, "`", "\\`", `\`, `\\`).Replace(line) + `"`
	return strings.NewReplacer("QUOTED", single, "DOUBLED", double, "LINE", line).Replace(format)
}
