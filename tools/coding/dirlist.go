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

	"github.com/dustin/go-humanize"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/tools"
)

// The bounds of dir_list.
const (
	maxListed      = 1000 // entries of an answer
	maxListedDepth = 20
)

func dirList(c Config) tools.Tool {
	return tool{
		spec: tools.Spec{
			Name: "dir_list", Kind: tools.Coding, Category: tools.CategorySearch, Subject: "path", Parallel: true,
			Description: "List a directory as a tree: directories first, with a slash, then files with their sizes. At most " +
				"1000 entries.",
			Parameters: object(nil,
				property("path", "string", "the directory; a relative one starts at the project root", `"default":"."`),
				property("depth", "integer", "how many levels, at most 20", `"default":1`, `"minimum":1`),
				property("show_hidden", "boolean", "also what begins with a dot", `"default":false`)),
		},
		plan: c.planList,
	}
}

// planList opens the directory.
func (c Config) planList(_ context.Context, call tools.Call) (tools.Plan, error) {
	var args struct {
		Path       string `json:"path"`
		Depth      *int   `json:"depth"`
		ShowHidden bool   `json:"show_hidden"`
	}
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	depth, err := or(args.Depth, "depth", 1)
	if err != nil {
		return nil, err
	}
	p, err := c.place(cmp.Or(args.Path, "."))
	if err != nil {
		return nil, err
	}
	return c.planFolder(p, func(ctx context.Context, dir *disk.Dir) (string, error) {
		l := listing{config: c, showHidden: args.ShowHidden, depth: min(depth, maxListedDepth)}
		l.list(ctx, dir, 0)
		return l.String(), ctx.Err()
	}), nil
}

type listing struct {
	config     Config
	showHidden bool
	depth      int

	text   strings.Builder
	count  int
	more   int // entries that were left out
	hidden int
	unread unread
}

// list lists a directory that is so many levels below the first one.
func (l *listing) list(ctx context.Context, dir *disk.Dir, level int) {
	for _, e := range l.entries(dir) {
		if ctx.Err() != nil {
			return
		}
		if l.count == maxListed {
			l.more++
			continue
		}
		l.count++
		l.text.WriteString(strings.Repeat("  ", level))
		l.entry(dir, e)
		if e.Kind == disk.KindFolder && level+1 < l.depth {
			l.below(ctx, dir, e.Name, level+1)
		}
	}
}

func (l *listing) below(ctx context.Context, dir *disk.Dir, name string, level int) {
	sub, err := dir.Sub(name)
	if err != nil {
		l.unread.fail(name, err)
		return
	}
	defer sub.Close()
	l.list(ctx, sub, level)
}

// entries lists what is shown of a directory: directories first, and each kind by name.
func (l *listing) entries(dir *disk.Dir) []disk.Entry {
	folder, err := dir.Folder()
	if err != nil {
		l.unread.fail(dir.Path(), err)
		return nil
	}
	defer folder.Close()
	list, isAll, err := folder.Entries(maxEntries)
	if err != nil {
		l.unread.fail(dir.Path(), err)
	} else if !isAll {
		l.unread.many++
	}
	list = slices.DeleteFunc(list, func(e disk.Entry) bool { return !l.shows(dir, e.Name) })
	slices.SortFunc(list, func(a, b disk.Entry) int {
		return cmp.Or(isFile(a)-isFile(b), strings.Compare(a.Name, b.Name))
	})
	return list
}

// isFile is 0 for directories and 1 for everything else.
func isFile(e disk.Entry) int {
	if e.Kind == disk.KindFolder {
		return 0
	}
	return 1
}

// shows reports whether an entry is shown, and counts those that are not.
func (l *listing) shows(dir *disk.Dir, name string) bool {
	if strings.HasPrefix(name, ".") && !l.showHidden {
		l.hidden++
		return false
	}
	if !l.config.mayRead(filepath.Join(dir.Path(), name)) {
		l.unread.denied++
		return false
	}
	return true
}

func (l *listing) entry(dir *disk.Dir, e disk.Entry) {
	writePath(&l.text, e.Name)
	info, err := dir.Stat(e.Name)
	switch {
	case e.Kind == disk.KindFolder:
		l.text.WriteByte('/')
	case err != nil:
		if !errors.Is(err, fs.ErrNotExist) {
			l.unread.fail(e.Name, err)
		}
	case e.Kind == disk.KindFile:
		fmt.Fprintf(&l.text, " (%s)", humanize.IBytes(uint64(info.Size())))
	case e.Kind == disk.KindLink:
		l.text.WriteString(" -> ")
		target, _ := dir.Link(e.Name) // "" if it has vanished
		writePath(&l.text, target)
	default:
		l.text.WriteString(" (" + special(info.Mode()) + ")")
	}
	l.text.WriteByte('\n')
}

// special names what is neither file nor directory.
func special(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// String returns the list, and behind it what was left out.
func (l *listing) String() string {
	if l.count == 0 {
		l.text.WriteString("[there is nothing to show]\n")
	}
	if l.more > 0 {
		fmt.Fprintf(&l.text, "[%d more; list a smaller directory, or fewer levels]\n", l.more)
	}
	if l.hidden > 0 {
		fmt.Fprintf(&l.text, "[%d hidden; show_hidden shows what begins with a dot]\n", l.hidden)
	}
	return l.text.String() + l.unread.remarks()
}
