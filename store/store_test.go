package store_test

import (
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
)

func TestALeaseIsOverByEitherClock(t *testing.T) {
	now := time.Now()
	if store.IsOver(now, time.Minute) {
		t.Error("it is over at once")
	}
	if !store.IsOver(now.Add(-time.Minute), time.Minute) {
		t.Error("it lasts for ever")
	}
	if !store.IsOver(now.Add(-time.Minute).Round(0), time.Minute) { // no monotonic time, as if that stood still
		t.Error("it lasts while the machine is suspended")
	}
}
