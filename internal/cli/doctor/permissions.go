package doctor

import (
	"io/fs"
	"os"
	"path/filepath"
)

// weakness is a file that other users may change, because of its mode or its owner.
type weakness struct {
	path    string
	foreign bool
	owner   uint32 // if it is foreign
}

func weaknesses(path string, info fs.FileInfo) (found []weakness) {
	if permitsOthers(info, 0o022) && !isClosedAbove(path) {
		found = append(found, weakness{path: path})
	}
	if uid, _, known := owner(info); known && uid != 0 && int(uid) != os.Geteuid() {
		found = append(found, weakness{path: path, foreign: true, owner: uid})
	}
	return found
}

// permitsOthers reports whether a file's mode gives one of these permissions to others:
// everybody, or a group other than the private group of the user.
func permitsOthers(info fs.FileInfo, bits fs.FileMode) bool {
	_, gid, known := owner(info)
	isPrivateGroup := known && int(gid) == os.Geteuid()
	return known && (info.Mode()&bits&0o007 != 0 || info.Mode()&bits&0o070 != 0 && !isPrivateGroup)
}

// isClosedAbove reports whether a directory above a path is closed to others, so that
// they cannot reach the path even if its own mode permits it.
func isClosedAbove(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	for real != filepath.Dir(real) {
		real = filepath.Dir(real)
		if info, err := os.Stat(real); err == nil && !permitsOthers(info, 0o011) {
			return true
		}
	}
	return false
}
