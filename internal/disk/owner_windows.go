package disk

import "io/fs"

// isOurs reports whether a file belongs to the user of this process: the directory for
// temporary files is the user's own.
func isOurs(fs.FileInfo) bool { return true }

// owner returns nothing: a new file belongs to whom the directory's files belong to.
func owner(fs.FileInfo) (uid, gid int, ok bool) { return 0, 0, false }
