package mcpfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/tools/mcp"
)

// maxWords is how many words of a server's command and arguments are looked at.
const maxWords = 500

// Programs lists the regular files in a directory, or below it, that the command and the
// arguments of a server name: as a whole, behind a "=", or as a word of an argument, such as
// one of sh -c. The paths are relative to the directory.
func Programs(s mcp.Server, root string) (paths []string) {
	count := 0
	for _, text := range append([]string{s.Command}, s.Args...) {
		words := append([]string{text}, strings.FieldsFunc(text, isBetweenWords)...)
		for _, word := range words {
			if count++; count > maxWords {
				return paths
			}
			if path, ok := fileBelow(root, below(s.Dir, word)); ok && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// isBetweenWords reports whether a character ends a word of a command line.
func isBetweenWords(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`=;&|<>(){},:", r) }

// fileBelow returns the path of a file relative to a directory that it is in.
func fileBelow(root, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	info, err := os.Stat(path)
	return rel, err == nil && info.Mode().IsRegular()
}
