package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// Format is the newest format of a store that this version of the packages contexts and
// cache writes and knows. Oldest is the oldest that it knows.
const (
	Format = 1
	Oldest = 1
)

// Formats is a range of formats, both inclusive; the zero value is the range of this version,
// [Oldest] to [Format].
type Formats struct{ Oldest, Newest int }

func (f Formats) withDefaults() Formats {
	if f == (Formats{}) {
		return Formats{Oldest, Format}
	}
	return f
}

// FormatKey is the document that has the format number: a [FormatDoc] as JSON.
// [RaiseFormat] makes it, [CheckFormat] checks it.
const FormatKey = "format"

// FormatDoc says which format a store has.
type FormatDoc struct {
	Format int `json:"format"`
	// By is the version of the program that wrote it.
	By string `json:"by,omitempty"`
}

// maxFormatDoc bounds the document, in bytes.
const maxFormatDoc = 4 << 10

// CheckFormat returns the format of a store, for [Driver].Open. The error is ErrNotFound if
// there is no store, and a *[FormatError] if o.Formats does not have its format.
func CheckFormat(ctx context.Context, d Docs, o Options) (int, error) {
	doc, _, err := readFormat(ctx, d)
	if err != nil {
		return 0, err
	}
	known := o.Formats.withDefaults()
	if doc.Format < known.Oldest || doc.Format > known.Newest {
		return 0, &FormatError{Found: doc.Format, Oldest: known.Oldest, Known: known.Newest, By: doc.By}
	}
	return doc.Format, nil
}

// RaiseFormat gives a store the newest format that o.Formats has, for [Driver].Init, and
// says so; "" if it has it already. The error is a *[FormatError] if the store is newer, or
// so old that this program cannot read it.
func RaiseFormat(ctx context.Context, d Docs, o Options) (said string, err error) {
	newest := o.Formats.withDefaults().Newest
	data, err := strictjson.Encode(FormatDoc{Format: newest, By: o.Program})
	if err != nil {
		return "", err
	}
	before, err := CheckFormat(ctx, d, o)
	switch {
	case errors.Is(err, ErrNotFound):
		_, err = d.Put(ctx, FormatKey, data, 0)
		said = fmt.Sprintf("made the format number: %d", newest)
	case err == nil && before == newest:
		return "", nil
	case err == nil:
		var rev uint64
		if _, rev, err = readFormat(ctx, d); err == nil {
			_, err = d.Put(ctx, FormatKey, data, rev)
		}
		said = fmt.Sprintf("raised the format number from %d to %d", before, newest)
	}
	if errors.Is(err, ErrConflict) { // another program did it at the same time
		_, err = CheckFormat(ctx, d, o)
		return "", err
	}
	if err != nil {
		return "", err
	}
	return said, nil
}

func readFormat(ctx context.Context, d Docs) (doc FormatDoc, rev uint64, err error) {
	read, err := d.Get(ctx, FormatKey)
	if err != nil {
		return doc, 0, err
	}
	if len(read.Data) > maxFormatDoc {
		err = fmt.Errorf("it has %d bytes", len(read.Data))
	} else {
		err = strictjson.Decode(read.Data, &doc)
	}
	if err == nil && doc.Format < 1 {
		err = errors.New("it has no format number")
	}
	if err != nil {
		return doc, 0, fmt.Errorf("the document %q of the store is damaged: %w", FormatKey, err)
	}
	doc.By = clip.Text(doc.By, 80)
	return doc, read.Rev, nil
}
