package pgstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/store"
)

// TestAFullDisk: the tables are on a small file system of their own. What is full refuses, what
// is there can be read and removed, and it goes on when the disk has grown.
func TestAFullDisk(t *testing.T) {
	s := server(t)
	dir, err := os.MkdirTemp("/tmp", "chibi-full-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m,uid=65534"); err != nil {
		t.Skip("no small file system can be mounted here: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	initHome(t, s.URL("postgres", "full"))
	run(t, s, fmt.Sprintf("create tablespace small location '%s'", dir))
	t.Cleanup(func() { run(t, s, "drop schema chibi_full cascade", "drop tablespace small") })
	for _, table := range []string{"doc", "log", "blob", "chunk"} {
		run(t, s, fmt.Sprintf("alter table chibi_full.%s set tablespace small", table))
	}
	ctx, e := t.Context(), open(t, store.Options{URL: s.URL("postgres", "full")})
	noise := make([]byte, 3<<20)
	for i := range noise {
		noise[i] = byte(i * i >> 7)
	}
	var tail store.Tail
	stored := 0
	for ; ; stored++ {
		if _, err = e.Blobs.Put(ctx, fmt.Sprintf("blob%d", stored), bytes.NewReader(noise)); err != nil {
			break
		}
	}
	if !errors.Is(err, store.ErrTooLarge) || !strings.Contains(err.Error(), "No space left on device") || stored == 0 {
		t.Fatalf("after %d: %v", stored, err)
	}
	for n := 0; err == nil || n < 1; n++ {
		var next store.Tail
		if next, err = e.Log.Append(ctx, "talk", tail, store.Record{ID: fmt.Sprint("r", n),
			Data: noise[:200<<10]}); err == nil {
			tail = next
		}
	}
	if !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("append: %v", err)
	}
	if now, err := e.Log.Tail(ctx, "talk"); err != nil || now != tail {
		t.Errorf("%v, want %v; %v", now, tail, err)
	}
	b, err := e.Blobs.Open(ctx, "blob0")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(noise))
	if _, err := b.ReadAt(got, 0); err != nil || !bytes.Equal(got, noise) {
		t.Error("what is there cannot be read: ", err)
	}
	if err := e.Blobs.Remove(ctx, "blob0"); err != nil {
		t.Error(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Log.Append(ctx, "talk", tail, store.Record{ID: "after", Data: noise[:200<<10]}); err != nil {
		t.Errorf("after the disk has grown: %v", err)
	}
}
