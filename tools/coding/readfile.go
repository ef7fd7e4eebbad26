package coding

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/dustin/go-humanize"

	"github.com/chibi-host/chibi/tools"
)

type readArgs struct {
	Path   string `json:"path"`
	Offset *int   `json:"offset"`
	Limit  *int   `json:"limit"`
}

// standardLimit is how many lines read_file returns if the call does not say.
const standardLimit = 2000

func readFile(c Config) tools.Tool {
	return tool{
		spec: tools.Spec{
			Name: "read_file", Kind: tools.Coding, Category: tools.CategoryRead, Subject: "path", Parallel: true,
			Description: "Read a text file. Each line is preceded by its number and a tab, which are not part of the file.",
			Parameters: object([]string{"path"},
				property("path", "string", "the path of the file; a relative one starts at the project root"),
				property("offset", "integer", "the number of the first line", `"default":1`, `"minimum":1`),
				property("limit", "integer", "how many lines", `"default":2000`, `"minimum":1`)),
		},
		plan: c.planRead,
	}
}

// planRead opens the file.
func (c Config) planRead(_ context.Context, call tools.Call) (tools.Plan, error) {
	var args readArgs
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	p, err := c.place(args.Path)
	if err != nil {
		return nil, err
	}
	offset, err := or(args.Offset, "offset", 1)
	if err != nil {
		return nil, err
	}
	limit, err := or(args.Limit, "limit", standardLimit)
	if err != nil {
		return nil, err
	}
	f, failure := c.open(p)
	run := func(ctx context.Context) (string, error) {
		return reading{place: p, call: call, offset: offset, limit: limit}.in(ctx, f, c.Reads)
	}
	return &plan{access: p.access(), failure: failure, run: run, close: func() { f.Close() }}, nil
}

type reading struct {
	place         place
	call          tools.Call
	offset, limit int
}

// in reads the lines of a file, and remembers what the model has read then.
func (r reading) in(ctx context.Context, f *os.File, reads *Reads) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	beginning := make([]byte, binaryPrefix)
	n, err := f.ReadAt(beginning, 0)
	if err != nil && err != io.EOF {
		return "", r.place.explain("read", err)
	}
	if isBinary(beginning[:n]) {
		return "", fmt.Errorf("%s is a binary file of %s bytes: there are NUL bytes in its first 8 KiB, and it is not shown",
			r.place.named, humanize.Comma(info.Size()))
	}
	hash := sha256.New()
	var content io.Reader = f
	if info.Size() <= maxEdited {
		content = io.TeeReader(f, hash)
	}
	text, err := r.read(ctx, content)
	if err != nil {
		return "", err
	}
	if rest, err := io.Copy(io.Discard, io.LimitReader(content, maxEdited+1)); err == nil && rest <= maxEdited {
		reads.remember(r.call.Context, r.place.real, [sha256.Size]byte(hash.Sum(nil)))
	}
	return text, nil
}
