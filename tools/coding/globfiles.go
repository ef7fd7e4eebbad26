package coding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/glob"
	"github.com/chibi-host/chibi/tools"
)

// maxGlobbed is how many paths a call of glob_files can ask for.
const maxGlobbed = 10_000

func globFiles(c Config) tools.Tool {
	return tool{
		spec: tools.Spec{
			Name: "glob_files", Kind: tools.Coding, Category: tools.CategorySearch, Subject: "path", Parallel: true,
			Description: "Find files by a pattern for their paths, such as **/*.go or src/{a,b}/*.ts. ** stands for any " +
				"number " +
				"of directories. Files that .gitignore and .ignore name are left out. Returns paths, sorted, one a line.",
			Parameters: object([]string{"pattern"},
				property("pattern", "string", "the pattern, from the directory on; *.go is only what is directly in it"),
				property("path", "string", "the directory to look in; a relative one starts at the project root", `"default":"."`),
				property("max_results", "integer", "how many paths, at most 10000", `"default":100`, `"minimum":1`)),
		},
		plan: c.planGlob,
	}
}

// planGlob opens the directory.
func (c Config) planGlob(_ context.Context, call tools.Call) (tools.Plan, error) {
	var args struct {
		Pattern    string `json:"pattern"`
		Path       string `json:"path"`
		MaxResults *int   `json:"max_results"`
	}
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	most, err := or(args.MaxResults, "max_results", 100)
	if err != nil {
		return nil, err
	}
	if args.Pattern == "" {
		return nil, errors.New("pattern is empty; **/* finds all files")
	}
	pattern, err := glob.Compile(args.Pattern)
	if err != nil {
		return nil, err
	}
	p, err := c.place(cmp.Or(args.Path, "."))
	if err != nil {
		return nil, err
	}
	return c.planFolder(p, func(ctx context.Context, dir *disk.Dir) (string, error) {
		return globbing{place: p, pattern: pattern, most: min(most, maxGlobbed)}.in(ctx, dir, c)
	}), nil
}

// planFolder plans what is done with a directory, which it opens.
func (c Config) planFolder(p place, do func(context.Context, *disk.Dir) (string, error)) *plan {
	dir, failure := c.openFolder(p)
	run := func(ctx context.Context) (string, error) { return do(ctx, dir) }
	return &plan{access: p.access(), failure: failure, run: run, close: dir.Close}
}

func (c Config) openFolder(p place) (*disk.Dir, error) {
	if err := p.refuseProcesses(); err != nil {
		return nil, err
	}
	dir, err := disk.OpenDir(p.real)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, notDirectory{p.named + " is not a directory"}
	}
	if err != nil {
		return nil, p.explain("search", err)
	}
	return dir, nil
}

type globbing struct {
	place   place
	pattern *glob.Pattern
	most    int
}

// in lists the paths that match in a directory.
func (g globbing) in(ctx context.Context, dir *disk.Dir, c Config) (string, error) {
	folder, err := dir.Folder()
	if err != nil {
		return "", g.place.explain("search", err)
	}
	var found strings.Builder
	number := 0
	w := walk{config: c, top: g.place.real, pattern: g.pattern, until: time.Now().Add(maxTime)}
	w.file = func(d *walked, e disk.Entry) bool {
		if !c.mayRead(w.real(d, e.Name)) {
			w.unread.denied++
			return true
		}
		if number++; number <= g.most {
			writePath(&found, d.path+e.Name)
			found.WriteByte('\n')
		}
		return number <= g.most
	}
	if err := w.run(ctx, folder); err != nil {
		return "", err
	}
	if number == 0 {
		found.WriteString("[no file matches]\n")
	}
	if number > g.most {
		fmt.Fprintf(&found, "[there are more than %d; use a narrower pattern, or a larger max_results]\n", g.most)
	}
	return found.String() + w.unread.remarks(), nil
}

// writePath writes a path that may have any bytes. One with a newline is quoted, so that it
// does not look like two.
func writePath(out *strings.Builder, path string) {
	if strings.ContainsAny(path, "\n\r") {
		path = fmt.Sprintf("%q", path)
	}
	writeText(out, []byte(path))
}
