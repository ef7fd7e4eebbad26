package doctor

import "io/fs"

// isWritable returns true: what others may do is in access control lists, which are not read.
func isWritable(string) bool { return true }

// owner returns nothing, for the same reason.
func owner(fs.FileInfo) (uid, gid uint32, known bool) { return 0, 0, false }
