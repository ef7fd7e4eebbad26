package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/store"
)

// oneDoc is a store with at most one document. before is called ahead of each Put.
type oneDoc struct {
	store.Docs
	data   string
	rev    uint64
	before func(*oneDoc)
}

func (d *oneDoc) Get(_ context.Context, key string) (store.Doc, error) {
	if key != store.FormatKey || d.rev == 0 {
		return store.Doc{}, fmt.Errorf("document %q: %w", key, store.ErrNotFound)
	}
	return store.Doc{Key: key, Rev: d.rev, Data: []byte(d.data)}, nil
}

func (d *oneDoc) Put(_ context.Context, _ string, data []byte, rev uint64) (uint64, error) {
	if d.before != nil {
		d.before(d)
	}
	if rev != d.rev {
		return 0, store.ErrConflict
	}
	d.data, d.rev = string(data), d.rev+1
	return d.rev, nil
}

func TestCheckFormat(t *testing.T) {
	for _, tt := range []struct {
		doc   string
		knows store.Formats
		want  string // of the error; "": none
	}{
		{`{"format": 1}`, store.Formats{}, ""},
		{`{"format": 2, "by": "chibi 1.0"}`, store.Formats{Oldest: 1, Newest: 3}, ""},
		{`{"format": 2, "by": "chibi 9.1"}`, store.Formats{},
			"the store has format 2 (written by chibi 9.1), and this program knows formats up to 1; use a newer chibi"},
		{`{"format": 2}`, store.Formats{Oldest: 3, Newest: 4},
			"the store has format 2, and this program knows formats from 3 on; first run chibi store init of a version that " +
				"knows both"},
		{`{"format": 0}`, store.Formats{}, `the document "format" of the store is damaged: it has no format number`},
		{`{"format": `, store.Formats{}, `the document "format" of the store is damaged: not JSON`},
		{`"` + strings.Repeat("x", 5000) + `"`, store.Formats{},
			`the document "format" of the store is damaged: it has 5002 bytes`},
	} {
		_, err := store.CheckFormat(t.Context(), &oneDoc{data: tt.doc, rev: 1}, store.Options{Formats: tt.knows})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%.40s: %v, want %q", tt.doc, err, tt.want)
		}
	}
	if _, err := store.CheckFormat(t.Context(), &oneDoc{}, store.Options{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("no store: %v", err)
	}
}

// TestTheFormatIsRaisedAfterThePrograms is a rolling upgrade: a program that knows two formats
// works on the older one, until the number is raised; then the older program refuses.
func TestTheFormatIsRaisedAfterThePrograms(t *testing.T) {
	older := store.Options{Program: "chibi 1", Formats: store.Formats{Oldest: 1, Newest: 1}}
	newer := store.Options{Program: "chibi 2", Formats: store.Formats{Oldest: 1, Newest: 2}}
	d := &oneDoc{}
	for _, step := range []struct {
		what string
		do   func() (any, error)
		want string
	}{
		{"the older program makes the store", raising(t, d, older), "made the format number: 1"},
		{"again", raising(t, d, older), ""},
		{"the newer program opens it", checking(t, d, newer), "1"},
		{"so does the older one", checking(t, d, older), "1"},
		{"the newer one raises it", raising(t, d, newer), "raised the format number from 1 to 2"},
		{"and opens it", checking(t, d, newer), "2"},
		{"the older one refuses", checking(t, d, older),
			"the store has format 2 (written by chibi 2), and this program knows formats up to 1; use a newer chibi"},
		{"and does not lower it", raising(t, d, older),
			"the store has format 2 (written by chibi 2), and this program knows formats up to 1; use a newer chibi"},
	} {
		result, err := step.do()
		if err != nil {
			result = err
		}
		if got := fmt.Sprint(result); got != step.want {
			t.Errorf("%s: %q, want %q", step.what, got, step.want)
		}
	}
}

func raising(t *testing.T, d store.Docs, o store.Options) func() (any, error) {
	return func() (any, error) { return store.RaiseFormat(t.Context(), d, o) }
}

func checking(t *testing.T, d store.Docs, o store.Options) func() (any, error) {
	return func() (any, error) { return store.CheckFormat(t.Context(), d, o) }
}

func TestTwoProgramsMakeAStoreAtOnce(t *testing.T) {
	d := &oneDoc{before: func(d *oneDoc) { d.data, d.rev, d.before = `{"format": 1}`, 1, nil }}
	if said, err := store.RaiseFormat(t.Context(), d, store.Options{}); said != "" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
}
