// Package mcplists remembers what MCP servers offer, in mcp-tools.json of a home, so that a
// run can offer their tools to its model without starting them. Servers can answer everything
// in the file again, so it can be removed at any time.
//
// It promises that a list counts only for a server that is still reached in the same way, that
// a damaged file or entry has the effect of a missing one, and that the file keeps everything
// that several processes find out at the same time. A [Memory] is safe for concurrent use.
package mcplists

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools/mcp"
)

// Name is the name of the file in the home.
const Name = "mcp-tools.json"

// version is the version of its format.
const version = 1

// The bounds of the file and of what is remembered of one server, in bytes.
const (
	maxFile  = 32 << 20
	maxEntry = 4 << 20
)

const (
	// Fresh is how long a list counts before chibi asks for it again.
	Fresh = 24 * time.Hour
	// Patience is how long chibi leaves out a server that did not answer.
	Patience = 10 * time.Minute
	// again is the time after which chibi asks such a server in the background.
	again = time.Minute
	// kept is how long an entry is kept that no run has renewed.
	kept = 30 * 24 * time.Hour
)

// Entry is the memory of one server.
type Entry struct {
	// List is the server's last answer; nil: it never answered.
	List *mcp.List `json:"list,omitempty"`
	// Failure says why it did not answer after that, at the time of Failed; "": it did.
	Failure string    `json:"failure,omitempty"`
	Failed  time.Time `json:"failed,omitzero"`
}

// IsOld reports whether the server should be asked again, when there is time for it.
func (e Entry) IsOld(now time.Time) bool {
	if e.Failure != "" {
		return older(e.Failed, now, again)
	}
	return e.List == nil || older(e.List.Asked, now, Fresh)
}

// IsLeftOut reports whether nobody should wait for the server: it never answered, and could
// not be asked a short while ago.
func (e Entry) IsLeftOut(now time.Time) bool {
	return e.List == nil && e.Failure != "" && !older(e.Failed, now, Patience)
}

// older reports whether a time is longer ago than d. One in the future is: the clock was set.
func older(at, now time.Time, d time.Duration) bool { return now.Sub(at) >= d || at.After(now) }

// last is the time of the last question to the server.
func (e Entry) last() time.Time {
	if e.List != nil && e.List.Asked.After(e.Failed) {
		return e.List.Asked
	}
	return e.Failed
}

// file is the content of the file. Its entries are decoded when they are needed.
type file struct {
	Version int                        `json:"version"`
	Servers map[string]json.RawMessage `json:"servers"` // by fingerprint
}

// Memory is what a home remembers of servers.
type Memory struct {
	path string

	mu      sync.Mutex
	stored  map[string]json.RawMessage
	changed map[string]json.RawMessage // what was found out since
	decoded map[string]Entry           // those that were asked for
}

// Open reads what a home remembers. It forgets entries that it cannot read.
func Open(home string) *Memory {
	m := &Memory{path: filepath.Join(home, Name), changed: map[string]json.RawMessage{}, decoded: map[string]Entry{}}
	data, err := disk.ReadDerived(disk.OS{}, m.path, maxFile)
	if err == nil {
		m.stored = parse(data).Servers
	}
	return m
}

// parse reads the text of a file; it is empty if it cannot be used.
func parse(data []byte) (f file) {
	if strictjson.Decode(data, &f) != nil || f.Version != version || f.Servers == nil {
		return file{Version: version, Servers: map[string]json.RawMessage{}}
	}
	return f
}

// Find returns what is remembered of a server. The caller does not change it.
func (m *Memory) Find(server mcp.Server) (e Entry, ok bool) {
	key := server.Fingerprint()
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok = m.decoded[key]; ok {
		return e, true
	}
	raw, ok := m.changed[key]
	if !ok {
		raw, ok = m.stored[key]
	}
	if !ok || strictjson.Decode(raw, &e) != nil || e.List != nil && e.List.Fingerprint != key {
		return Entry{}, false
	}
	m.decoded[key] = e
	return e, true
}

// Answered remembers what a server offers. The error means that it is too much.
func (m *Memory) Answered(server mcp.Server, list mcp.List) error {
	list.Fingerprint = server.Fingerprint()
	return m.put(server, Entry{List: &list})
}

// Failed remembers that a server could not be asked. What it offered before stays.
func (m *Memory) Failed(server mcp.Server, why error, at time.Time) {
	e, _ := m.Find(server)
	e.Failure, e.Failed = why.Error(), at
	_ = m.put(server, e) // it was not too much before
}

// put remembers an entry until [Memory.Save].
func (m *Memory) put(server mcp.Server, e Entry) error {
	raw, err := strictjson.Encode(e)
	if err != nil {
		return err
	}
	if len(raw) > maxEntry {
		return fmt.Errorf("the descriptions of its tools have %d bytes, at most %d are allowed", len(raw), maxEntry)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed[server.Fingerprint()] = raw
	delete(m.decoded, server.Fingerprint())
	return nil
}

// Save writes new findings, if there are any, into the file as it is by now. A home that
// cannot be written to is not an error: chibi then asks its servers each time.
func (m *Memory) Save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.changed) == 0 {
		return nil
	}
	err := jsonfile.Rewrite(jsonfile.File{Path: m.path, Max: maxFile}, func(text []byte) ([]byte, error) {
		f := parse(text)
		maps.Copy(f.Servers, m.changed)
		m.stored = f.Servers
		trim(f.Servers, time.Now())
		return strictjson.Encode(f)
	})
	if err == nil || disk.IsReadOnly(err) {
		clear(m.changed)
		return nil
	}
	return fmt.Errorf("chibi cannot store the tools of MCP servers, so it asks each server every time: %w", err)
}

// trim removes entries that nobody has renewed for long, then the oldest ones, until the file
// is not too large.
func trim(entries map[string]json.RawMessage, now time.Time) {
	last, size := map[string]time.Time{}, 0
	for key, raw := range entries {
		var e Entry
		if strictjson.Decode(raw, &e) != nil || older(e.last(), now, kept) {
			delete(entries, key)
			continue
		}
		last[key] = e.last()
		size += len(key) + len(raw) + len(`"":,`)
	}
	oldestFirst := slices.SortedFunc(maps.Keys(last), func(a, b string) int { return last[a].Compare(last[b]) })
	for _, key := range oldestFirst {
		if size <= maxFile-1024 {
			return
		}
		size -= len(key) + len(entries[key]) + len(`"":,`)
		delete(entries, key)
	}
}
