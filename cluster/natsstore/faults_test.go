//go:build unix

package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/chibi-host/chibi/cluster/internal/natstest"
	"github.com/chibi-host/chibi/store"
)

// TestNothingIsLostWhenServersDie writes from eight places while servers are killed, all
// servers are killed, and servers hang. An outage may last as long as an append, so the lease
// that is held meanwhile does too.
func TestNothingIsLostWhenServersDie(t *testing.T) {
	kills, alls, pauses := 3, 1, 1
	if text := os.Getenv(faultCycles); text != "" {
		if _, err := fmt.Sscan(text, &kills, &alls, &pauses); err != nil {
			t.Fatalf("%s: %v", faultCycles, err)
		}
	}
	c := natstest.StartCluster(t, natstest.Always)
	url := natstest.NewHome(t, c.URL(), 3)
	o := store.Options{URL: url, Lease: longestAppend, Timeout: longestAppend}
	held, err := natstest.Open(t, o).Leases.Take(t.Context(), "holder", []byte("me"))
	if err != nil {
		t.Fatal(err)
	}
	w := startWriters(t, url)
	for i := range kills {
		n := c.Nodes[rand.IntN(3)]
		w.during(t, c, fmt.Sprintf("kill %d: %s", i+1, n.Name), func() { n.Kill(); w.waitForMore(t); n.Start() })
	}
	for i := range alls {
		w.during(t, c, fmt.Sprintf("kill all %d", i+1), func() {
			for _, n := range c.Nodes {
				n.Kill()
			}
			for _, n := range c.Nodes {
				n.Start()
			}
		})
	}
	for i := range pauses {
		n, long := c.Nodes[rand.IntN(3)], time.Duration(3000+rand.IntN(9000))*time.Millisecond
		w.during(t, c, fmt.Sprintf("pause %d: %s for %v", i+1, n.Name, long.Round(time.Millisecond)), func() {
			n.Pause()
			time.Sleep(long)
			n.Resume()
		})
	}
	w.stop(t)
	select {
	case <-held.Lost():
		t.Errorf("a lease of %v was lost, though its holder lived", longestAppend)
	default:
	}
	w.check(t, natstest.Open(t, o))
}

// writers append records, each to a log of its own or all to one log.
type writers struct {
	done   sync.WaitGroup
	end    chan struct{}
	counts [8]atomic.Int64 // acknowledged, of each writer
	worst  atomic.Int64    // of appends, in nanoseconds, since the last fault began
	longer atomic.Int64    // of all
	mu     sync.Mutex
	acked  map[string][]string // ids by log
	failed []string
}

// startWriters starts four writers with logs of their own, and four that share one.
func startWriters(t *testing.T, url string) *writers {
	w := &writers{end: make(chan struct{}), acked: map[string][]string{}}
	for i := range 8 {
		log := fmt.Sprintf("own%d", i)
		if i%2 == 1 {
			log = "shared"
		}
		e := natstest.Open(t, store.Options{URL: url, Timeout: 2 * longestAppend})
		w.done.Go(func() { w.write(e, i, log) })
	}
	return w
}

// write appends until the end.
func (w *writers) write(e *store.Engine, writer int, log string) {
	ctx := context.Background()
	var tail store.Tail
	for n := 0; ; n++ {
		select {
		case <-w.end:
			return
		case <-time.After(5 * time.Millisecond): // leaves the servers time for something else
		}
		id := fmt.Sprintf("w%d-%06d", writer, n)
		r := store.Record{ID: id, Begins: n%50 == 0, Data: []byte(strings.Repeat(id, 60))}
		start := time.Now()
		next, err := e.Log.Append(ctx, log, tail, r)
		for errors.Is(err, store.ErrConflict) && log == "shared" {
			if tail, err = e.Log.Tail(ctx, log); err == nil {
				next, err = e.Log.Append(ctx, log, tail, r)
			}
		}
		tail = next
		if !w.acknowledged(log, id, time.Since(start), err) {
			return
		}
		w.counts[writer].Add(1)
	}
}

// acknowledged notes an append.
func (w *writers) acknowledged(log, id string, took time.Duration, err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.failed = append(w.failed, fmt.Sprintf("%s after %v: %v", id, took, err))
		return false
	}
	w.acked[log] = append(w.acked[log], id)
	w.worst.Store(max(w.worst.Load(), int64(took)))
	w.longer.Store(max(w.longer.Load(), int64(took)))
	return true
}

// during makes a fault and waits until all servers are healthy and writing goes on.
func (w *writers) during(t *testing.T, c *natstest.Cluster, what string, fault func()) {
	before, start := w.all(), time.Now()
	w.worst.Store(0)
	fault()
	if !c.Healthy(healthyAgain) {
		t.Errorf("%s: the servers are not healthy after %v", what, healthyAgain)
	}
	healthy := time.Since(start)
	w.waitForMore(t)
	t.Logf("%s: healthy after %.1fs, %d acknowledged, longest append %.1fs", what, healthy.Seconds(), w.all()-before,
		time.Duration(w.worst.Load()).Seconds())
}

// all is how many appends were acknowledged.
func (w *writers) all() (sum int64) {
	for i := range w.counts {
		sum += w.counts[i].Load()
	}
	return sum
}

