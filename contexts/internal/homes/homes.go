// Package homes keeps contexts where they survive: in a home's directory in the format of the
// original chibi ([Files]), or in a store that many machines share ([Shared]), with a directory for
// this machine's own files. Both are one package: a shared home also has files, which scripts
// know, and a state.json.
//
// docs/operating/STORAGE.md has its promises: a write that has returned survives a crash; the
// transcript is the truth, and everything that is derived from it is made again when in doubt.
package homes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/transcript"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/store"
)

// fileBackend keeps contexts as directories of a home.
type fileBackend struct {
	fileNames
	fileRegistry
	parts.WholeState
	fileLocks
	fileUpkeep
}

// Files keeps contexts in a home's directory, and returns the rest of that directory.
func Files(s *parts.Settings, home string, fs disk.FS) (parts.Backend, Host) {
	f := &fileHome{settings: s, home: home, fs: fs}
	whole := parts.WholeState{Settings: f.settings, Update: fileRegistry{f}.update}
	return fileBackend{fileNames{f}, fileRegistry{f}, whole, fileLocks{f}, fileUpkeep{f}}, Host{f}
}

func (b fileBackend) Parts(r *parts.Ref) parts.Keeper { return openFiles(b.fileNames.fileHome, r) }

// openFiles returns the parts of the context that r names.
func openFiles(home *fileHome, r *parts.Ref) parts.Keeper {
	c := &fileContext{Ref: r, home: home}
	t := &fileTranscript{fileContext: c, file: windowFile{c}}
	t.view = &viewFile{fileHome: home, ref: r}
	t.entries = entryLog{fileContext: c, log: transcript.New(transcript.Place{
		FS: home.fs, Dir: func() string { return c.path("transcript") },
		Bounds: func() transcript.Bounds { return transcript.Bounds(home.settings.Storage.WithDefaults()) },
		Now:    func() time.Time { return home.settings.Now() }, Report: parts.Reporter(home.settings),
	})}
	return parts.Keeper{Transcript: t, Views: &fileView{t.view, t}, Texts: c.texts(), Inbox: fileInbox{c},
		Lock: c.lock, Tape: fileTape{t}, Mender: fileMender{t}.mender()}
}

// Shared keeps contexts in the store of an engine, and this machine's own files in a home's directory.
func Shared(s *parts.Settings, e *store.Engine, home string) parts.Backend {
	h := &sharedHome{settings: s, engine: e, host: &fileHome{settings: s, home: home, fs: disk.OS{}},
		docs: &nameDocs{settings: s, engine: e, known: map[string]named{}}, gone: map[string]bool{}, rooms: map[string]room{},
		user: sync.OnceValue(userName)}
	return sharedBackend{sharedNames{h}, sharedRegistry{h}, sharedLocks{h}, sharedUpkeep{h}}
}

// sharedBackend keeps contexts in a store that many machines share.
type sharedBackend struct {
	sharedNames
	sharedRegistry
	sharedLocks
	sharedUpkeep
}

// Parts returns the parts of the context that r names.
func (b sharedBackend) Parts(r *parts.Ref) parts.Keeper {
	c := &sharedContext{Ref: r, home: b.sharedNames.sharedHome}
	t := &sharedTranscript{sharedContext: c}
	t.view = &viewFile{fileHome: c.home.host, ref: r}
	k := parts.Keeper{Transcript: t, Views: &sharedView{t.view, t}, Texts: sharedTexts{c}, Inbox: sharedInbox{c},
		Lock: contextLock{b.sharedLocks, c}.lock, Tape: sharedTape{t}, Mender: sharedMender{c}.mender()}
	return withCopies(k, c.home.host, r)
}

// Check looks at the keys of all documents: each belongs to a context, or to the home.
func (b sharedBackend) Check(ctx context.Context, damaged func(text string)) error {
	suspects, err := b.strays(ctx)
	if err != nil || len(suspects) == 0 {
		return err
	}
	again, err := b.strays(ctx) // a context found only once is being made or removed
	for _, key := range slices.Sorted(maps.Keys(again)) {
		if suspects[key] {
			damaged(fmt.Sprintf("document %.200q belongs to no context", key))
		}
	}
	return err
}

// strays returns the keys of documents that belong to no context.
func (b sharedBackend) strays(ctx context.Context) (keys map[string]bool, err error) {
	ids, owners := map[string]bool{}, map[string]string{}
	err = b.sharedNames.engine.Docs.List(ctx, "", func(d store.Doc) bool {
		kind, rest, _ := strings.Cut(d.Key, ".")
		switch kind + "." {
		case prefixName:
			if n, err := decodeName(d); err == nil { // the list of names says what is wrong with others
				ids[n.ID] = true
			}
		case prefixTrash:
			ids[rest] = true
		case prefixText, prefixMail, prefixFailed, prefixOut, prefixAside:
			owners[d.Key], _, _ = strings.Cut(rest, ".")
		}
		return true
	})
	keys = map[string]bool{}
	for key, id := range owners {
		if !isID(id) || !ids[id] {
			keys[key] = true
		}
	}
	return keys, err
}
