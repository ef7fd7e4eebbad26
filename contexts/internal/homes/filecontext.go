package homes

import (
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/transcript"
	"github.com/chibi-host/chibi/internal/disk"
)

// fileContext is a context's directory.
type fileContext struct {
	*parts.Ref
	home *fileHome
}

// openFiles returns the parts of the context that r names.
func openFiles(home *fileHome, r *parts.Ref) parts.Keeper {
	c := &fileContext{Ref: r, home: home}
	t := &fileTranscript{fileContext: c, file: windowFile{c}}
	t.view = &fileView{viewFile: viewFile{fileHome: home, ref: r}, transcript: t}
	t.entries = entryLog{fileContext: c, log: transcript.New(transcript.Place{
		FS: home.fs, Dir: func() string { return c.path("transcript") },
		Bounds: func() transcript.Bounds { return transcript.Bounds(home.settings.Storage.WithDefaults()) },
		Now:    func() time.Time { return home.settings.Now() }, Report: parts.Reporter(home.settings),
	})}
	return parts.Keeper{Transcript: t, Views: t.view, Texts: c.texts(), Inbox: fileInbox{c},
		Lock: c.lock, Tape: fileTape{t}}
}

func (c *fileContext) directory() string { return c.home.directory(c.Name) }

// path returns the path of a file of the context.
func (c *fileContext) path(name string) string { return filepath.Join(c.directory(), name) }

// hasFile reports whether a file exists; true if that is unknown.
func (c *fileContext) hasFile(path string) bool { return disk.Exists(c.home.fs, path) }

func (c *fileContext) texts() fileTexts { return fileTexts{c} }
