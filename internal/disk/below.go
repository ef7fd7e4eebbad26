package disk

import (
	"path/filepath"
	"strings"
)

// IsBelow reports whether a path is a directory or in it, by their names: both are
// absolute and cleaned. Nothing is in "".
func IsBelow(dir, path string) bool {
	const separator = string(filepath.Separator)
	return dir != "" && (path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, separator)+separator))
}
