//go:build unix

package faults

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/cluster/natsstore"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/store"
)

// shortLease ends while servers are gone or hang.
const shortLease = 3 * time.Second

// leases are the times that a machine had a context's lock: what it said there, and was acknowledged.
type leases struct {
	mu    sync.Mutex
	taken int
	said  map[string][][]string // by context
}

func (l *leases) all() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

func (l *leases) note(name string, said []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.said == nil {
		l.said = map[string][][]string{}
	}
	l.taken++
	l.said[name] = append(l.said[name], said)
}

// startLeases starts three machines for each of two contexts, and one for each of two others, which
// never loses its lock.
func (r *run) startLeases() {
	for name, machines := range map[string]int{"held0": 3, "held1": 3, "kept0": 1, "kept1": 1} {
		for n := range machines {
			e := r.open(shortLease)
			home := r.newMachine(text("%s-%d", name, n))
			r.work.Go(func() {
				h := holder{home, contexts.OpenShared(e, home.home), name, machines == 1}
				for n := 1; r.ending.Err() == nil; n++ {
					h.hold(n)
				}
			})
		}
	}
}

func (r *run) open(lease time.Duration) *store.Engine {
	driver := natsstore.Driver()
	if strings.HasPrefix(r.url, "postgres") {
		driver = pgstore.Driver()
	}
	e, err := driver.Open(context.Background(), store.Options{URL: r.url, Lease: lease, Timeout: time.Minute})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { e.Close() })
	return e
}

// holder is a machine that takes the lock of a context.
type holder struct {
	*machine
	store   *contexts.Store
	context string
	isAlone bool
}

// hold takes the lock once, and says some things with pauses.
func (h holder) hold(n int) {
	c, err := h.store.Context(h.context)
	var held context.Context
	var unlock func()
	if err == nil {
		held, unlock, err = c.WaitLock(context.Background())
	}
	if err != nil {
		h.failed(n, err)
		return
	}
	defer unlock()
	var said []string
	for i := range 5 {
		id := text("%s-%05d-%d.", h.name, n, i)
		if err := c.Append(contexts.UserMessage(h.name, h.context, id)); err != nil {
			h.failed(n, err)
			break
		}
		said = append(said, id)
		h.notef("%s is said", id)
		select {
		case <-held.Done():
			h.failed(n, context.Cause(held))
		case <-time.After(upTo(200 * time.Millisecond)):
			continue
		}
		break
	}
	h.leases.note(h.context, said)
}

// failed notes why a lock could not be had, or was lost. Nobody takes it from who is alone.
func (h holder) failed(n int, err error) {
	id := text("%s-%05d", h.name, n)
	h.notef("%s: %v", id, err)
	var taken *contexts.TakenError
	isLost := errors.Is(err, contexts.ErrLost) || errors.As(err, &taken)
	if !isLost && !errors.Is(err, store.ErrUnavailable) || isLost && h.isAlone {
		h.findf(id, "the lock of %s, the %d. time: %v", h.name, n, err)
	}
}

// checkLeases looks for what was said with each lock, with nothing of others in between.
func (r *run) checkLeases() (all tally) {
	s := contexts.OpenShared(r.open(shortLease), r.newMachine("checks").home)
	for name, tenures := range r.leases.said {
		var entries []string
		c, err := s.Context(name)
		if err == nil {
			err = c.History(context.Background(), contexts.Query{}, func(e contexts.Entry) bool {
				entries = append(entries, e.Content)
				return true
			})
		}
		if err != nil {
			r.Fatal(err)
		}
		for _, said := range tenures {
			all.add(r.checkTenure(entries, said))
		}
	}
	return all
}

// checkTenure looks for what was said with one lock.
func (r *run) checkTenure(entries, said []string) (all tally) {
	if len(said) == 0 {
		return all
	}
	for _, id := range said {
		switch first := slices.Index(entries, id); {
		case first < 0:
			all.lost++
			r.findf(id, "lost: %s was said with a lock", id)
		case slices.Contains(entries[first+1:], id):
			all.doubled++
			r.findf(id, "doubled: %s was said with a lock", id)
		}
	}
	first := slices.Index(entries, said[0])
	if first < 0 || all != (tally{}) {
		return all
	}
	if there := entries[first:min(len(entries), first+len(said))]; !slices.Equal(there, said) {
		all.reordered++
		r.findf(strings.TrimSuffix(said[0], "-0."), "reordered: %v was said with a lock, and %v is there", said, there)
	}
	return all
}
