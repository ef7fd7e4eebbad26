package parts

import "context"

// Aside is something damaged that was taken out of a context.
type Aside struct {
	// What names it and the fault in it.
	What string `json:"what"`
	// Path is the file on this machine that has its bytes.
	Path string `json:"path"`
}

// Mender takes damaged parts out of a context whose lock the caller has. It keeps their bytes first.
type Mender struct {
	// SetAside takes out entries and messages, and calls each with what it took; nil: nothing gets damaged.
	SetAside func(ctx context.Context, each func(Aside)) error
	// Keep keeps bytes in a file whose name begins with a word.
	Keep func(begins string, data []byte) (path string, err error)
}

// AsideNote returns the entry in the place of an entry that was set aside.
func AsideNote(context, text string, at int64) Entry {
	e := newEntry(Entry{Type: TypeSetAside, From: "system", To: context, Content: text, Metadata: &Metadata{}})
	e.Timestamp = at
	return e
}

// IsBeside reports whether an entry of a transcript is in no window.
func IsBeside(e Entry) bool { return e.Type == TypeSystemPrompt || e.Type == TypeSetAside }
