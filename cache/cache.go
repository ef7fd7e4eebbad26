// Package cache keeps tool outputs that are too large to show to a model.
// [Files] keeps them in a directory, [Memory] in memory; package cachetest holds
// what every [Cache] does.
//
// What it promises:
//
//   - An output is taken from a file without reading it into memory; memory
//     stays small whatever its size. [Memory] refuses what exceeds its bound.
//   - Ids are unique, and safe as file names whatever the tool is called. An id
//     that is not valid finds nothing: it never becomes a path.
//   - What is read was verified: an entry that is damaged, or lacks a part, is
//     [ErrNotFound].
//   - A crash leaves an entry or what Clean removes.
//
// A Cache is safe for concurrent use. Several processes may use one directory at
// once.
package cache

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/chibi-host/chibi/internal/clip"
)

var (
	// ErrNotFound says that there is no such entry, or that it is damaged.
	ErrNotFound = errors.New("not found")
	// ErrTooLarge says that an output exceeds what a cache may hold. Nothing was
	// kept.
	ErrTooLarge = errors.New("too large")
)

// Cache keeps the outputs of one conversation.
type Cache interface {
	Saver
	Browser
	Cleaner
	// SpillFile makes an empty file for an output that is about to be written and
	// may be given to PutFile. Only its owner can read it.
	SpillFile() (*os.File, error)
}

// Saver saves outputs and reads them back, as an agent does that shows the model
// the beginning of each.
type Saver interface {
	// PutText saves a text as a tool's output.
	PutText(tool string, arguments []byte, text string) (Entry, error)
	// PutFile saves a file that SpillFile made. It may be moved away; whoever made
	// it removes what is left of it.
	PutFile(tool string, arguments []byte, path string) (Entry, error)
	// Open opens the content of an entry.
	Open(id string) (*Reader, error)
}

// Browser finds outputs and reads them, as the tools of a model and commands do.
type Browser interface {
	// List lists the entries, the newest first.
	List() ([]Entry, error)
	// Open opens the content of an entry.
	Open(id string) (*Reader, error)
}

// Cleaner removes outputs.
type Cleaner interface {
	// Clean removes entries beyond the limits, and what crashes have left. It
	// returns how many entries it removed.
	Clean(limits Limits) (removed int, err error)
	// Clear removes everything.
	Clear() error
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
	// Binary says that the output is not valid UTF-8. It is kept as it is.
	Binary bool `json:"binary,omitempty"`
	// Path is a file with the content, for programs that read it; "": there is
	// none.
	Path string `json:"-"`
}

// Time is when the output was cached.
func (e Entry) Time() time.Time { return time.Unix(e.Timestamp, 0) }

// newEntry describes an output that is new.
func newEntry(tool string, arguments []byte) (Entry, error) {
	now := time.Now().Unix()
	id, hash, err := newID(tool, arguments, now)
	return Entry{ID: id, Tool: tool, Timestamp: now, ArgsHash: hash}, err
}

// measured is an entry with what a scan of its content found.
func (e Entry) measured(i Index) Entry {
	e.Chars, e.Lines, e.Bytes, e.SHA256, e.Binary = i.chars, i.Lines, i.Size, i.sum, i.binary
	e.Tokens = e.Chars / 4
	return e
}

// notFound is ErrNotFound with the id.
func notFound(id string) error {
	return fmt.Errorf("cached output %q: %w", clip.Text(id, 80), ErrNotFound)
}

// notSaved is the error of an output that could not be saved.
func notSaved(tool string, err error) error {
	if err != nil {
		err = fmt.Errorf("caching the output of %q: %w", tool, err)
	}
	return err
}
