package coding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/chibi-host/chibi/internal/glob"
	"github.com/chibi-host/chibi/tools"
)

// The bounds of grep_files.
const (
	maxGrepped     = 10 << 20 // the size of files that are searched without being named, in bytes
	maxGrepResults = 10_000
	maxGrepContext = 50
	maxGrepOutput  = 1 << 20 // bytes
)

// The outputs of grep_files.
const (
	outputContent = "content"
	outputFiles   = "files"
	outputCount   = "count"
)

func grepFiles(c Config) tools.Tool {
	return tool{
		spec: tools.Spec{
			Name: "grep_files", Kind: tools.Coding, Category: tools.CategorySearch, Subject: "path", Parallel: true,
			Description: "Search files for a regular expression (RE2), line by line. Ignored files (.gitignore, .ignore), " +
				"binary files and files over 10 MiB are left out unless path names the file. Returns PATH:LINE:TEXT, sorted by " +
				"path.",
			Parameters: object([]string{"pattern"},
				property("pattern", "string", "the regular expression"),
				property("path", "string", "the directory or file to search; a relative one starts at the project root",
					`"default":"."`),
				property("file_pattern", "string", "only files that match, such as *.go or src/**/*.{ts,tsx}"),
				property("context_lines", "integer", "how many lines before and after each match, at most 50", `"default":0`,
					`"minimum":0`),
				property("max_results", "integer", "how many lines that match, or files, at most 10000", `"default":50`,
					`"minimum":1`),
				property("output", "string", "what to return: lines, the paths of files, or paths with the number of lines that "+
					"match", `"enum":["content","files","count"]`, `"default":"content"`),
				property("ignore_case", "boolean", "letters match in any case", `"default":false`)),
		},
		plan: c.planGrep,
	}
}

type grepArgs struct {
	Pattern      string `json:"pattern"`
	Path         string `json:"path"`
	FilePattern  string `json:"file_pattern"`
	ContextLines int    `json:"context_lines"`
	MaxResults   *int   `json:"max_results"`
	Output       string `json:"output"`
	IgnoreCase   bool   `json:"ignore_case"`
}

type grepping struct {
	place  place
	files  *glob.Pattern // nil: all
	output string
	most   int // results
	wanted wanted
}

// planGrep opens the directory or the file.
func (c Config) planGrep(_ context.Context, call tools.Call) (tools.Plan, error) {
	var args grepArgs
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	g, err := args.grepping()
	if err != nil {
		return nil, err
	}
	if g.place, err = c.place(cmp.Or(args.Path, ".")); err != nil {
		return nil, err
	}
	dir, failure := c.openFolder(g.place)
	if errors.Is(failure, syscall.ENOTDIR) {
		file, failure := c.open(g.place)
		run := func(context.Context) (string, error) { return g.file(file) }
		return &plan{access: g.place.access(), failure: failure, run: run, close: func() { file.Close() }}, nil
	}
	run := func(ctx context.Context) (string, error) { return g.in(ctx, dir, c) }
	return &plan{access: g.place.access(), failure: failure, run: run, close: dir.Close}, nil
}

func (a grepArgs) grepping() (g grepping, err error) {
	if a.Pattern == "" {
		return g, errors.New("pattern is empty; it would match every line")
	}
	if a.ContextLines < 0 || a.ContextLines > maxGrepContext {
		return g, fmt.Errorf("context_lines is %d; it must be 0 to %d", a.ContextLines, maxGrepContext)
	}
	switch a.Output {
	case "", outputContent:
		g.output, g.wanted.context = outputContent, a.ContextLines
	case outputFiles, outputCount:
		g.output = a.Output
	default:
		return g, fmt.Errorf("output is %q; it can be %s, %s or %s", a.Output, outputContent, outputFiles, outputCount)
	}
	if g.most, err = or(a.MaxResults, "max_results", 50); err != nil {
		return g, err
	}
	g.most = min(g.most, maxGrepResults)
	g.wanted.most = g.most + 1
	if g.output == outputFiles {
		g.wanted.most = 1
	}
	g.wanted.counts = g.output == outputCount
	if a.FilePattern != "" {
		if !strings.Contains(a.FilePattern, "/") {
			a.FilePattern = "**/" + a.FilePattern
		}
		if g.files, err = glob.Compile(a.FilePattern); err != nil {
			return g, fmt.Errorf("file_pattern: %w", err)
		}
	}
	g.wanted.matcher, err = newMatcher(a.Pattern, a.IgnoreCase)
	return g, err
}

func (g grepping) file(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	s := &searcher{wanted: g.wanted}
	found, err := s.search(f, info.Size(), true)
	if err != nil {
		return "", g.place.explain("search", err)
	}
	found.path = g.place.named
	answer := grepAnswer{grepping: g}
	answer.unread.searched = 1
	answer.unread.stopped = found.isLate
	answer.add(found)
	return answer.String(), nil
}

type grepAnswer struct {
	grepping
	unread  unread
	text    strings.Builder
	results int
	isFull  bool // there is more
	last    int  // the number of the last line of the file
}

// add adds what was found in a file. It reports whether there is room for more.
func (a *grepAnswer) add(found searched) bool {
	switch {
	case found.matches == 0:
		return true
	case a.output == outputContent:
		a.addLines(found)
	case a.results == a.most:
		a.isFull = true
	default:
		a.results++
		writePath(&a.text, found.path)
		if a.output == outputCount {
			fmt.Fprintf(&a.text, ":%d", found.matches)
		}
		a.text.WriteByte('\n')
	}
	a.isFull = a.isFull || a.text.Len() >= maxGrepOutput
	return !a.isFull
}

func (a *grepAnswer) addLines(found searched) {
	a.last = -1
	for _, line := range found.lines {
		if line.isMatch && a.results == a.most || a.text.Len() >= maxGrepOutput {
			a.isFull = true
			return
		}
		if a.wanted.context > 0 && line.number != a.last+1 && a.text.Len() > 0 {
			a.text.WriteString("--\n")
		}
		a.last = line.number
		mark := "-"
		if line.isMatch {
			mark = ":"
			a.results++
		}
		writePath(&a.text, found.path)
		fmt.Fprintf(&a.text, "%s%d%s%s\n", mark, line.number, mark, line.text)
	}
}

func (a *grepAnswer) String() string {
	switch {
	case a.isFull && a.results == a.most:
		fmt.Fprintf(&a.text, "[there are more than %d; use a narrower pattern or path, or a larger max_results]\n", a.most)
	case a.isFull:
		a.text.WriteString("[there are more, but this has 1 MiB; use a narrower pattern or path]\n")
	case a.results == 0:
		fmt.Fprintf(&a.text, "[no line matches in %s]\n", files(a.unread.searched))
	}
	return a.text.String() + a.unread.remarks()
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
