package permissions

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/disk"
)

// maxLinks is how many symbolic links are followed in one path, as on Linux.
const maxLinks = 40

// Real returns an absolute path with all symbolic links resolved, as far as it exists: a
// link to what does not exist yet leads to that, so that rules about writing see the place where it
// would be created. Links in a circle stay as they are. A path that is not cleaned is
// taken as the system takes it: "link/.." is the parent of what the link leads to.
func Real(name string) string {
	real, _ := Follow(name)
	return real
}

// Follow is as [Real], and returns the real paths of the links that it followed too.
func Follow(name string) (real string, links []string) {
	rest := strings.Split(name, string(filepath.Separator))
	at := filepath.VolumeName(name) + string(filepath.Separator)
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".", filepath.VolumeName(name):
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		target, err := os.Readlink(next)
		if err != nil || len(links) == maxLinks {
			at = next
			continue
		}
		links = append(links, next)
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + string(filepath.Separator)
		}
		rest = append(strings.Split(target, string(filepath.Separator)), rest...)
	}
	return at, links
}

// partsBelow returns the parts of a path below a directory, and whether it is there.
func partsBelow(dir, name string) ([]string, bool) {
	if !disk.IsBelow(dir, name) {
		return nil, false
	}
	rest := strings.Trim(strings.TrimPrefix(name, dir), string(filepath.Separator))
	if rest == "" {
		return nil, true
	}
	return strings.Split(rest, string(filepath.Separator)), true
}
