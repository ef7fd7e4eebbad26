//go:build unix

package keeper_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/plugin/resident"
)

// cutter passes a connection on to a keeper and cuts it after so many bytes in one direction,
// as the death of one side does.
type cutter struct {
	to       string
	up, down int64 // after how many bytes; negative: never
	over     chan struct{}
	came     int64        // how many bytes passed from the keeper
	said     bytes.Buffer // what passed to it
}

func (c *cutter) pass(client net.Conn) {
	server, err := net.Dial("unix", c.to)
	if err != nil {
		return
	}
	limited := func(from io.Reader, limit int64) io.Reader {
		if limit < 0 {
			return from
		}
		return io.LimitReader(from, limit)
	}
	var both sync.WaitGroup
	both.Go(func() {
		io.Copy(server, io.TeeReader(limited(client, c.up), &c.said))
		client.Close()
		server.Close()
	})
	both.Go(func() {
		c.came, _ = io.Copy(client, limited(server, c.down))
		client.Close()
		server.Close()
	})
	both.Wait()
	close(c.over)
}

// TestAConnectionIsCutAnywhere, after every byte of what is spoken in either direction that
// can matter: nothing is asked twice, nothing that was not written is lost, no process is
// kept whose state is not known, and the run goes on.
func TestAConnectionIsCutAnywhere(t *testing.T) {
	t.Parallel()
	whole := &cutter{up: -1, down: -1}
	isCut(t, whole)
	sent, came := int64(whole.said.Len()), whole.came
	if sent < 300 || came < 100 {
		t.Fatalf("only %d and %d bytes passed", sent, came)
	}
	const frames = 320 // the frames at the end of what is sent, and more
	for n := int64(0); n <= sent; n += step(n, sent-frames, sent) {
		isCut(t, &cutter{up: n, down: -1})
	}
	for n := int64(0); n <= came; n += step(n, 0, came) {
		isCut(t, &cutter{up: -1, down: n})
	}
}

// step is how far it is to the next cut: short from where frames are, and shorter with CHIBI_TEST_ALL=1.
func step(n, frames, end int64) int64 {
	switch {
	case n < frames:
		return min(100, frames-n)
	case !systest.All() && n < end-20:
		return 11
	}
	return 3
}

// isCut asks three times in a run whose connection is cut.
func isCut(t *testing.T, c *cutter) {
	t.Helper()
	at := fmt.Sprintf("cut after %d bytes up, %d down", c.up, c.down)
	kept, w := newWorld(t), newWorld(t) // the keeper's home, and the run's
	kept.serve()
	c.to = filepath.Join(kept.home, "keeper.sock")
	c.over = make(chan struct{})
	w.listen(c.pass)

	r := w.run()
	for _, question := range []string{"first", "second", "third"} {
		a, err := r.Ask(t.Context(), resident.Question{Method: question, Timeout: time.Hour})
		n := w.count(question)
		switch {
		case err == nil && n != 1, err != nil && a.Written && n > 1, err != nil && !a.Written && n > 0:
			t.Errorf("%s: asked %d times: %+v, %v", at, n, a, err)
		}
	}
	if _, err := r.Ask(t.Context(), resident.Question{Method: "pid"}); err != nil { // it may be cut just now
		r.ask("pid")
	}
	r.end()
	<-c.over
	held := 0
	kept.until(at+": nothing is in use", func() bool {
		s, err := keeper.StatusOf(kept.home)
		held = 0
		for _, process := range s.Processes {
			held = process.Pid
		}
		return errors.Is(err, keeper.ErrNone) || err == nil && s.Busy() == 0
	})
	wasReleased := bytes.Contains(c.said.Bytes(), []byte("R\x00\x00\x00\x08"))
	did, _ := os.ReadFile(fmt.Sprintf("%s.%d", w.log, held))
	if held > 0 && !wasReleased && strings.TrimPrefix(string(did), "started\n") != "" {
		t.Errorf("%s: a process is kept that did %q", at, did)
	}
}
