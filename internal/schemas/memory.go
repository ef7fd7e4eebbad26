// Package schemas remembers what plugins answered when they were asked for their schema, or
// Kodelet's hooks for their event, so that a start does not start them all.
//
// What it promises: an answer is used only while the file that gave it is the same, by
// [fileid.ID], if it did not change while it was asked nor shortly before, and if its file
// system reports changes reliably. An answer that is seen to change although its file is
// the same is never used again. A plugin that failed is skipped for ten minutes, unless its
// file changes or its failure may block. The memory keeps which plugins said that their failure
// blocks, until they say otherwise or the person deletes or disables them. If the memory
// is missing, damaged, of another version, too large or another user's, plugins are asked. It
// holds answers as they were printed, because how they are read may change.
//
// The file is replaced as a whole under a lock, without waiting for the disk. A run that cannot
// get the lock soon writes without it: of two writers, the last one wins.
package schemas

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// FailurePeriod is how long a plugin that failed is skipped.
const FailurePeriod = 10 * time.Minute

const (
	// oldAfter is the age from which an answer is checked again.
	oldAfter = 10 * time.Minute
	// failedFor is the age from which a failure is checked again.
	failedFor = time.Minute
	// enough is how many checks an answer needs before it is only checked when it is old.
	enough = 3
)

// Use says what is remembered.
type Use string

// The values of plugins.schema_cache.
const (
	// On remembers failures, and answers where the file system allows it.
	On Use = "on"
	// Off remembers nothing.
	Off Use = "off"
	// Always remembers failures, and answers on every file system.
	Always Use = "always"
)

// Options specifies how a memory is used.
type Options struct {
	// Use says what is remembered; "": On.
	Use Use
	// AskAgain uses no remembered answer, and remembers the new answers.
	AskAgain bool
	// Elsewhere is set if plugins get another home: their answers are not
	// remembered, because they may be different there, and of failures only hangs.
	Elsewhere bool
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Stable reports whether the file system of a file reports changes reliably; nil:
	// fileid.Stable.
	Stable func(path string) bool
}

// Memory is the memory of a home. It implements [oneshot.Memory].
type Memory struct {
	path  string
	opts  Options
	isNew bool // there was no file

	mu      sync.Mutex
	stored  file
	entries map[key]*entry // decoded or changed; nil: there is none
	changed map[key]bool
	asked   map[key]bool // in this run
	stable  map[uint64]bool
	guards  map[string]map[string]bool // by folder: names to add to them (true), or to remove
}

var _ oneshot.Memory = (*Memory)(nil)

// Open reads the memory of a home. If it cannot be used, it is empty.
func Open(home string, opts Options) *Memory {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Stable == nil {
		opts.Stable = fileid.Stable
	}
	m := &Memory{path: filepath.Join(home, name), opts: opts, entries: map[key]*entry{}, changed: map[key]bool{},
		asked: map[key]bool{}, stable: map[uint64]bool{}, guards: map[string]map[string]bool{}}
	_, err := os.Lstat(m.path)
	m.isNew = err != nil
	m.stored = read(m.path)
	return m
}

// entry is what is remembered of one plugin.
type entry struct {
	ID       fileid.ID      `json:"id"`
	Folder   *fileid.Folder `json:"folder"`
	Stdout   string         `json:"stdout"`
	ProbedAt time.Time      `json:"probed_at"`
	TookMS   int64          `json:"took_ms"`
	Checks   int            `json:"checks"`
	Volatile bool           `json:"volatile"`
	Differed bool           `json:"differed,omitempty"` // it was seen to change
	Error    string         `json:"error"`
	WaitedMS int64          `json:"waited_ms,omitempty"`
}

// of reports whether the entry is about the file in its present state.
func (e *entry) of(now identity) bool {
	if e.ID != now.id || (e.Folder == nil) != (now.folder == nil) {
		return false
	}
	return e.Folder == nil || *e.Folder == *now.folder
}

// identity identifies a plugin: its file and, if it has one, its directory.
type identity struct {
	id     fileid.ID
	folder *fileid.Folder
}

func (i identity) settled(at time.Time) bool {
	return i.id.Settled(at) && (i.folder == nil || i.folder.Settled(at))
}

func identify(f oneshot.File) (now identity, err error) {
	if f.Info != nil {
		now.id = fileid.Of(f.Info)
	} else if now.id, err = fileid.Stat(f.Path); err != nil {
		return now, err
	}
	if f.Folder == "" {
		return now, nil
	}
	folder, err := fileid.Contents(f.Folder)
	now.folder = &folder
	return now, err
}

// Recall returns what is remembered of a plugin, if it may be used instead of asking it.
func (m *Memory) Recall(f oneshot.File) (oneshot.Known, bool) {
	e := m.find(f)
	if e == nil || m.opts.AskAgain || m.opts.Use == Off {
		return oneshot.Known{}, false
	}
	now, err := identify(f)
	age := m.opts.Now().Sub(e.ProbedAt)
	if err != nil || age < 0 || !e.of(now) {
		return oneshot.Known{}, false
	}
	known := oneshot.Known{Age: age, Checks: e.Checks, Until: e.ProbedAt.Add(FailurePeriod), Answer: oneshot.Answer{
		Stdout: []byte(e.Stdout), Failure: e.Error, Waited: time.Duration(e.WaitedMS) * time.Millisecond}}
	if e.Error != "" {
		return known, age < FailurePeriod
	}
	return known, !e.Volatile && m.remembers(f, now)
}

