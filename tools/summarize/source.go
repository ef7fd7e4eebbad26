package summarize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chibi-host/chibi/cache"
	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/tools"
	"github.com/chibi-host/chibi/tools/coding"
	"github.com/chibi-host/chibi/tools/coding/fetch"
)

// The bounds of what is read of a source.
const (
	// bytesPerToken is how much is read for each token of the model's context window: few
	// texts have more than one token in two bytes, and the request has to fit with the answer.
	bytesPerToken = 2
	// maxBytes is the most that is read, however large the window is.
	maxBytes = 8 << 20
	// maxTime is how long a file or a cached output is read.
	maxTime = 20 * time.Second
	// binaryPrefix is the beginning where a NUL byte makes a binary file.
	binaryPrefix = 8 << 10
)

// bytesFor returns how much a model with a context window of so many tokens is given.
func bytesFor(window int) int { return min(window*bytesPerToken, maxBytes) }

type content struct {
	name string // for people and models
	text string
	// notes are what the caller should know about it.
	notes []string
}

type source interface {
	// access is what reading it does.
	access() tools.Access
	// read reads the beginning, at most so many bytes. An error is for the model.
	read(ctx context.Context, most int) (content, error)
	close()
}

type kind int

const (
	ofFile kind = iota
	ofURL
	ofCache
)

// kindOf returns what a source is, by its form alone. A source with a scheme is a URL, also if it
// cannot be fetched; a file whose name looks like a cache id can be named with ./ before it.
func kindOf(text string) kind {
	switch {
	case strings.Contains(text, "://"):
		return ofURL
	case cache.IsID(text):
		return ofCache
	}
	return ofFile
}

// source finds the source of a call. An error means that it cannot be one.
func (s summarizer) source(text string) (source, error) {
	switch kindOf(text) {
	case ofURL:
		page, err := fetch.PlanContent(s.Fetch, text)
		return web{page}, err
	case ofCache:
		return cached{s.Cache, text}, nil
	}
	opened, err := coding.Open(s.Files, text)
	return file{opened, text}, err
}

type file struct {
	opened coding.Opened
	named  string
}

func (f file) access() tools.Access { return f.opened.Access }
func (f file) close()               { f.opened.File.Close() }

func (f file) read(ctx context.Context, most int) (content, error) {
	if f.opened.Err != nil {
		return content{}, f.opened.Err
	}
	info, err := f.opened.File.Stat()
	if err != nil {
		return content{}, err
	}
	return text{name: f.named, size: info.Size(), from: f.opened.File}.read(ctx, most)
}

// cached is an output in the cache of the conversation.
type cached struct {
	cache cache.Browser
	id    string
}

func (cached) access() tools.Access { return tools.Access{} }
func (cached) close()               {}

func (c cached) read(ctx context.Context, most int) (content, error) {
	output, err := c.cache.Open(ctx, c.id)
	if err != nil {
		if errors.Is(err, cache.ErrNotFound) {
			err = fmt.Errorf("%w; cache_list lists the outputs of this conversation, and ./ before it names a file", err)
		}
		return content{}, err
	}
	defer output.Close()
	return text{name: c.id, size: output.Size(), from: output.Content()}.read(ctx, most)
}

// web is what a URL has.
type web struct{ page *fetch.Content }

func (w web) access() tools.Access { return w.page.Access() }
func (web) close()                 {}

func (w web) read(ctx context.Context, most int) (content, error) {
	page, err := w.page.Fetch(ctx)
	switch {
	case err != nil:
		return content{}, err
	case !page.IsText:
		return content{}, fmt.Errorf("%s is not text: it has the type %s; only text is summarized", page.URL, page.Type)
	}
	c := content{name: page.URL, text: page.Text, notes: page.Notes}
	c.cut(int64(len(page.Text)), most)
	return c, nil
}

type text struct {
	name string
	size int64
	from io.Reader
}

// read reads the beginning of a text.
func (t text) read(ctx context.Context, most int) (content, error) {
	data, err := readAll(ctx, io.LimitReader(t.from, int64(most)+utf8.UTFMax))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return content{}, fmt.Errorf("reading %s took longer than %v", t.name, maxTime)
	case err != nil:
		return content{}, fmt.Errorf("reading %s: %w", t.name, err)
	case bytes.IndexByte(data[:min(len(data), binaryPrefix)], 0) >= 0:
		return content{}, fmt.Errorf("%s is a binary file of %s: there are NUL bytes in its first 8 KiB; only text is "+
			"summarized", t.name, size(t.size))
	}
	c := content{name: t.name, text: string(data)}
	c.cut(max(t.size, int64(len(data))), most)
	c.mend()
	return c, nil
}

// readAll reads to the end, as long as there is time.
func readAll(ctx context.Context, from io.Reader) ([]byte, error) {
	until := time.Now().Add(maxTime)
	var all bytes.Buffer
	for {
		n, err := io.CopyN(&all, from, 256<<10)
		switch {
		case err == io.EOF:
			return all.Bytes(), nil
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case n > 0 && time.Now().After(until):
			return nil, os.ErrDeadlineExceeded
		}
	}
}

// cut leaves out what is behind the first so many bytes of a source of a size, and says so.
func (c *content) cut(whole int64, most int) {
	if len(c.text) <= most {
		return
	}
	c.text = clip.Bytes(c.text, most)
	c.notes = append(c.notes, fmt.Sprintf("the model read only the first %s of %s: its context window has room for no "+
		"more", size(int64(len(c.text))), size(whole)))
}

// mend replaces bytes that are not text.
func (c *content) mend() {
	if utf8.ValidString(c.text) && !strings.ContainsRune(c.text, 0) {
		return
	}
	c.text = strings.ReplaceAll(strings.ToValidUTF8(c.text, "\uFFFD"), "\x00", "\uFFFD")
	c.notes = append(c.notes, "bytes that are not UTF-8 text, or NUL, were read as U+FFFD")
}
