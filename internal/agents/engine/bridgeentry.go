package engine

import (
	"path/filepath"
	"slices"
	"strings"
)

// BridgeEntry reports whether the command line of a hook in an agent's settings file is one
// that chibi bridge wrote: it has the words chibi, as a name or at the end of a path, and
// then "bridge run".
func BridgeEntry(command string) bool {
	return bridgeWords(strings.FieldsFunc(command, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n\"';&|()", r)
	}))
}

// bridgeWords reports whether chibi is among the words, and "bridge" and "run" behind it.
func bridgeWords(words []string) bool {
	begin := slices.IndexFunc(words, isChibi)
	if begin < 0 {
		return false
	}
	for i := begin + 1; i+1 < len(words); i++ {
		if words[i] == "bridge" && words[i+1] == "run" {
			return true
		}
	}
	return false
}

// isChibi reports whether a word is this program, by its name or its path.
func isChibi(word string) bool {
	name := filepath.Base(strings.ReplaceAll(word, `\`, "/"))
	return name == "chibi" || name == "chibi.exe"
}
