package permissions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// isHarmlessDevice reports whether writing to a device has no effect beyond the output
// of a command.
func isHarmlessDevice(name string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/stdout", "/dev/stderr"}, name)
}

// protectedEntry is one name of the table as it is looked for.
type protectedEntry struct {
	name   string // as the table has it
	why    string
	folded string // without the slash that it begins with, and without the * at its end
	isTop  bool   // it is that place only
	isOpen bool   // its last part can go on
}

// protectedIndex has the entries of the table by their first part. Those that consist of one
// open part have no part to be found by.
type protectedIndex struct {
	byPart map[string][]protectedEntry
	open   []protectedEntry
}

// newProtectedIndex makes an index of the table, which begins to cost at the first path.
// homes are the person's home, as it is named and with links resolved.
func newProtectedIndex(homes []string) func() *protectedIndex {
	return sync.OnceValue(func() *protectedIndex {
		x := &protectedIndex{byPart: map[string][]protectedEntry{}}
		folded := make([]string, len(homes))
		for i, home := range homes {
			folded[i] = fold(filepath.ToSlash(home))
		}
		for _, group := range protectedGroups() {
			for _, written := range group.names {
				for _, name := range alternatives(written) {
					x.add(name, group.why, folded)
				}
			}
		}
		return x
	})
}

// alternatives returns the names that a name with words in braces stands for.
func alternatives(written string) (names []string) {
	before, rest, found := strings.Cut(written, "{")
	words, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return []string{written}
	}
	for word := range strings.SplitSeq(words, ",") {
		names = append(names, alternatives(before+word+after)...)
	}
	return names
}

// add adds a name of the table. One below the home is in one place, like those that begin
// with /.
func (x *protectedIndex) add(name, why string, homes []string) {
	below, isOfHome := strings.CutPrefix(name, "~/")
	if !isOfHome {
		x.put(protectedEntry{name: name, why: why, isTop: name[0] == '/'}, name)
		return
	}
	for _, home := range homes {
		x.put(protectedEntry{name: name, why: why, isTop: true}, strings.TrimSuffix(home, "/")+"/"+below)
	}
}

func (x *protectedIndex) put(e protectedEntry, place string) {
	e.folded, e.isOpen = strings.CutSuffix(strings.TrimPrefix(strings.ToLower(place), "/"), "*")
	first, _, hasMore := strings.Cut(e.folded, "/")
	if e.isOpen && !hasMore {
		x.open = append(x.open, e)
	} else {
		x.byPart[first] = append(x.byPart[first], e)
	}
}

func (x *protectedIndex) find(name string) (e protectedEntry, found bool) {
	rest := strings.Trim(fold(filepath.ToSlash(name)), "/")
	for isTop, more := true, rest != ""; more; isTop = false {
		first, after, hasMore := strings.Cut(rest, "/")
		for _, list := range [][]protectedEntry{x.byPart[first], x.open} {
			for _, e := range list {
				if (isTop || !e.isTop) && e.begins(rest) {
					return e, true
				}
			}
		}
		rest, more = after, hasMore
	}
	return protectedEntry{}, false
}

// begins reports whether the rest of a path begins with the parts of an entry.
func (e protectedEntry) begins(rest string) bool {
	after, ok := strings.CutPrefix(rest, e.folded)
	return ok && (e.isOpen || after == "" || after[0] == '/')
}

// bareRepository returns the git repository that a path is in, if that is a directory
// without the name .git.
func bareRepository(name string) string {
	for dir := filepath.Dir(name); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if exists(dir, "HEAD") && (exists(dir, "objects") && exists(dir, "refs") || exists(dir, "commondir")) {
			return dir
		}
	}
	return ""
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}
