package disk

import "io/fs"

// isOurs reports whether a file belongs to the user of this process: the directory for
// temporary files is the user's own.
func isOurs(fs.FileInfo) bool { return true }
