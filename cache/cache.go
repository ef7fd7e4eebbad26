// Package cache keeps tool outputs that are too large to show to a model, in the
// layout of the original chibi: ID.cache holds the output as the tool wrote it,
// ID.meta.json describes it. ID.index.json is ours: where lines begin.
//
// What it promises:
//
//   - An output is taken from a file without reading it into memory; memory
//     stays small whatever its size.
//   - Ids are unique, and safe as file names whatever the tool is called. An id
//     that is not one finds nothing: it never becomes a path.
//   - What is read was verified: an entry that is damaged, or lacks a part, is
//     [ErrNotFound].
//   - A crash leaves an entry or what [Cache.Clean] removes.
//
// Several processes may use one folder at once. A Cache is safe for concurrent
// use.
package cache

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// ErrNotFound says that there is no such entry, or that it is damaged.
var ErrNotFound = errors.New("not found")

// Cache is a folder of outputs.
type Cache struct {
	dir string
	fs  disk.FS
	now func() time.Time
}

// Open opens a folder, which need not exist. It writes nothing.
func Open(dir string) *Cache { return &Cache{dir: dir, fs: disk.OS{}, now: time.Now} }

// Dir is the folder.
func (c *Cache) Dir() string { return c.dir }

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
	// Bytes is the size of the file. SHA256 is of its content.
	Bytes  int64  `json:"byte_count"`
	SHA256 string `json:"sha256"`
	// Binary says that the output is not valid UTF-8. It is kept as it is.
	Binary bool `json:"binary,omitempty"`
}

// Time is when the output was cached.
func (e Entry) Time() time.Time { return time.Unix(e.Timestamp, 0) }

// Put takes a file that lies in the cache's folder, see [Cache.Spool], as a
// tool's output. The file is moved, not copied. Content comes first, then what
// describes it, so that an entry is whole when it can be seen.
func (c *Cache) Put(tool string, arguments []byte, file string) (Entry, error) {
	e, err := c.put(tool, arguments, file)
	if err != nil {
		return e, fmt.Errorf("caching the output of %q: %w", tool, err)
	}
	return e, nil
}

func (c *Cache) put(tool string, arguments []byte, file string) (Entry, error) {
	id, hash, err := c.newID(tool, arguments)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{ID: id, Tool: tool, Timestamp: c.now().Unix(), ArgsHash: hash}
	if err := disk.Sync(file); err != nil {
		return e, err
	}
	if err := disk.Move(c.fs, file, c.contentFile(id)); err != nil {
		return e, err
	}
	index, err := scan(c.contentFile(id))
	if err != nil {
		return e, err
	}
	e.Chars, e.Lines, e.Bytes, e.SHA256, e.Binary = index.chars, index.Lines, index.Size, index.sum, index.binary
	e.Tokens = e.Chars / 4
	if err := c.writeJSON(c.indexFile(id), index); err != nil {
		return e, err
	}
	return e, c.writeJSON(c.metaFile(id), e)
}

// Spool makes an empty file in the folder for an output that is about to be
// written, and may be Put later. Only its owner can read it.
func (c *Cache) Spool() (*os.File, error) {
	if err := disk.MkdirAll(c.fs, c.dir, 0o700); err != nil {
		return nil, err
	}
	return disk.CreateTemp(c.dir, disk.SpoolPrefix+"*")
}

// Write makes a file in the folder with a text, to be Put.
func (c *Cache) Write(text string) (path string, err error) {
	f, err := c.Spool()
	if err != nil {
		return "", fmt.Errorf("caching: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		disk.Discard(f.Name())
		return "", fmt.Errorf("caching: %w", err)
	}
	return f.Name(), nil
}

// maxMeta bounds the files that describe an entry, in bytes.
const maxMeta = 64 << 20

// Path is the file with an entry's content, for programs that read it.
func (c *Cache) Path(id string) string { return c.contentFile(id) }

func (c *Cache) contentFile(id string) string { return filepath.Join(c.dir, id+".cache") }
func (c *Cache) metaFile(id string) string    { return filepath.Join(c.dir, id+".meta.json") }
func (c *Cache) indexFile(id string) string   { return filepath.Join(c.dir, id+".index.json") }

func (c *Cache) writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return disk.Replace(c.fs, path, append(data, '\n'), 0o600)
}

// newID is TOOL_SECONDS_HASH. Some randomness goes into the hash, so that calls
// within a second differ.
func (c *Cache) newID(tool string, arguments []byte) (id, argsHash string, err error) {
	sum := sha256.Sum256(arguments)
	argsHash = hex.EncodeToString(sum[:8])
	salt := make([]byte, 8)
	if _, err := rand.Read(salt); err != nil {
		return "", "", err
	}
	mixed := sha256.Sum256(append(salt, arguments...))
	return fmt.Sprintf("%s_%x_%x", safeName(tool), c.now().Unix(), mixed[:4]), argsHash, nil
}

// safeName makes a tool's name, which the model's server may have made up, the
// beginning of a file name.
func safeName(tool string) string {
	name := strings.Map(func(r rune) rune {
		if isNameRune(r) {
			return r
		}
		return '-'
	}, tool)
	if len(name) > 64 {
		name = name[:64]
	}
	if name == "" {
		name = "tool"
	}
	return name
}

func isNameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_'
}

// validID reports whether an id can be one: nothing else is looked for on disk.
func validID(id string) bool {
	return id != "" && len(id) <= 200 && !strings.ContainsFunc(id, func(r rune) bool { return !isNameRune(r) })
}

// Entry describes one entry. The error is ErrNotFound, with the id.
func (c *Cache) Entry(id string) (Entry, error) {
	var e Entry
	if !validID(id) {
		return e, notFound(id)
	}
	data, err := disk.ReadFile(c.fs, c.metaFile(id), maxMeta)
	if err != nil || strictjson.Decode(data, &e) != nil || e.ID != id {
		return Entry{}, notFound(id)
	}
	if e.SHA256 == "" { // the original counts bytes, and calls them characters
		e.Bytes = int64(e.Chars)
	}
	return e, nil
}

func notFound(id string) error {
	if len(id) > 80 {
		id = id[:80] + "..."
	}
	return fmt.Errorf("cached output %q: %w", id, ErrNotFound)
}

// List lists the entries, the newest first.
func (c *Cache) List() ([]Entry, error) {
	names, err := c.fs.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing cached outputs: %w", err)
	}
	var list []Entry
	for _, n := range names {
		if id, ok := strings.CutSuffix(n.Name(), ".meta.json"); ok {
			if e, err := c.Entry(id); err == nil {
				list = append(list, e)
			}
		}
	}
	slices.SortFunc(list, func(a, b Entry) int {
		if a.Timestamp != b.Timestamp {
			return int(min(1, max(-1, b.Timestamp-a.Timestamp)))
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// Clear removes everything.
func (c *Cache) Clear() error {
	if err := c.fs.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("clearing the cache: %w", err)
	}
	return nil
}
