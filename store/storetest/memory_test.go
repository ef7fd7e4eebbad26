package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// Two machines use one store: of two appends after the same tail one is refused.
func ExampleNewMemory() {
	memory := storetest.NewMemory()
	one, other := memory.Engine(store.Options{}), memory.Engine(store.Options{})
	defer one.Close()
	defer other.Close()

	ctx := context.Background()
	tail, err := one.Log.Append(ctx, "talk", store.Tail{}, store.Record{ID: "a1", Data: []byte("hello")})
	fmt.Println(tail.Count, err)
	_, err = other.Log.Append(ctx, "talk", store.Tail{}, store.Record{ID: "b1", Data: []byte("me too")})
	fmt.Println(errors.Is(err, store.ErrConflict))
	err = other.Log.Read(ctx, "talk", store.Range{}, func(r store.Record) bool {
		fmt.Println(string(r.Data))
		return true
	})
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// true
	// hello
	// <nil>
}

func TestANewMemoryHasTheFormat(t *testing.T) {
	e := storetest.NewMemory().Engine(store.Options{})
	if d, err := e.Docs.Get(t.Context(), store.FormatKey); err != nil || string(d.Data) != `{"format":1}` {
		t.Errorf("%q, %v", d.Data, err)
	}
}

func TestTheStoresClockEndsLeases(t *testing.T) {
	ctx, memory := t.Context(), storetest.NewMemory()
	asleep := memory.Engine(store.Options{Lease: 3 * time.Hour})
	hourAhead := memory.Engine(store.Options{Now: func() time.Time { return time.Now().Add(time.Hour) }})
	held, err := asleep.Leases.Take(ctx, "work", []byte("asleep"))
	if err != nil || !held.Fresh() {
		t.Fatal(held, err)
	}
	var by *store.HeldError
	if _, err := hourAhead.Leases.Take(ctx, "work", nil); !errors.As(err, &by) || string(by.Holder) != "asleep" {
		t.Errorf("a lease that is held: %v", err)
	} else if left := time.Until(by.Expires); left < 4*time.Hour-time.Minute || left > 4*time.Hour {
		t.Errorf("by the clock of the machine that asks it ends in %v", left)
	}
	memory.Advance(4 * time.Hour)
	taken, err := hourAhead.Leases.Take(ctx, "work", nil)
	if err != nil || taken.Fresh() {
		t.Fatalf("a lease that ended counts as released: %v, %v", taken, err)
	}
	if err := held.Release(ctx); !errors.Is(err, store.ErrLost) {
		t.Errorf("the former holder releases: %v", err)
	}
	if err := taken.Release(ctx); err != nil {
		t.Errorf("the new holder releases: %v", err)
	}
}

func TestAClosedMachineLosesItsLeases(t *testing.T) {
	ctx, memory := t.Context(), storetest.NewMemory()
	gone, next := memory.Engine(store.Options{Lease: 30 * time.Millisecond}), memory.Engine(store.Options{})
	held, err := gone.Leases.Take(ctx, "work", nil)
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	<-held.Lost()
	if err := held.Release(ctx); !errors.Is(err, store.ErrLost) {
		t.Errorf("release of a lost lease: %v", err)
	}
	if taken, err := next.Leases.Take(ctx, "work", nil); err != nil || taken.Fresh() {
		t.Errorf("%v, %v", taken, err)
	}
	if _, err := gone.Docs.Get(ctx, "x"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a call after Close: %v", err)
	}
}

func TestStatusOfAMemory(t *testing.T) {
	ctx, e := t.Context(), storetest.NewMemory().Engine(store.Options{})
	if _, err := e.Log.Append(ctx, "talk", store.Tail{}, store.Record{ID: "a", Data: []byte("12345")}); err != nil {
		t.Fatal(err)
	}
	s, err := e.Status(ctx)
	if err != nil || s.Engine != "memory" || !s.Push || s.Format != store.Format || s.Parts[1] != (store.Part{Name: "log",
		Records: 1, Bytes: 5}) {
		t.Errorf("%+v, %v", s, err)
	}
}
