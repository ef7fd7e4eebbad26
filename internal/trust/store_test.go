package trust_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chibi-host/chibi/internal/trust"
)

func TestApprovalsAreKept(t *testing.T) {
	store := trust.Open(filepath.Join(t.TempDir(), "home"))
	root, a := project(t)
	if got, err := store.Find(root); err != nil || len(got.Files) != 0 {
		t.Errorf("before: %+v, %v", got, err)
	}
	if err := store.Approve(a); err != nil {
		t.Fatal(err)
	}
	got, err := store.Find(root)
	if err != nil || got.Look("hooks")(filepath.Join(root, "hooks/hook")) != nil {
		t.Errorf("approved: %+v, %v", got, err)
	}
	if found, err := store.Revoke(root); !found || err != nil {
		t.Errorf("revoked: %v, %v", found, err)
	}
	if found, err := store.Revoke(root); found || err != nil {
		t.Errorf("revoked twice: %v, %v", found, err)
	}
	if got, _ := store.Find(root); len(got.Files) != 0 {
		t.Errorf("after: %+v", got)
	}
}

// TestRevokingWithoutAListWritesNone: a list that was written without an approval in it
// was "null", which counted as damaged from then on.
func TestRevokingWithoutAListWritesNone(t *testing.T) {
	home := t.TempDir()
	store := trust.Open(home)
	if found, err := store.Revoke("/project"); found || err != nil {
		t.Errorf("revoked: %v, %v", found, err)
	}
	if all, err := store.List(); len(all) != 0 || err != nil {
		t.Errorf("the list is %v, %v", all, err)
	}
	if _, err := os.Stat(filepath.Join(home, "trust.json")); err == nil {
		t.Error("a list was written")
	}
}

func TestADamagedListApprovesNothingAndIsNotOverwritten(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "trust.json")
	if err := os.WriteFile(path, []byte(`[{"folder": `), 0o600); err != nil {
		t.Fatal(err)
	}
	store := trust.Open(home)
	root, a := project(t)
	if got, err := store.Find(root); err == nil || len(got.Files) != 0 {
		t.Errorf("found %+v, %v", got, err)
	}
	if err := store.Approve(a); err != nil {
		t.Error(err)
	}
	if kept, _ := filepath.Glob(path + ".damaged-*"); len(kept) != 1 {
		t.Errorf("the damaged list was overwritten; kept aside: %v", kept)
	}
}

func TestApprovalsOfManyAtOnceAreAllKept(t *testing.T) {
	store := trust.Open(t.TempDir())
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := store.Approve(trust.Approval{Project: strings.Repeat("x", i+1)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if all, err := store.List(); len(all) != 20 || err != nil {
		t.Errorf("%d kept, %v", len(all), err)
	}
}