// remembers reports whether answers of a plugin are remembered.
func (m *Memory) remembers(f oneshot.File, now identity) bool {
	if m.opts.Elsewhere || m.opts.Use == Always {
		return !m.opts.Elsewhere
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	stable, known := m.stable[now.id.Dev]
	if !known {
		stable = m.opts.Stable(f.Path)
		m.stable[now.id.Dev] = stable
	}
	return stable
}

// Begin is called right before a question to a plugin; remember is called with its answer.
func (m *Memory) Begin(f oneshot.File) (remember func(oneshot.Answer) oneshot.Effect) {
	if m.opts.Use == Off {
		return func(oneshot.Answer) oneshot.Effect { return oneshot.Effect{} }
	}
	begun := m.opts.Now()
	m.find(f)
	before, err := identify(f)
	return func(a oneshot.Answer) oneshot.Effect {
		f.Info = nil
		after, lost := identify(f)
		if err != nil || lost != nil || !(&entry{ID: before.id, Folder: before.folder}).of(after) {
			return oneshot.Effect{}
		}
		e := &entry{ID: before.id, Folder: before.folder, ProbedAt: begun.UTC().Round(0), TookMS: a.Took.Milliseconds(),
			Stdout: string(a.Stdout), Error: a.Failure, WaitedMS: a.Waited.Milliseconds(), Volatile: a.Never}
		if a.Failure != "" {
			e.ProbedAt = m.opts.Now().UTC().Round(0)
			return m.rememberFailure(f, e, before.settled(begun))
		}
		return m.rememberAnswer(f, e, before.settled(begun) && m.remembers(f, before))
	}
}

// rememberFailure remembers that a plugin failed, unless it may be a guard. One that hung
// took so long that a change of its file would have been noticed.
func (m *Memory) rememberFailure(f oneshot.File, e *entry, settled bool) oneshot.Effect {
	before, isHang := m.find(f), e.WaitedMS != 0
	if !isHang && (!settled || m.opts.Elsewhere) || mayBlock(f) {
		m.Forget(f)
		return oneshot.Effect{}
	}
	if before != nil && before.of(identity{e.ID, e.Folder}) {
		e.Volatile, e.Differed = before.Volatile, before.Differed
	}
	m.put(keyOf(f), e)
	return oneshot.Effect{Until: e.ProbedAt.Add(FailurePeriod)}
}

// rememberAnswer remembers an answer, if that is allowed and it is new.
func (m *Memory) rememberAnswer(f oneshot.File, e *entry, allowed bool) (effect oneshot.Effect) {
	before := m.find(f)
	if !allowed || len(e.Stdout) > maxStdout || !utf8.ValidString(e.Stdout) {
		if before != nil && before.Error != "" {
			m.Forget(f)
		}
		return effect
	}
	if before != nil && before.of(identity{e.ID, e.Folder}) {
		isSame := before.Error == "" && before.Stdout == e.Stdout
		effect.Changed = before.Error == "" && !isSame && !before.Volatile
		if isSame {
			e.Checks = before.Checks + 1
		}
		if before.Error == "" && before.Volatile || isSame && before.Checks >= enough && !before.isOld(m.opts.Now()) {
			return effect
		}
		e.Volatile = e.Volatile || before.Volatile || effect.Changed
		e.Differed = before.Differed || effect.Changed
	}
	m.put(keyOf(f), e)
	return effect
}

// isOld reports whether an answer needs a check because of its age.
func (e *entry) isOld(now time.Time) bool {
	age := now.Sub(e.ProbedAt)
	return age < 0 || age >= oldAfter
}

// Due reports whether a plugin's remembered answer needs a check.
func (m *Memory) Due(f oneshot.File) oneshot.Due {
	e := m.find(f)
	switch {
	case m.opts.Use == Off || m.opts.Elsewhere || e == nil || e.Volatile:
	case e.Error != "":
		if m.opts.Now().Sub(e.ProbedAt) >= failedFor {
			return oneshot.Failed
		}
	case e.Checks < enough:
		return oneshot.Unconfirmed
	case e.isOld(m.opts.Now()):
		return oneshot.Old
	}
	return oneshot.NotDue
}

// Forget makes a plugin be asked again.
func (m *Memory) Forget(f oneshot.File) {
	e := m.find(f)
	if e == nil || m.opts.Use == Off || e.Volatile && e.Error == "" { // such an answer is never used
		return
	}
	m.put(keyOf(f), nil)
}

func (m *Memory) put(k key, e *entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[k], m.changed[k] = e, true
}

// find returns the entry of a plugin; nil: there is none.
func (m *Memory) find(f oneshot.File) *entry {
	k := keyOf(f)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[k] = true
	if e, known := m.entries[k]; known {
		return e
	}
	var e *entry
	if raw := m.stored.table(k)[k.path]; raw != nil {
		e = decode(raw)
	}
	m.entries[k] = e
	return e
}

// decode reads an entry; nil: it cannot be read.
func decode(raw json.RawMessage) *entry {
	var e entry
	if strictjson.Decode(raw, &e) != nil {
		return nil
	}
	return &e
}
