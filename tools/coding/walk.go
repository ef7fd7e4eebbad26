package coding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/glob"
)

// The bounds of a walk.
const (
	maxDepth   = 200     // directories in each other
	maxEntries = 500_000 // names of one directory
)

// walk goes through the files below a directory in the order of their paths, and follows no
// link. What files such as .gitignore hide is left out, and so is .git.
type walk struct {
	config  Config
	top     string        // without links
	pattern *glob.Pattern // only files that match; nil: all
	until   time.Time     // when it stops
	// file is called for each file and link, whether or not permissions deny reading it; false
	// ends the walk.
	file func(d *walked, e disk.Entry) bool

	unread unread
	number int // of the entries so far
}

// walked is a directory of a walk. It is open as long as anybody uses it.
type walked struct {
	*disk.Folder
	path    string // from the top, with a slash at the end; "" at the top
	depth   int
	ignored *ignored
	state   glob.State
	users   atomic.Int32
}

// use says that the directory is used until done is called.
func (d *walked) use() { d.users.Add(1) }

func (d *walked) done() {
	if d.users.Add(-1) == 0 {
		d.Close()
	}
}

// unread counts what a search has left out.
type unread struct {
	denied   int
	failed   int
	failure  string // the first one
	deep     int
	many     int
	stopped  bool // the time was over
	binary   int
	large    int
	private  int
	searched int
}

// errStopped ends a walk.
var errStopped = errors.New("the walk has ended")

// run walks through an opened directory, and closes it. The error is the end of ctx.
func (w *walk) run(ctx context.Context, dir *disk.Folder) error {
	top := &walked{Folder: dir, ignored: ignoredAbove(w.top)}
	if w.pattern != nil {
		top.state = w.pattern.Start()
	}
	top.use()
	err := w.in(ctx, top)
	top.done()
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

func (w *walk) in(ctx context.Context, d *walked) error {
	entries, isAll, err := d.Entries(maxEntries)
	if err != nil {
		w.fail(d.path, err)
	}
	if !isAll && err == nil {
		w.unread.many++
	}
	d.readIgnored(entries)
	slices.SortFunc(entries, inOrder)
	for _, e := range entries {
		if err := w.visit(ctx, d, e); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) visit(ctx context.Context, d *walked, e disk.Entry) error {
	if w.number++; w.number%256 == 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if w.unread.stopped = time.Now().After(w.until); w.unread.stopped {
			return errStopped
		}
	}
	isFolder := e.Kind == disk.KindFolder
	if e.Name == ".git" || !isFolder && (e.Kind == disk.KindOther || !w.matches(d, e.Name)) {
		return nil
	}
	if d.ignored != nil && d.ignored.hides(glob.Entry{Path: d.path + e.Name, Name: e.Name, IsFolder: isFolder}) {
		return nil
	}
	if isFolder {
		return w.enter(ctx, d, e.Name)
	}
	if !w.file(d, e) {
		return errStopped
	}
	return nil
}

func (w *walk) matches(d *walked, name string) bool {
	return w.pattern == nil || w.pattern.Matches(d.state, name)
}

func (w *walk) real(d *walked, name string) string {
	return filepath.Join(w.top, filepath.FromSlash(d.path), name)
}

func (w *walk) enter(ctx context.Context, d *walked, name string) error {
	sub := &walked{path: d.path + name + "/", depth: d.depth + 1, ignored: d.ignored}
	if w.pattern != nil {
		state, canMatch := w.pattern.In(d.state, name)
		if !canMatch {
			return nil
		}
		sub.state = state
	}
	if sub.depth > maxDepth {
		w.unread.deep++
		return nil
	}
	if !w.config.mayRead(w.real(d, name)) {
		w.unread.denied++
		return nil
	}
	folder, err := d.Sub(name)
	if err != nil {
		w.fail(sub.path, err)
		return nil
	}
	sub.Folder = folder
	sub.use()
	defer sub.done()
	return w.in(ctx, sub)
}

// fail notes that a file or directory could not be read; a vanished one does not count.
func (w *walk) fail(path string, err error) { w.unread.fail(path, err) }

func (u *unread) fail(path string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if u.failed++; u.failure == "" {
		u.failure = fmt.Sprintf("%s: %v", strings.TrimSuffix(path, "/"), err)
	}
}

// readIgnored reads the directory's own rules about what is ignored.
func (d *walked) readIgnored(entries []disk.Entry) {
	var names []string
	for _, e := range entries {
		if isIgnoreFile(e.Name) && e.Kind == disk.KindFile {
			names = append(names, e.Name)
		}
	}
	if names == nil {
		return
	}
	slices.Sort(names)
	own := ignored{skip: len(d.path)}
	for _, name := range names {
		if f, err := d.Open(name); err == nil {
			readRules(&own.rules, &f)
			f.Close()
		}
	}
	d.ignored = d.ignored.with(own)
}

// inOrder orders the entries of a directory so that a walk meets paths in their order, in
// which a directory counts with its slash.
func inOrder(a, b disk.Entry) int {
	n := min(len(a.Name), len(b.Name))
	if c := strings.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return next(a, n) - next(b, n)
}

// next is the character behind the first n of an entry's path.
func next(e disk.Entry, n int) int {
	switch {
	case n < len(e.Name):
		return int(e.Name[n])
	case e.Kind == disk.KindFolder:
		return '/'
	}
	return -1
}

// remarks words what was left out, a line each.
func (u unread) remarks() string {
	var text strings.Builder
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			fmt.Fprintf(&text, "[%s]\n", one)
		case n > 1:
			fmt.Fprintf(&text, "[%d %s]\n", n, many)
		}
	}
	if u.stopped {
		fmt.Fprintf(&text, "[stopped after %v: the rest was not searched; name a smaller directory]\n", maxTime)
	}
	say(u.denied, "1 file or directory is not shown: permissions deny reading it",
		"files or directories are not shown: permissions deny reading them")
	say(u.private, "1 of chibi's own files with keys, settings or approvals was not searched",
		"of chibi's own files with keys, settings or approvals were not searched")
	say(u.binary, "1 binary file was not searched", "binary files were not searched")
	say(u.large, "1 file over 10 MiB was not searched; name it as path to search it",
		"files over 10 MiB were not searched; name one as path to search it")
	say(u.failed, "1 file or directory could not be read: "+u.failure,
		"files or directories could not be read; the first: "+u.failure)
	say(u.deep, "1 directory more than 200 levels deep was not entered", "directories more than 200 levels deep were not "+
		"entered")
	say(u.many, "1 directory has more than 500,000 names; the rest of them was not searched",
		"directories have more than 500,000 names; the rest of them was not searched")
	return text.String()
}

// add adds what another part of the search has left out.
func (u *unread) add(other unread) {
	u.denied += other.denied
	u.failed += other.failed
	u.failure = cmp.Or(u.failure, other.failure)
	u.deep += other.deep
	u.many += other.many
	u.stopped = u.stopped || other.stopped
	u.binary += other.binary
	u.large += other.large
	u.private += other.private
	u.searched += other.searched
}
