package bench_test

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
)

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(temp(t), "chibi-cluster")
	out, err := exec.Command("go", "build", "-o", program, "../cmd/chibi-cluster").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// runner runs the program in a home of its own.
type runner struct {
	program, home, url string
	place              *place
}

// turner makes a home with a tool, in which a turn is run.
func turner(t testing.TB, program string, p *place) runner {
	t.Helper()
	r := runner{program: program, home: temp(t), place: p}
	if p.url != nil {
		r.url = p.url(t)
	}
	tool := filepath.Join(r.home, "plugins", "now")
	must(t, os.MkdirAll(filepath.Dir(tool), 0o700))
	script := `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name": "now", "description": "tells the time"}'; else echo noon; fi
`
	must(t, os.WriteFile(tool, []byte(script), 0o700))
	r.turn(t, r.url, "-c", "work") // from now on it is the current context, and the tool's schema is remembered
	return r
}

// turn runs a turn with one tool call.
func (r runner) turn(t testing.TB, url string, more ...string) time.Duration {
	t.Helper()
	arguments := slices.Concat([]string{"--home", r.home}, more, []string{`@tool now {}`})
	if url != "" {
		arguments = append([]string{"--store", url}, arguments...)
	}
	cmd := exec.Command(r.program, arguments...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CHIBI_") })
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil || !strings.Contains(string(out), "noon") {
		t.Fatalf("%s: %v\n%s", r.place.name, err, out)
	}
	return took
}

// measureTurns measures turns in homes with one context and with many, in turns, and counts
// their round trips.
func (b *bench) measureTurns(program string) {
	b.Helper()
	b.trips = map[string]map[string]int{rowTurn: {}, rowLarge: {}}
	var small, large []runner
	for _, p := range b.places {
		small = append(small, turner(b.T, program, p))
		if p.name == "NATS R3" {
			l := turner(b.T, program, p)
			crowd(b.T, p, l.url, *others)
			large = append(large, l)
		}
	}
	for range *turns {
		for _, r := range small {
			b.add(rowTurn, r.place.name, r.turn(b.T, r.url))
		}
		for _, r := range large {
			b.add(rowLarge, r.place.name, r.turn(b.T, r.url))
		}
	}
	for _, r := range small {
		b.count(rowTurn, r)
	}
	for _, r := range large {
		b.count(rowLarge, r)
	}
}

// crowd makes many contexts in a home, each with a prompt and its answer.
func crowd(t *testing.T, p *place, url string, n int) {
	t.Helper()
	e, err := p.open(url)
	must(t, err)
	defer e.Close()
	there := *p
	there.engine = e
	var all sync.WaitGroup
	names := make(chan int)
	for range 32 {
		all.Go(func() {
			s := there.fresh(t)
			for n := range names {
				if err := tell(t, s, fmt.Sprintf("other-%06d", n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range n {
		names <- n
	}
	close(names)
	all.Wait()
}

// tell says something in a context, with its lock.
func tell(t *testing.T, s *contexts.Store, name string) error {
	c, err := s.Context(name)
	if err != nil {
		return err
	}
	_, unlock, err := c.Lock(t.Context())
	if err != nil {
		return err
	}
	defer unlock()
	return c.Append(contexts.UserMessage("ann", name, "hello"), contexts.AssistantMessage(name, "hello"))
}

// counts is how often the round trips of a turn are counted.
const counts = 3

// count counts the round trips of a turn, less those of connecting. A server that answers later than the
// counter holds answers back adds some, so the least of a few counts is right.
func (b *bench) count(row string, r runner) {
	b.Helper()
	if r.url == "" {
		return
	}
	u, err := url.Parse(r.url)
	must(b.T, err)
	first, _, _ := strings.Cut(u.Host, ",")
	c := startCounter(b.T, first)
	u.Host = c.address
	var turns, connections []int
	for range counts {
		connections = append(connections, c.during(func() {
			e, err := r.place.open(u.String())
			must(b.T, err)
			e.Close()
		}))
		turns = append(turns, c.during(func() { r.turn(b.T, u.String()) }))
	}
	b.trips[row][r.place.name] = slices.Min(turns) - slices.Min(connections)
}

// answerTime is for how long a counter holds answers back: what a client sends without having heard any is
// sent at once then, however busy the machine is.
const answerTime = 20 * time.Millisecond

// counter passes connections on as a network that is far away does, and counts the round trips: how often
// a client hears an answer to what it has said since it heard the one before. What it says until then is a
// part of the same round trip, and what has no answer, such as a farewell, is none.
type counter struct {
	address string
	trips   atomic.Int64
}

func startCounter(t testing.TB, target string) *counter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	c := &counter{address: l.Addr().String()}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(client, target)
		}
	}()
	return c
}

// during counts what something does.
func (c *counter) during(do func()) int {
	before := c.trips.Load()
	do()
	return int(c.trips.Load() - before)
}

func (c *counter) pass(client net.Conn, target string) {
	defer client.Close()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	r := &roundTrip{trips: &c.trips, hasHeard: true}
	go func() {
		defer client.Close()
		io.Copy(writing(client, r.heard), server)
	}()
	io.Copy(writing(server, r.asked), client)
}

// roundTrip is the latest one of a connection, in which no answer comes through.
type roundTrip struct {
	trips *atomic.Int64

	mu       sync.Mutex
	ends     time.Time
	hasHeard bool // since the last round trip began
}

// asked begins a round trip, unless the client has heard nothing in this one.
func (r *roundTrip) asked() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hasHeard {
		r.ends, r.hasHeard = time.Now().Add(answerTime), false
	}
}

// heard waits until an answer may come through.
func (r *roundTrip) heard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for wait := time.Until(r.ends); wait > 0; wait = time.Until(r.ends) {
		r.mu.Unlock()
		time.Sleep(wait)
		r.mu.Lock()
	}
	if !r.hasHeard {
		r.trips.Add(1)
		r.hasHeard = true
	}
}

// writing returns a writer that tells of each piece before it is written.
func writing(w io.Writer, tell func()) io.Writer { return teller{w, tell} }

type teller struct {
	io.Writer
	tell func()
}

func (t teller) Write(p []byte) (int, error) {
	t.tell()
	return t.Writer.Write(p)
}
