//go:build unix

// Package faults has machines talk, send mail and take turns while servers and machines are killed
// and stopped, and then looks for what was lost, doubled or reordered. .ci/cluster/faults runs it for
// longer than `go test` does.
package faults

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/cluster/internal/portstest"
)

var minutes = flag.Float64("minutes", 0.5, "for how long there are faults, on each engine")

func TestMain(m *testing.M) { os.Exit(natstest.Main(m, os.Stdin, os.Stderr)) }

// TestNothingIsLostOnNATS has three servers.
func TestNothingIsLostOnNATS(t *testing.T) { test(t, "nats", startNATS) }

// TestNothingIsLostOnPostgreSQL has a primary and a standby that it waits for.
func TestNothingIsLostOnPostgreSQL(t *testing.T) { test(t, "postgres", startPostgres) }

// servers are those of an engine.
type servers interface {
	url() string
	// faults are what may happen to them. Each returns when all of them work again.
	faults() []fault
	// saveLogs copies the ends of what they wrote into a directory.
	saveLogs(dir string)
}

type fault struct {
	name string
	do   func() error
}

// run is a run on one engine.
type run struct {
	*testing.T
	*journal
	engine, url string
	program     string // the file of chibi-cluster
	ending      context.Context
	work        sync.WaitGroup
	asleep      chan struct{} // has room for as many machines as may be stopped at once

	prompts prompts
	mails   mails
	leases  leases
}

func test(t *testing.T, engine string, start func(*testing.T) servers) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	portstest.NeedServers(t)
	s := start(t)
	r := &run{T: t, engine: engine, url: s.url(), journal: newJournal(t, os.Stdout), asleep: make(chan struct{}, 2)}
	r.program = build(t, r.dir)
	ending, end := context.WithCancel(context.Background())
	defer end()
	r.ending = ending
	r.startPrompts()
	r.startLeases()
	endMail := r.startMail()
	r.makeFaults(s)
	end()
	r.work.Wait()
	endMail()
	found := r.check()
	if r.findings > 0 {
		t.Fail()
		s.saveLogs(r.dir)
		r.sayf("%d findings; the journal, transcripts and the ends of the servers' logs are in %s", r.findings, r.dir)
	}
	r.sayf("%s: %d lost, %d doubled, %d reordered of %d prompts, %d mails, %d leases taken", engine, found.lost,
		found.doubled, found.reordered, r.prompts.all(), r.mails.all(), r.leases.all())
}

// makeFaults makes one fault after the other, each kind as often as any other, until the time is over.
func (r *run) makeFaults(s servers) {
	var left []fault
	for end := time.Now().Add(time.Duration(*minutes * float64(time.Minute))); time.Now().Before(end); {
		r.goOn("before a fault")
		time.Sleep(upTo(longestPeace))
		if len(left) == 0 {
			left = s.faults()
			rand.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		}
		f, began := left[0], time.Now()
		left = left[1:]
		r.notef("fault: %s", f.name)
		if err := f.do(); err != nil {
			r.Fatalf("%s: %v", f.name, err)
		}
		whole := time.Since(began)
		r.goOn(f.name)
		r.sayf("%s %s: whole after %.1f s, work went on after %.1f s; %d prompts, %d mails, %d leases so far",
			time.Now().Format(time.TimeOnly), f.name, whole.Seconds(), time.Since(began).Seconds(), r.prompts.all(),
			r.mails.all(), r.leases.all())
	}
}

// longestPeace bounds how long nothing happens between two faults.
const longestPeace = 5 * time.Second

// longestStall bounds how long it may take after a fault until every kind of work is done again.
const longestStall = 2 * time.Minute

// goOn waits until some of every kind of work is done.
func (r *run) goOn(after string) {
	prompts, mails, leases := r.prompts.all(), r.mails.all(), r.leases.all()
	for end := time.Now().Add(longestStall); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if r.prompts.all() > prompts+3 && r.mails.all() > mails && r.leases.all() > leases {
			return
		}
	}
	r.findf("", "%s: not all work goes on within %v: %d prompts, %d mails and %d leases more", after, longestStall,
		r.prompts.all()-prompts, r.mails.all()-mails, r.leases.all()-leases)
}

// check compares what is there with what was acknowledged.
func (r *run) check() (all tally) {
	reader := r.newMachine("reader")
	all.add(r.checkPrompts(reader.transcript))
	all.add(r.checkMail(reader.transcript, reader.failed))
	all.add(r.checkLeases())
	return all
}

// tally counts what must not be.
type tally struct{ lost, doubled, reordered int }

func (t *tally) add(more tally) {
	t.lost, t.doubled, t.reordered = t.lost+more.lost, t.doubled+more.doubled, t.reordered+more.reordered
}

// chance is true once in so many times.
func chance(in int) bool { return rand.IntN(in) == 0 }

// upTo is a random time.
func upTo(d time.Duration) time.Duration { return time.Duration(rand.Int64N(int64(d))) }

// pause waits for a random time, or until the run ends.
func (r *run) pause(longest time.Duration) {
	select {
	case <-time.After(upTo(longest)):
	case <-r.ending.Done():
	}
}

func text(format string, values ...any) string { return fmt.Sprintf(format, values...) }