// waitForMore waits until every writer has appended again.
func (w *writers) waitForMore(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(3 * longestAppend)
	for i := range w.counts {
		for want := w.counts[i].Load() + 2; w.counts[i].Load() < want; {
			if time.Now().After(deadline) {
				t.Fatalf("writer %d does not write any more", i)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// stop ends the writers.
func (w *writers) stop(t *testing.T) {
	close(w.end)
	w.done.Wait()
	for _, failure := range w.failed {
		t.Error(failure)
	}
	if longest := time.Duration(w.longer.Load()); longest > longestAppend {
		t.Errorf("an append took %v", longest)
	}
}

// check compares what is stored with what was acknowledged.
func (w *writers) check(t *testing.T, e *store.Engine) {
	t.Helper()
	var lost, doubled, disordered, all int
	for log, ids := range w.acked {
		tail, err := e.Log.Tail(t.Context(), log)
		if err != nil {
			t.Fatal(err)
		}
		seen, newest := map[string]bool{}, map[string]string{}
		var count uint64
		err = e.Log.Read(t.Context(), log, store.Range{Last: tail.Last}, func(r store.Record) bool {
			writer, _, _ := strings.Cut(r.ID, "-")
			if seen[r.ID] {
				doubled++
			} else if r.ID < newest[writer] {
				disordered++
			}
			seen[r.ID], newest[writer] = true, r.ID
			count++
			return true
		})
		if err != nil || count != tail.Count {
			t.Errorf("log %s: %d records, tail %+v, %v", log, count, tail, err)
		}
		for _, id := range ids {
			if !seen[id] {
				lost++
			}
		}
		all += len(ids)
	}
	longest := time.Duration(w.longer.Load()).Seconds()
	t.Logf("acknowledged %d, lost %d, doubled %d, out of order %d, longest append %.1fs",
		all, lost, doubled, disordered, longest)
	if lost+doubled+disordered > 0 {
		t.Error("the log is not what was acknowledged")
	}
}

// TestALeaseEndsAlthoughTheLeaderChanges abandons a lease, and restarts all servers before
// it ends.
func TestALeaseEndsAlthoughTheLeaderChanges(t *testing.T) {
	c := natstest.StartCluster(t, natstest.Always)
	url := natstest.NewHome(t, c.URL(), 3)
	o := store.Options{URL: url, Lease: 5 * time.Second, Timeout: longestAppend}
	gone := natstest.Open(t, o)
	if _, err := gone.Leases.Take(t.Context(), "k", []byte("gone")); err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for _, n := range c.Nodes {
		n.Kill()
	}
	for _, n := range c.Nodes {
		n.Start()
	}
	if !c.Healthy(healthyAgain) {
		t.Fatalf("the servers are not healthy after %v", healthyAgain)
	}
	if l := takeWhenItEnds(t, natstest.Open(t, o), "k"); l.Fresh() {
		t.Error("the next holder was not told that the lease before was not given back")
	}
}

// TestStatusNamesAServerThatDied asks until the others have not heard from it for some time.
// If it led the streams, who leads now has never heard from it.
func TestStatusNamesAServerThatDied(t *testing.T) {
	for name, led := range map[string]bool{"a follower": false, "the leader": true} {
		t.Run(name, func(t *testing.T) {
			c := natstest.StartCluster(t, natstest.Always)
			url := natstest.NewHome(t, c.URL(), 3)
			e := natstest.Open(t, store.Options{URL: url, Timeout: longestAppend})
			leader, died := c.Nodes[0], c.Nodes[1]
			if led {
				died = leader
			}
			lead(t, url, leader.Name)
			died.Kill()
			var silent []string
			for end := time.Now().Add(healthyAgain); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				if silent = silentServers(t, e); slices.Equal(silent, []string{died.Name}) {
					return
				}
			}
			t.Errorf("silent are %q, and %q died", silent, died.Name)
		})
	}
}

// silentServers names the servers that the others have not heard from.
func silentServers(t *testing.T, e *store.Engine) (names []string) {
	t.Helper()
	status, err := e.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range status.Servers {
		if s.Silent > 0 && !s.Current {
			names = append(names, s.Name)
		}
	}
	return names
}

// lead makes a server the leader of all streams of a home, that has heard from the others.
func lead(t *testing.T, url, server string) {
	t.Helper()
	servers, home := url[:strings.LastIndexByte(url, '/')], url[strings.LastIndexByte(url, '/')+1:]
	nc, err := nats.Connect(servers)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	unheard := func(p *nats.PeerInfo) bool { return p.Active == 0 }
	for _, stream := range []string{"KV_chibi_" + home, "chibi_" + home + "_log", "chibi_" + home + "_out"} {
		for end := time.Now().Add(healthyAgain); ; time.Sleep(50 * time.Millisecond) {
			info, err := js.StreamInfo(stream)
			leads := err == nil && info.Cluster.Leader == server
			if leads && !slices.ContainsFunc(info.Cluster.Replicas, unheard) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%s does not lead %s: %+v, %v", server, stream, info, err)
			}
			if !leads {
				preferred := fmt.Appendf(nil, `{"placement":{"preferred":%q}}`, server)
				_, _ = nc.Request("$JS.API.STREAM.LEADER.STEPDOWN."+stream, preferred, time.Second) // asked again
			}
		}
	}
}
