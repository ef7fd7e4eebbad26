package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/tools"
)

// Files specifies what the file tools may read.
type Files struct {
	// Cache holds the outputs that cache_id names.
	Cache cache.Browser
	// Allowed are directories and files that path may name; none: no files. A
	// leading ~ is the person's home directory, Home.
	Allowed []string
	Home    string
	// Private is chibi's home: its files with keys, settings and approvals are
	// never read, whatever Allowed says.
	Private string
	// MayRead reports whether permission rules leave a file open to these tools, by its path
	// without links; nil: all.
	MayRead func(real string) bool
}

const (
	// maxPiece bounds the output of a file tool, in bytes.
	maxPiece    = 16 << 10
	maxGrepTime = 20 * time.Second
)

// fileTool is one of the tools that read cached outputs and files.
type fileTool struct {
	name, description string
	parameters        string // in addition to cache_id and path
	required          string
	files             Files
	run               func(ctx context.Context, t *cache.Reader, args fileArgs) (string, error)
}

type fileArgs struct {
	CacheID       string `json:"cache_id"`
	Path          string `json:"path"`
	Lines         *int   `json:"lines"`
	Start         *int   `json:"start"`
	End           *int   `json:"end"`
	Pattern       string `json:"pattern"`
	ContextBefore *int   `json:"context_before"`
	ContextAfter  *int   `json:"context_after"`
}

// fileTools lists the file tools in the order of the original chibi, with its names,
// parameters and error texts.
func fileTools(files Files) []tools.Tool {
	lines := `,"lines":{"type":"integer","default":50,"description":"how many lines"}`
	return []tools.Tool{
		fileTool{name: "file_head", description: "Show the first lines of a cached output or a file.", parameters: lines,
			files: files, run: head},
		fileTool{name: "file_tail", description: "Show the last lines of a cached output or a file.", parameters: lines,
			files: files, run: tail},
		fileTool{name: "file_lines", description: "Show a range of lines of a cached output or a file.", files: files,
			run: between, required: `,"required":["start","end"]`,
			parameters: `,"start":{"type":"integer","description":"the first line, from 1"},"end":{"type":"integer",` +
				`"description":"the last line"}`},
		fileTool{name: "file_grep", description: "Search a cached output or a file for a regular expression (RE2), line by " +
			"line.", files: files, run: grep, required: `,"required":["pattern"]`,
			parameters: `,"pattern":{"type":"string"},"context_before":{"type":"integer","default":2},` +
				`"context_after":{"type":"integer","default":2}`},
		cacheList{files.Cache},
	}
}

func (f fileTool) Spec() tools.Spec {
	return tools.Spec{
		Name: f.name, Kind: tools.File, Parallel: true,
		Description: f.description + " Identify it by exactly one of cache_id and path.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"cache_id":{"type":"string",` +
			`"description":"the id of a cached output"},` +
			`"path":{"type":"string","description":"the path of a file"}` + f.parameters + `}` + f.required + `}`),
	}
}

func (f fileTool) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	var args fileArgs
	if err := call.Decode(&args); err != nil {
		return tools.ErrorResult(err), nil
	}
	t, err := f.files.open(ctx, args)
	if err != nil {
		return tools.ErrorResult(err), nil
	}
	defer t.Close()
	text, err := f.run(ctx, t, args)
	return tools.TextResult(ctx, text, err)
}

func (f Files) open(ctx context.Context, args fileArgs) (*cache.Reader, error) {
	switch {
	case args.CacheID != "" && args.Path != "":
		return nil, toolError("Provide either cache_id or path, not both")
	case args.CacheID != "":
		return f.Cache.Open(ctx, args.CacheID)
	case args.Path != "":
		file, err := f.openPath(args.Path)
		if err != nil {
			return nil, err
		}
		return cache.NewReader(file)
	}
	return nil, toolError("Must provide either cache_id or path")
}

// count returns how many lines are wanted; an invalid number means the default.
func (a fileArgs) count() int {
	if a.Lines == nil || *a.Lines < 0 {
		return 50
	}
	return *a.Lines
}

