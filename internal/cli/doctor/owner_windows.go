package doctor

import "io/fs"

// owner returns nothing: what others may do is in access control lists, which chibi does not read.
func owner(fs.FileInfo) (uid, gid uint32, known bool) { return 0, 0, false }
