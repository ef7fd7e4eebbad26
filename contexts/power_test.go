package contexts_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/contexts/contexttest"
	"github.com/chibi-host/chibi/internal/disk/disktest"
	"github.com/chibi-host/chibi/internal/systest"
)

// TestWhatWasAcknowledgedSurvives cuts the power at every operation of the
// disk, and inside every write: all that was acknowledged is there, in order
// and once; of the operation that was cut off there is all or nothing; and the
// conversation goes on. What becomes of unsynced bytes takes turns; with
// CHIBI_TEST_ALL=1 every cut has all.
func TestWhatWasAcknowledgedSurvives(t *testing.T) {
	all := []disktest.Unsynced{disktest.Lost, disktest.Torn, disktest.Holes}
	for i, unsynced := range all {
		first, step := i, len(all)
		if systest.All() {
			first, step = 0, 1
		}
		for cut := first; ; cut += step {
			home := t.TempDir()
			fs := disktest.New(home, cut)
			o, err := contexttest.Play(contexts.CrashStore(t, home, fs).Store)
			if err == nil && !fs.Failed() {
				if cut < 150 {
					t.Fatalf("the script took only %d operations", cut)
				}
				break // the power stayed
			}
			after := contexts.CrashStore(t, home, fs.AfterCrash(unsynced))
			when := fmt.Sprintf("power cut at disk operation %d (%s), unsynced bytes %s", cut, o.Step, unsynced)
			contexttest.Survived(t, when, after.Store, o)
			if t.Failed() {
				return
			}
		}
	}
}

// TestAFullDiskDamagesNothing fills the disk at every third operation, with
// CHIBI_TEST_ALL=1 at every one: what needs room fails and says so, all that was
// acknowledged is there, and when there is room again everything goes on.
func TestAFullDiskDamagesNothing(t *testing.T) {
	step := 3
	if systest.All() {
		step = 1
	}
	for cut := 0; ; cut += step {
		home := t.TempDir()
		fs := disktest.NewFailing(home, cut, syscall.ENOSPC)
		store := contexts.CrashStore(t, home, fs)
		o, err := contexttest.Play(store.Store)
		if !fs.Failed() {
			break
		}
		if err != nil && !strings.Contains(err.Error(), "no space left") {
			t.Errorf("disk full at operation %d: the error of %s is %v", cut, o.Step, err)
		}
		if err == nil {
			o.Acknowledged = o.Next // only what can wait has failed
		}
		fs.Free()
		contexttest.Survived(t, fmt.Sprintf("disk full at operation %d (%s)", cut, o.Step), store.Store, o)
		if t.Failed() {
			return
		}
	}
}

// sourceOfCopies is a home with a conversation of several partitions, mail and notes.
func sourceOfCopies(t *testing.T) *contexts.Files {
	t.Helper()
	home := t.TempDir()
	s := contexts.CrashStore(t, home, disktest.New(home, -1))
	if o, err := contexttest.Play(s.Store); err != nil {
		t.Fatal(o.Step, err)
	}
	return s
}

// TestACopyThatLosesPowerIsRepeated cuts the power at every operation of the target's disk:
// what is there can be read, and the copy that is repeated is complete.
func TestACopyThatLosesPowerIsRepeated(t *testing.T) {
	from := sourceOfCopies(t)
	want := contexttest.Observe(t, from.Store)
	want.Current = contexts.DefaultName
	for cut := 0; ; cut++ {
		home := t.TempDir()
		fs := disktest.New(home, cut)
		err := contexts.Copy(t.Context(), from.Store, contexts.CrashStore(t, home, fs).Store, contexts.CopyOptions{})
		if err == nil && !fs.Failed() {
			if cut < 30 {
				t.Fatalf("the copy took only %d operations", cut)
			}
			return
		}
		after := contexts.CrashStore(t, home, fs.AfterCrash(disktest.Torn))
		if err := contexts.Copy(t.Context(), from.Store, after.Store, contexts.CopyOptions{}); err != nil {
			t.Fatalf("power cut at operation %d, then: %v", cut, err)
		}
		if diff := want.Diff(contexttest.Observe(t, after.Store)); diff != "" {
			t.Fatalf("power cut at operation %d (-want +got):\n%s", cut, diff)
		}
	}
}