func head(_ context.Context, t *cache.Reader, args fileArgs) (string, error) {
	p, err := t.Head(args.count(), maxPiece)
	return continued(p), err
}

func tail(_ context.Context, t *cache.Reader, args fileArgs) (string, error) {
	p, err := t.Tail(args.count(), maxPiece)
	if p.Cut {
		return "[too long; only the end is shown]\n" + p.Text, err
	}
	return p.Text, err
}

func between(_ context.Context, t *cache.Reader, args fileArgs) (string, error) {
	switch {
	case args.Start == nil:
		return "", toolError("Missing 'start' parameter")
	case args.End == nil:
		return "", toolError("Missing 'end' parameter")
	case *args.Start < 1:
		return "", toolError("Line numbers are 1-indexed, start must be >= 1")
	case *args.End < *args.Start:
		return "", toolError("End line must be >= start line")
	}
	p, err := t.Lines(*args.Start, *args.End, maxPiece)
	if p.Last < *args.End {
		return continued(p), err
	}
	return p.Text, err
}

// continued returns a piece, with a note if it does not contain all that was asked for.
func continued(p cache.Lines) string {
	switch {
	case p.Cut:
		return fmt.Sprintf("%s\n[line %d is longer than can be shown]", p.Text, p.Last)
	case p.More && p.Last > 0:
		return fmt.Sprintf("%s\n[continue with file_lines, start=%d]", p.Text, p.Last+1)
	}
	return p.Text
}

func grep(ctx context.Context, t *cache.Reader, args fileArgs) (string, error) {
	if args.Pattern == "" {
		return "", toolError("Missing 'pattern' parameter")
	}
	pattern, err := regexp.Compile(args.Pattern)
	if err != nil {
		return "", toolErrorf("Invalid regex: %v", err)
	}
	search := cache.Search{Pattern: pattern, Before: 2, After: 2, MaxBytes: maxPiece}
	if args.ContextBefore != nil {
		search.Before = min(max(0, *args.ContextBefore), 100)
	}
	if args.ContextAfter != nil {
		search.After = min(max(0, *args.ContextAfter), 100)
	}
	limited, cancel := context.WithTimeout(ctx, maxGrepTime)
	defer cancel()
	found, err := t.Grep(limited, search)
	switch {
	case err != nil:
		return "", err
	case found.StoppedAt > 0:
		return strings.TrimSpace(fmt.Sprintf("%s\n[stopped at line %d after %d matches; continue with file_lines, or use "+
			"a narrower pattern]", found.Text, found.StoppedAt, found.Matches)), nil
	case found.Matches == 0:
		return "No matches found for pattern: " + args.Pattern, nil
	}
	return found.Text, nil
}

type cacheList struct{ cache cache.Browser }

func (cacheList) Spec() tools.Spec {
	return tools.Spec{
		Name: "cache_list", Kind: tools.File, Parallel: true,
		Description: "List the cached outputs of this conversation, the newest first.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{}}`),
	}
}

func (c cacheList) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	if err := call.Decode(&struct{}{}); err != nil {
		return tools.ErrorResult(err), nil
	}
	list, err := c.cache.List(ctx)
	if err != nil {
		return tools.ErrorResult(err), nil
	}
	if len(list) == 0 {
		return tools.Result{Text: "No cached outputs found."}, nil
	}
	var b strings.Builder
	b.WriteString("Cached tool outputs:\n")
	for _, e := range list {
		if b.Len() > maxPiece {
			b.WriteString("\n  [older outputs are not listed]\n")
			break
		}
		fmt.Fprintf(&b, "\n  %s (%s):\n    Tool: %s\n    Size: %d chars (~%d tokens), %d lines\n    Cached: %s\n",
			e.ID, e.Tool, e.Tool, e.Chars, e.Tokens, e.Lines, e.Time().UTC().Format(time.DateTime))
	}
	return tools.Result{Text: strings.TrimSuffix(b.String(), "\n")}, nil
}
