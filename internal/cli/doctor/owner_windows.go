package doctor

import "io/fs"

// owner returns nothing: the rights of others are in access control lists, which chibi does not read.
func owner(fs.FileInfo) (uid, gid uint32, known bool) { return 0, 0, false }
