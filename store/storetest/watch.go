package storetest

import (
	"context"
	"fmt"
	"testing"
)

// watchRules are the rules of watching.
type watchRules struct{ suite }

func (s watchRules) rules() []rule {
	return []rule{
		{"a put of another machine is seen", s.seen},
		{"a watcher that is busy misses no put", s.busy},
		{"all watchers see a put", s.all},
		{"the channel is closed when the context ends", s.ends},
		{"the channel is closed when the engine is", s.closed},
	}
}

// told waits until a watcher hears something.
func told(t *testing.T, what string, puts <-chan struct{}) {
	t.Helper()
	open := make(chan struct{})
	go func() {
		if _, ok := <-puts; ok {
			close(open)
		}
	}()
	await(t, what, open)
}

func (s watchRules) seen(t *testing.T) {
	m := s.machines(t, 2)
	m[0].put("mail.a.1", "before", 0)
	puts, err := m[1].Watch(t.Context(), "mail.a.")
	must(t, err)
	for i := range 5 {
		m[0].put(fmt.Sprintf("mail.a.%d", i+2), "x", 0)
		told(t, "a new document", puts)
	}
	m[0].put("mail.a.1", "changed", m[0].has("mail.a.1", "before"))
	told(t, "a change", puts)
}

// busy takes nothing while documents are put, and then what there is: after the last
// notice, the last document is there.
func (s watchRules) busy(t *testing.T) {
	m := s.machines(t, 2)
	puts, err := m[1].Watch(t.Context(), "mail.a.")
	must(t, err)
	for i := range 20 {
		m[0].put(fmt.Sprintf("mail.a.%d", i), "x", 0)
	}
	for {
		told(t, "twenty documents", puts)
		if len(m[1].listed("mail.a.")) == 20 {
			return
		}
	}
}

func (s watchRules) all(t *testing.T) {
	m := s.machines(t, 4)
	var watchers []<-chan struct{}
	for range 2 {
		for _, e := range m {
			puts, err := e.Watch(t.Context(), "mail.")
			must(t, err)
			watchers = append(watchers, puts)
		}
	}
	m[0].put("mail.a.1", "x", 0)
	for _, puts := range watchers {
		told(t, "a document", puts)
	}
}

// over waits until a channel is closed.
func over(t *testing.T, what string, puts <-chan struct{}) {
	t.Helper()
	closed := make(chan struct{})
	go func() {
		for range puts {
			continue
		}
		close(closed)
	}()
	await(t, what, closed)
}

func (s watchRules) ends(t *testing.T) {
	m := s.machines(t, 2)
	ctx, end := context.WithCancel(t.Context())
	puts, err := m[1].Watch(ctx, "mail.")
	must(t, err)
	other, err := m[1].Watch(t.Context(), "mail.")
	must(t, err)
	end()
	over(t, "the context has ended", puts)
	m[0].put("mail.a.1", "x", 0)
	told(t, "another watcher still watches", other)
}

func (s watchRules) closed(t *testing.T) {
	e := s.machine(t)
	puts, err := e.Watch(t.Context(), "mail.")
	must(t, err)
	must(t, e.Close())
	over(t, "the engine is closed", puts)
}
