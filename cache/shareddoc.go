package cache

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// isContextID reports whether a text is the id of a context in a store.
func isContextID(id string) bool { return len(id) == 32 && strings.Trim(id, "0123456789abcdef") == "" }

type document struct {
	Entry Entry `json:"entry"`
	// Offsets are the places where lines 1, 1025, 2049, ... begin. The store has none for an
	// output with more than maxOffsets of them; the copies on machines have them.
	Offsets []int64 `json:"offsets,omitempty"`
}

const (
	// maxOffsets bounds the index in a document: engines take documents of almost 1 MiB.
	maxOffsets  = 1 << 16
	maxDocument = 1 << 20
	// maxTool bounds the name of a tool in a document, in bytes.
	maxTool = 1 << 10
)

func encodeDocument(e Entry, index lineIndex) ([]byte, error) {
	d := document{Entry: e, Offsets: index.Offsets}
	d.Entry.Tool = strings.ToValidUTF8(e.Tool[:min(len(e.Tool), maxTool)], "")
	if len(d.Offsets) > maxOffsets {
		d.Offsets = nil
	}
	return strictjson.Encode(d)
}

// decodeDocument reads the document of an output, whoever has written it. The error wraps
// ErrNotFound: a damaged entry counts as missing.
func decodeDocument(id string, text []byte) (document, error) {
	var d document
	if len(text) > maxDocument {
		return d, fmt.Errorf("%w: its document has %d bytes", ErrNotFound, len(text))
	}
	err := strictjson.Decode(text, &d)
	if err == nil {
		err = errors.Join(d.Entry.check(id), d.checkOffsets())
	}
	if err != nil {
		return document{}, fmt.Errorf("%w: its document is damaged: %w", ErrNotFound, err)
	}
	d.Entry.Path = ""
	return d, nil
}

// check reports what an entry of this id cannot be.
func (e Entry) check(id string) error {
	switch {
	case !validID(id) || e.ID != id:
		return fmt.Errorf("it is about %.80q", e.ID)
	case len(e.Tool) > maxTool:
		return fmt.Errorf("the tool's name has %d bytes", len(e.Tool))
	case len(e.SHA256) != 64 || strings.Trim(e.SHA256, "0123456789abcdef") != "":
		return fmt.Errorf("%.80q is not a hash", e.SHA256)
	case len(e.ArgsHash) > 64 || strings.Trim(e.ArgsHash, "0123456789abcdef") != "":
		return fmt.Errorf("%.80q is not a hash", e.ArgsHash)
	case e.Bytes < 0 || e.Timestamp < 0:
		return errors.New("its size or time is negative")
	}
	for _, n := range []int{e.Chars, e.Tokens, e.Lines} {
		if n < 0 || int64(n) > e.Bytes {
			return fmt.Errorf("of %d bytes it says %d characters, %d tokens and %d lines", e.Bytes, e.Chars, e.Tokens, e.Lines)
		}
	}
	return nil
}

// checkOffsets reports places where lines of the output cannot begin.
func (d document) checkOffsets() error {
	n := len(d.Offsets)
	if n == 0 {
		return nil
	}
	if n > maxOffsets || n != (d.Entry.Lines+indexStep-1)/indexStep || d.Offsets[0] != 0 {
		return fmt.Errorf("it has an index of %d places for %d lines", n, d.Entry.Lines)
	}
	for i := 1; i < n; i++ {
		if d.Offsets[i] < d.Offsets[i-1]+indexStep || d.Offsets[i] > d.Entry.Bytes {
			return fmt.Errorf("line %d cannot begin at %d", i*indexStep+1, d.Offsets[i])
		}
	}
	return nil
}

// index returns the index of the output, nil if the document has none.
func (d document) index() *lineIndex {
	if len(d.Offsets) == 0 {
		return nil
	}
	return &lineIndex{Size: d.Entry.Bytes, Lines: d.Entry.Lines, Offsets: d.Offsets}
}
