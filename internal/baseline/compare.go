package baseline

import (
	"bytes"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/chibi-host/chibi/internal/gitconfig"
)

// Change is a difference between two baselines.
type Change struct {
	// Path is what differs.
	Path string
	// What says in a few words how: "new", "removed", "changed".
	What string
	// Settings are the names of settings of git that differ, if that is what is compared.
	Settings []string

	place       int
	rel         string
	before, now *node // nil: nothing was there
}

// Data returns the present content, nil if it is not a file or too large.
func (c Change) Data() []byte {
	if c.now == nil {
		return nil
	}
	return c.now.data
}

// maxDiffed bounds the texts that are compared, in bytes.
const maxDiffed = 64 << 10

// Diff returns the change as a unified diff, and in a line the parts that are not text.
func (c Change) Diff() string {
	before, now := c.before.text(), c.now.text()
	if len(before) > maxDiffed || len(now) > maxDiffed || bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(now, 0) >= 0 {
		return c.Path + ": " + c.What + "\n"
	}
	text := diff.Diff(c.Path, before, c.Path, now)
	if _, rest, ok := bytes.Cut(text, []byte("\n")); ok {
		text = rest // without the line that names the files twice
	}
	if len(text) == 0 {
		return c.Path + ": " + c.What + "\n"
	}
	return string(text)
}

// text returns what a difference shows of a name.
func (n *node) text() []byte {
	switch {
	case n == nil || n.info == nil:
		return nil
	case n.kind() == 0:
		return n.data
	case n.kind() == fs.ModeSymlink:
		return []byte("a link to " + n.target + "\n")
	case n.info.IsDir():
		return []byte("a directory\n")
	}
	return []byte("neither a file, a directory nor a link\n")
}

// Compare lists how the present files differ from the earlier ones, by path.
func (b *Baseline) Compare(now *Baseline) (changes []Change) {
	for i, dir := range b.dirs {
		c := comparison{place: i, root: b.watch.places[i].path, changes: &changes}
		c.children("", dir, now.dirs[i])
	}
	return changes
}

// comparison compares one place.
type comparison struct {
	place   int
	root    string
	changes *[]Change
}

// children compares what is in two directories; either may be missing.
func (c comparison) children(rel string, before, now *node) {
	names := map[string]bool{}
	for _, n := range []*node{before, now} {
		if n != nil {
			for name := range n.children {
				names[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := before.child(name), now.child(name)
		if was == nil && before != nil && before.part || is == nil && now != nil && now.part {
			continue // nobody knows
		}
		c.name(filepath.Join(rel, name), was, is)
	}
}

// name compares what two names stand for, of which at most one is missing.
func (c comparison) name(rel string, was, is *node) {
	note := func(what string, settings ...string) {
		*c.changes = append(*c.changes, Change{Path: filepath.Join(c.root, rel), What: what, Settings: settings,
			place: c.place, rel: rel, before: was, now: is})
	}
	switch {
	case was.isDirectory() && (is == nil || is.isDirectory()) || was == nil && is.isDirectory() && !is.part:
		switch {
		case was != nil && is != nil && was.info.Mode().Perm() != is.info.Mode().Perm():
			note("its permissions changed")
		case was == nil && is.isAny && len(is.children) == 0: // many of them would be too much to look at
			note("new")
		}
		c.children(rel, was, is)
	case is.isSettings(was):
		if names := settingsOf(was, is); names != nil {
			note("changed", names...)
		}
	case was == nil:
		if is.isUnusual() {
			note("new")
		}
	case is == nil:
		if was.isUnusual() {
			note("removed")
		}
	case was.kind() != is.kind():
		note("is " + kindName(is) + " now")
	case was.part:
	case !bytes.Equal(was.data, is.data) || was.target != is.target || is.part:
		note("changed")
	case was.info.Mode().Perm() != is.info.Mode().Perm() && was.kind() == 0:
		note("its permissions changed")
	}
}

func (n *node) isDirectory() bool { return n != nil && n.info.IsDir() }

// isUnusual reports whether a file is other than one that git writes anyway.
func (n *node) isUnusual() bool {
	return n != nil && (n.rule.usual == "" || string(n.data) != n.rule.usual)
}

// isSettings reports whether both names are files with settings of git, or one is and the other
// one is missing.
func (n *node) isSettings(other *node) bool {
	return !slices.ContainsFunc([]*node{n, other}, func(one *node) bool {
		return one != nil && (!one.rule.config || one.kind() != 0 || one.part)
	})
}

// settingsOf lists the settings that differ. Of a file that cannot be read that is its whole content.
func settingsOf(was, is *node) []string {
	before, now := was.text(), is.text()
	names, err := gitconfig.Changed(before, now)
	if err != nil && !bytes.Equal(before, now) {
		return []string{"git cannot read it: " + strings.TrimPrefix(err.Error(), "before: ")}
	}
	return names
}

func kindName(n *node) string {
	text, _, _ := strings.Cut(string(n.text()), "\n")
	if n.kind() == 0 {
		return "a file"
	}
	return text
}
