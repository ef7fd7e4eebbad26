package storetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/store"
)

// blobRules are the rules of large values.
type blobRules struct{ suite }

func (s blobRules) rules() []rule {
	return []rule{
		{"a blob of 5 MiB is read at any place, by another machine", s.isRead},
		{"small and empty blobs are kept", s.small},
		{"a key that is taken is a conflict, and the blob stays as it was", s.taken},
		{"a blob that was not put completely does not exist", s.incomplete},
		{"a blob that was removed does not exist, and can be put again", s.removed},
		{"blobs are listed by the beginning of their key", s.listed},
	}
}

// pattern returns bytes that tell at which place they are.
func pattern(size int) []byte {
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return data
}

func putBlob(e machine, key string, data []byte) {
	e.t.Helper()
	if n, err := e.Blobs.Put(e.t.Context(), key, bytes.NewReader(data)); err != nil || n != int64(len(data)) {
		e.t.Fatalf("putting blob %q: %d bytes of %d, %v", key, n, len(data), err)
	}
}

// openBlob opens a blob for the rest of the test.
func openBlob(e machine, key string) store.Blob {
	e.t.Helper()
	b, err := e.Blobs.Open(e.t.Context(), key)
	must(e.t, err)
	e.t.Cleanup(func() { b.Close() })
	return b
}

func hasBlob(e machine, key string, data []byte) {
	e.t.Helper()
	b := openBlob(e, key)
	got, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()+10))
	if err != nil || b.Size() != int64(len(data)) || !bytes.Equal(got, data) {
		e.t.Errorf("blob %q has %d bytes, %d are read, %v; want %d", key, b.Size(), len(got), err, len(data))
	}
}

func (s blobRules) isRead(t *testing.T) {
	m, data := s.machines(t, 2), pattern(5<<20+123)
	putBlob(m[0], "a-tool_1", data)
	b := openBlob(m[1], "a-tool_1")
	for _, test := range []struct{ at, n int }{
		{0, 10}, {1<<20 - 5, 10}, {256<<10 - 1, 2}, {512 << 10, 256 << 10}, {3, 3 << 20}, {len(data) - 10, 10}, {1 << 20, 1},
		{len(data), 0}, {100, 0}, {0, len(data)},
	} {
		got := make([]byte, test.n)
		n, err := b.ReadAt(got, int64(test.at))
		if n != test.n || err != nil && err != io.EOF || !bytes.Equal(got, data[test.at:test.at+test.n]) {
			t.Errorf("%d bytes at %d: read %d, %v", test.n, test.at, n, err)
		}
	}
	for _, at := range []int{len(data) - 5, len(data), len(data) + 1<<20} {
		got := make([]byte, 100)
		want := data[min(at, len(data)):]
		if n, err := b.ReadAt(got, int64(at)); n != len(want) || err != io.EOF || !bytes.Equal(got[:n], want) {
			t.Errorf("100 bytes at %d, beyond the end: read %d, %v", at, n, err)
		}
	}
	hasBlob(m[1], "a-tool_1", data)
}

func (s blobRules) small(t *testing.T) {
	m := s.machines(t, 2)
	putBlob(m[0], "empty", nil)
	putBlob(m[0], "small.one", []byte("x"))
	hasBlob(m[1], "empty", nil)
	hasBlob(m[1], "small.one", []byte("x"))
}

func (s blobRules) taken(t *testing.T) {
	m := s.machines(t, 2)
	putBlob(m[0], "a-tool", pattern(1<<20))
	_, err := m[1].Blobs.Put(t.Context(), "a-tool", strings.NewReader("another"))
	refuses(t, err, store.ErrConflict, "a-tool")
	hasBlob(m[0], "a-tool", pattern(1<<20))
}

// broken is a reader that fails after some bytes.
type broken struct {
	io.Reader
	end func() error
}

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = b.end()
	}
	return n, err
}

func (s blobRules) incomplete(t *testing.T) {
	m, failed := s.machines(t, 2), errors.New("the disk is broken")
	ended, end := context.WithCancel(t.Context())
	for what, put := range map[string]func() error{
		"a reader that fails": func() error {
			fail := func() error { return failed }
			_, err := m[0].Blobs.Put(t.Context(), "a-tool", broken{bytes.NewReader(pattern(1 << 20)), fail})
			refuses(t, err, failed, "a-tool")
			return err
		},
		"a context that ends": func() error {
			endIt := func() error {
				end()
				return ended.Err()
			}
			_, err := m[0].Blobs.Put(ended, "a-tool", broken{bytes.NewReader(pattern(1 << 20)), endIt})
			refuses(t, err, context.Canceled, "a-tool")
			return err
		},
	} {
		if put() == nil {
			t.Fatal(what)
		}
		_, err := m[1].Blobs.Open(t.Context(), "a-tool")
		refuses(t, err, store.ErrNotFound, "a-tool")
		if list := listedBlobs(m[1], ""); len(list) > 0 {
			t.Errorf("%s: %v is listed", what, list)
		}
	}
	putBlob(m[1], "a-tool", []byte("complete"))
	hasBlob(m[0], "a-tool", []byte("complete"))
}

func (s blobRules) removed(t *testing.T) {
	m := s.machines(t, 2)
	must(t, m[0].Blobs.Remove(t.Context(), "a-tool"))
	for _, size := range []int{700_000, 10, 0} {
		putBlob(m[0], "a-tool", pattern(size))
		hasBlob(m[1], "a-tool", pattern(size))
		must(t, m[1].Blobs.Remove(t.Context(), "a-tool"))
		_, err := m[0].Blobs.Open(t.Context(), "a-tool")
		refuses(t, err, store.ErrNotFound, "a-tool")
	}
}

func listedBlobs(e machine, prefix string) (keys []string) {
	e.t.Helper()
	must(e.t, e.Blobs.List(e.t.Context(), prefix, func(b store.BlobInfo) bool {
		if b.Size != int64(len(b.Key)) || b.Time.IsZero() {
			e.t.Errorf("listed is %+v", b)
		}
		keys = append(keys, b.Key)
		return true
	}))
	slices.Sort(keys)
	return keys
}

func (s blobRules) listed(t *testing.T) {
	m, all := s.machines(t, 2), []string{"a-1", "a-2", "a.3", "ab-1", "b-1"}
	for i, key := range all {
		putBlob(m[i%2], key, pattern(len(key)))
	}
	for prefix, want := range map[string][]string{"": all, "a": all[:4], "a-": all[:2], "a.": {"a.3"}, "c": nil} {
		if got := listedBlobs(m[0], prefix); !slices.Equal(got, want) {
			t.Errorf("%q: %v; want %v", prefix, got, want)
		}
	}
	n := 0
	must(t, m[0].Blobs.List(t.Context(), "a", func(b store.BlobInfo) bool {
		openBlob(m[0], b.Key) // an engine may be called meanwhile
		n++
		return n < 2
	}))
	if n != 2 {
		t.Errorf("%d blobs were listed after the second was to be the last", n)
	}
}
