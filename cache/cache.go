// Package cache keeps tool outputs that are too large to show to a model. [Files]
// keeps them in a directory, [Shared] in a store of many machines; package cachetest tests
// what every [Cache] does.
//
// What it promises:
//
//   - [Files] takes an output from a file without reading it into memory, so memory
//     use does not depend on its size.
//   - Ids are unique, and safe as file names whatever the tool's name is. An id
//     that is not valid finds nothing: it is never used as a path.
//   - The content of an entry is verified before it is read: an entry that is damaged or incomplete is
//     [ErrNotFound].
//   - A crash leaves a complete entry, or files that Clean removes.
//
// Opening, listing and cleaning take a context.Context, for caches that are not on this machine;
// saving and clearing take none, so that Ctrl-C does not lose what has arrived.
//
// A Cache is safe for concurrent use. Several processes may use one directory at
// once.
package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
)

var (
	// ErrNotFound reports that there is no such entry, or that it is damaged.
	ErrNotFound = errors.New("not found")
	// ErrTooLarge reports that an output exceeds what a cache may hold. Nothing was
	// saved.
	ErrTooLarge = errors.New("too large")
)

// Cache keeps the outputs of one conversation. It is [Files] or [Shared]; code that only
// saves outputs takes a [Saver], code that only reads them a [Browser].
type Cache interface {
	Saver
	Browser
	// Clean removes entries beyond the limits, and leftovers of crashes, until ctx ends. It
	// returns how many entries it removed.
	Clean(ctx context.Context, limits Limits) (removed int, err error)
	// Clear removes everything.
	Clear() error
	// SpillFile makes an empty file for an output that is about to be written and
	// may be passed to PutFile. Only its owner can read it.
	SpillFile() (Spill, error)
	// take takes an output that another cache has, with its id.
	take(ctx context.Context, e Entry, content io.Reader) error
}

// Spill is a file that an output is written to. The caller closes it, and removes the
// file if it is still there. It is used by one goroutine.
type Spill interface {
	io.WriteCloser
	Spilled
}

// Spilled names the file of an output that was written.
type Spilled interface {
	// Name is the path of the file.
	Name() string
}

// Saver saves outputs and reads them back. An agent needs it to show the model the
// beginning of each output.
type Saver interface {
	// PutText saves a text as a tool's output.
	PutText(tool string, arguments []byte, text string) (Entry, error)
	// PutFile saves a file that SpillFile made, once it is closed. It may move the file;
	// the caller removes it if it is still there. A file of SpillFile may have been measured
	// while it was written; PutFile reads any other file.
	PutFile(tool string, arguments []byte, file Spilled) (Entry, error)
	// Open opens the content of an entry.
	Open(ctx context.Context, id string) (*Reader, error)
}

// Browser lists and reads outputs, for the model's tools and for commands.
type Browser interface {
	// List lists the entries, the newest first.
	List(ctx context.Context) ([]Entry, error)
	// Open opens the content of an entry.
	Open(ctx context.Context, id string) (*Reader, error)
}

// Entry describes a cached output.
type Entry struct {
	// ID names the entry: the tool, the time and a hash.
	ID string `json:"id"`
	// Tool is the tool that wrote the output.
	Tool string `json:"tool_name"`
	// Timestamp is in seconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// ArgsHash tells calls with different arguments apart.
	ArgsHash string `json:"args_hash"`
	// Chars, Tokens and Lines are the size of the text; tokens are estimated.
	Chars  int `json:"char_count"`
	Tokens int `json:"token_estimate"`
	Lines  int `json:"line_count"`
	// Bytes is the size of the content. SHA256 is of the content.
	Bytes  int64  `json:"byte_count"`
	SHA256 string `json:"sha256"`
	// Binary is true if the output is not valid UTF-8. It is kept unchanged.
	Binary bool `json:"binary,omitempty"`
	// Path is a file with the content, for programs that read it; "": there is
	// none.
	Path string `json:"-"`
}

// Time returns when the output was cached.
func (e Entry) Time() time.Time { return time.Unix(e.Timestamp, 0) }

func newEntry(tool string, arguments []byte) (Entry, error) {
	now := time.Now().Unix()
	id, hash, err := newID(tool, arguments, now)
	return Entry{ID: id, Tool: tool, Timestamp: now, ArgsHash: hash}, err
}

func (e Entry) measured(i lineIndex) Entry {
	e.Chars, e.Lines, e.Bytes, e.SHA256, e.Binary = i.chars, i.Lines, i.Size, i.sum, i.binary
	e.Tokens = e.Chars / 4
	return e
}

// notFound returns ErrNotFound with the id.
func notFound(id string) error {
	return fmt.Errorf("cached output %q: %w", clip.Text(id, 80), ErrNotFound)
}

// notSaved returns the error for an output that could not be saved.
func notSaved(tool string, err error) error {
	if err != nil {
		err = fmt.Errorf("caching the output of %q: %w", tool, err)
	}
	return err
}
