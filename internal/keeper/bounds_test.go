//go:build linux

package keeper_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/plugin/resident"
)

// TestALargeAnswerPassesThroughAKeeper that stays small.
func TestALargeAnswerPassesThroughAKeeper(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pid := w.started()
	r := w.run()
	a, err := r.Ask(t.Context(), resident.Question{Method: "large", Long: 1 << 30, Timeout: time.Hour})
	if err != nil || a.Long == nil || a.Long.File == nil || a.Long.File.Size() != 200_000_000 {
		t.Errorf("%+v, %v", a, err)
	}
	if a.Long != nil {
		a.Long.File.Close()
	}
	if a, err := r.Ask(t.Context(), resident.Question{Method: "large", Long: 1 << 20, Timeout: time.Hour}); err == nil {
		t.Errorf("more than the limit: %+v", a)
	} else if a.Long == nil || !strings.HasPrefix(a.Long.Text, "xxx") {
		t.Errorf("what came of it is lost: %v", err)
	}
	if peak := peakMiB(t, pid); peak > 64 {
		t.Errorf("the keeper took %d MiB", peak)
	}
}

// megabyte is a large question.
func megabyte(timeout time.Duration) resident.Question {
	return resident.Question{Method: "first", Params: strings.Repeat("x", 1<<20), Timeout: timeout}
}

// TestALargeQuestion takes several frames, which the plugin acknowledges by reading.
func TestALargeQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pid := w.started()
	r := w.run()
	kept := r.pid()
	for range 2 {
		a, err := r.Ask(t.Context(), megabyte(time.Hour))
		if err != nil || string(a.Result) != kept {
			t.Errorf("%+v, %v", a, err)
		}
	}
	// It does not read this one, and the client must not wait for ever.
	go r.Ask(t.Context(), resident.Question{Method: "hangs", Timeout: time.Hour})
	w.until("it hangs", func() bool { return w.count("hangs") > 0 })
	r.end()
	w.until("its end", func() bool { return !isAlive(kept) })
	if peak := peakMiB(t, pid); peak > 64 {
		t.Errorf("the keeper took %d MiB", peak)
	}
}

// TestAQuestionThatIsNotRead is ended by its time limit, with the process.
func TestAQuestionThatIsNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.own(func(string) string { return "#!/bin/sh\nexec sleep 600\n" })
	w.started()
	r := w.run()
	a, err := r.Ask(t.Context(), megabyte(3*time.Second))
	if err == nil || !a.Written || !a.Unread {
		t.Errorf("%+v, %v", a, err)
	}
	r.end()
	w.holds(1)
}

// started starts a keeper as a process of its own, which holds a process of no interest, and
// returns its id.
func (w *world) started() (pid int) {
	w.t.Helper()
	other := func(s *resident.Spec) {
		s.Command.Path, s.Command.Env = os.Getenv(scriptVariable), []string{"LOG=" + w.log + ".other"}
	}
	first := w.run(other)
	first.pid()
	first.end()
	w.until("a keeper", func() bool { _, err := keeper.StatusOf(w.home); return err == nil })
	second := w.run(other)
	second.pid()
	second.end()
	w.holds(1)
	return w.status().Pid
}

// peakMiB is the most memory that a process ever had.
func peakMiB(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(status))
	if found == nil {
		t.Fatalf("the keeper has ended: %s", status)
	}
	kib, _ := strconv.Atoi(found[1])
	return kib >> 10
}

// TestAClientThatDoesNotKeepToTheBounds loses its process.
func TestAClientThatDoesNotKeepToTheBounds(t *testing.T) {
	input := string([]byte{'I', 0, 0, 0xff, 0xff}) + strings.Repeat("x", 0xffff)
	for name, frames := range map[string]string{
		"a frame that is too large":  "I\x00\x01\x00\x01",
		"more than the window":       strings.Repeat(input, 8),
		"an unknown frame":           "Q\x00\x00\x00\x00",
		"a release that says little": "R\x00\x00\x00\x01x",
		"a keeper's frame":           "O\x00\x00\x00\x01x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.own(func(string) string { return "#!/bin/sh\nexec sleep 600\n" })
			over := w.serve()
			conn := w.borrow()
			go io.WriteString(conn, frames)
			io.Copy(io.Discard, conn) // until the keeper closes the connection
			<-over
		})
	}
}

// borrow speaks to the keeper as a client does, and returns the connection behind the reply.
func (w *world) borrow() net.Conn {
	w.t.Helper()
	conn := w.request()
	if reply, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(reply, `{"chibi_keeper":1`) ||
		strings.Contains(reply, "error") {
		w.t.Fatalf("%s, %v", reply, err)
	}
	return conn
}

// request asks the keeper for a process.
func (w *world) request() net.Conn {
	w.t.Helper()
	key := keeper.Key{Path: w.script, Dir: w.home}
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	program, _ := fileid.Stat(exe)
	key.File, _ = fileid.Stat(w.script)
	q, _ := json.Marshal(keeper.Request{Version: 1, Op: "lend", Program: program,
		Process: &keeper.Wanted{Key: key, Args: []string{"--resident"}, Env: []byte(strings.Join(w.env, "\x00")),
			KeepMS: 60_000}})
	conn, err := net.Dial("unix", filepath.Join(w.home, "keeper.sock"))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	conn.Write(append(q, '\n'))
	return conn
}

// TestAClientThatDoesNotWait for the reply, as a run does after 20 ms, leaves the process for
// the next one.
func TestAClientThatDoesNotWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	w.borrow().Close()
	w.holds(1)
	pid := w.status().Processes[0].Pid
	for range 30 {
		w.request().Close()
	}
	w.until("nothing is in use", func() bool { return w.status().Busy() == 0 })
	if !isAlive(fmt.Sprint(pid)) {
		t.Error("the process was ended")
	}
}

// TestAClientThatGoesAway in the middle of a call ends the process with its children. One
// that asked nothing leaves it as it was.
func TestAClientThatGoesAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	over := w.serve()
	w.borrow().Close()
	w.holds(1)
	kept := w.status().Processes[0].Pid
	conn := w.borrow()
	line := `{"jsonrpc":"2.0","id":1,"method":"hangs","params":null}` + "\n"
	io.WriteString(conn, string([]byte{'I', 0, 0, 0, byte(len(line))})+line)
	w.until("the call", func() bool { return w.child() != "" })
	conn.Close()
	<-over
	if isAlive(fmt.Sprint(kept)) {
		t.Error("the process is left running")
	}
	w.until("the end of its child", func() bool { return !isAlive(w.child()) })
}

// TestAClientThatDoesNotRead lets the process wait, not grow the keeper; it can still end it.
func TestAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pid := w.started()
	conn := w.borrow()
	line := `{"jsonrpc":"2.0","id":1,"method":"large","params":null}` + "\n"
	io.WriteString(conn, string([]byte{'I', 0, 0, 0, byte(len(line))})+line)
	w.until("the call", func() bool { return w.count("large") > 0 })
	io.WriteString(conn, "K\x00\x00\x00\x00")
	w.holds(1)
	if peak := peakMiB(t, pid); peak > 64 {
		t.Errorf("the keeper took %d MiB", peak)
	}
}
