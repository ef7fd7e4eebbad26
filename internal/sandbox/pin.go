package sandbox

import (
	"fmt"
	"slices"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/permissions"
)

// Pinned returns the rules with paths that no confined command leads elsewhere: they are real ones, for all
// commands of a session. A link that such a command could change is an error, since the next session would
// follow it.
func (r Rules) Pinned() (Rules, error) {
	var links []string
	pin := func(paths []string) (list []string) {
		for _, path := range paths {
			real, followed := permissions.Follow(path)
			list, links = append(list, real), append(links, followed...)
		}
		return list
	}
	r.Writable, r.Readable = pin(r.Writable), pin(r.Readable)
	for _, link := range links {
		for _, open := range r.Writable {
			if disk.IsBelow(open, link) {
				return r, fmt.Errorf("%s, which is in the path of what the sandbox opens, is a link that commands "+
					"can change; in the configuration, name what it leads to instead", link)
			}
		}
	}
	return r, nil
}

// isInside reports whether a path is in a directory that is open for writing, which needs no rule: commands
// can move it and put a link in its place.
func (r Rules) isInside(path string) bool {
	return slices.ContainsFunc(r.Writable, func(open string) bool { return open != path && disk.IsBelow(open, path) })
}
