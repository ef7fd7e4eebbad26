//go:build unix

package keeper_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/plugin/resident"
)

// startsOwn checks that a run has a process of its own, and what the person is told.
func (w *world) startsOwn(client *keeper.Client, told string) {
	w.t.Helper()
	r := w.runOf(client)
	if a := r.ask("pid"); !a.Started || a.Kept {
		w.t.Errorf("it did not start its own process: %+v", a)
	}
	r.ask("pid")
	r.end()
	if n := w.count("pid"); n != 2 {
		w.t.Errorf("asked %d times: %v", n, w.did())
	}
	if got := strings.Join(w.notices(), "\n"); !strings.Contains(got, told) || told == "" && got != "" {
		w.t.Errorf("the person is told %q, want %q", got, told)
	}
}

// client is the client of a run that waits as long as runs do.
func (w *world) client() *keeper.Client {
	return &keeper.Client{Home: w.home, Keep: w.keep, Notify: w.note}
}

// listen listens where the keeper would, and lets handle answer.
func (w *world) listen(handle func(net.Conn)) net.Listener {
	w.t.Helper()
	path := filepath.Join(w.home, "keeper.sock")
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	var conns sync.WaitGroup
	w.t.Cleanup(func() { l.Close(); conns.Wait() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer conn.Close()
				handle(conn)
			})
		}
	}()
	return l
}

// TestWhatIsNoKeeperOfThisUser is not used: the run goes on without, and says why.
func TestWhatIsNoKeeperOfThisUser(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(w *world, path string) error
		told    string
	}{
		"a file": {func(_ *world, path string) error { return os.WriteFile(path, nil, 0o600) }, "is not a socket"},
		"a socket that others may use": {func(w *world, path string) error {
			w.listen(func(net.Conn) { w.t.Error("it was used") })
			return os.Chmod(path, 0o666)
		}, "may be used by others (its mode is 0666)"},
		"a link": {func(w *world, path string) error { return os.Symlink("elsewhere", path) }, "is not a socket"},
		"the socket of another user": {func(w *world, path string) error {
			if os.Geteuid() != 0 {
				w.t.Skip("only root can give a file away")
			}
			w.listen(func(net.Conn) { w.t.Error("it was used") })
			return os.Lchown(path, 1234, 1234)
		}, "belongs to another user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			path := filepath.Join(w.home, "keeper.sock")
			if err := test.prepare(w, path); err != nil {
				t.Fatal(err)
			}
			w.startsOwn(w.client(), "chibi keeps no plugins between runs: "+path+" "+test.told)
			if _, err := keeper.StatusOf(w.home); err == nil || !strings.Contains(err.Error(), test.told) {
				t.Errorf("its status: %v", err)
			}
			err := keeper.Serve(t.Context(), keeper.Options{Home: w.home})
			if err == nil || !strings.Contains(err.Error(), test.told) {
				t.Errorf("a keeper there: %v", err)
			}
			if _, err := os.Lstat(path); err != nil {
				t.Error("a keeper removed what is not its own")
			}
		})
	}
}

// TestAKeeperThatDoesNotAnswerAsOne costs a run 20 ms at most, and nothing else.
func TestAKeeperThatDoesNotAnswerAsOne(t *testing.T) {
	flood := func(conn net.Conn, text string) {
		for {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
		}
	}
	for name, handle := range map[string]func(net.Conn){
		"closes":               func(net.Conn) {},
		"never answers":        func(conn net.Conn) { io.Copy(io.Discard, conn) },
		"answers garbage":      func(conn net.Conn) { io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n") },
		"floods":               func(conn net.Conn) { flood(conn, strings.Repeat("x", 1<<16)) },
		"floods with lines":    func(conn net.Conn) { flood(conn, "{}\n") },
		"answers by halves":    func(conn net.Conn) { io.WriteString(conn, `{"chibi_keeper":1`) },
		"speaks version 2":     func(conn net.Conn) { io.WriteString(conn, `{"chibi_keeper":2}`+"\n") },
		"is nested too deep":   func(conn net.Conn) { io.WriteString(conn, strings.Repeat("[", 5000)+"\n") },
		"has no room":          func(conn net.Conn) { io.WriteString(conn, `{"chibi_keeper":1,"error":"full"}`+"\n") },
		"answers and does not": func(conn net.Conn) { io.WriteString(conn, `{"chibi_keeper":1}`); io.Copy(io.Discard, conn) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.listen(handle)
			w.startsOwn(w.client(), "")
			if name == "never answers" || strings.HasPrefix(name, "answers and") {
				return // a person would wait for ten seconds
			}
			_, err := keeper.StatusOf(w.home)
			if err == nil || !strings.Contains(err.Error(), "is not a keeper, or has another version") {
				t.Errorf("its status: %v", err)
			}
		})
	}
}

// TestAFullBacklog is as good as no keeper.
func TestAFullBacklog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := filepath.Join(w.home, "keeper.sock")
	l, err := net.Listen("unix", path) // nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	os.Chmod(path, 0o600)
	for range 10_000 {
		conn, err := net.DialTimeout("unix", path, 10*time.Millisecond)
		if err != nil {
			break
		}
		defer conn.Close()
	}
	w.startsOwn(w.client(), "")
}

// TestAKeeperThatLendsAndMisbehaves: what it was asked has failed and is not asked again;
// then the run has its own process.
func TestAKeeperThatLendsAndMisbehaves(t *testing.T) {
	frame := func(kind byte, data string) string {
		return string([]byte{kind, 0, byte(len(data) >> 16), byte(len(data) >> 8), byte(len(data))}) + data
	}
	for name, answer := range map[string]string{
		"ends":                             "",
		"a frame that is too large":        "O\x7f\xff\xff\xff",
		"half a frame":                     "O\x00\x00\x00\x09ab",
		"an unknown frame":                 frame('Z', ""),
		"acknowledges what was not sent":   frame('A', "\x00\x01\x00\x00"),
		"acknowledges in another way":      frame('A', "1"),
		"says that it ended":               frame('X', `{"exit":0,"signal":""}`),
		"does not say how it ended":        frame('X', `[`),
		"an answer that is no JSON":        frame('O', "hello\n"),
		"an answer to another question":    frame('O', `{"jsonrpc":"2.0","id":99,"result":null}`+"\n"),
		"standard output ends":             frame('D', ""),
		"standard output has a lone line":  frame('O', "\n"),
		"answers and a half, and then end": frame('O', `{"jsonrpc":"2.0"`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.listen(func(conn net.Conn) {
				in := bufio.NewReader(conn)
				in.ReadString('\n')
				io.WriteString(conn, `{"chibi_keeper":1,"was_there":true}`+"\n")
				in.ReadByte() // the question
				io.WriteString(conn, answer)
			})
			r := w.run()
			a, err := r.Ask(t.Context(), resident.Question{Method: "first", Timeout: time.Hour})
			if err == nil || !a.Written || w.count("first") > 0 {
				t.Errorf("%+v, %v; %v", a, err, w.did())
			}
			if a := r.ask("second"); !a.Started {
				t.Errorf("then: %+v", a)
			}
		})
	}
}

// TestAStaleSocket: a run starts a keeper in its place, for the next one.
func TestAStaleSocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(w.home, "keeper.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	os.Chmod(filepath.Join(w.home, "keeper.sock"), 0o600)
	l.Close()
	w.isStarted()
}

// TestAKeeperIsStarted by the first run, for the next one.
func TestAKeeperIsStarted(t *testing.T) {
	t.Parallel()
	newWorld(t).isStarted()
}

// isStarted checks that a run starts a keeper, which the test ends.
func (w *world) isStarted() {
	w.t.Helper()
	w.startsOwn(w.client(), "")
	w.until("a keeper", func() bool { s, err := keeper.StatusOf(w.home); return err == nil && s.Pid != os.Getpid() })
	s := w.status()
	if err := keeper.Serve(w.t.Context(), keeper.Options{Home: w.home}); err != keeper.ErrRuns {
		w.t.Errorf("a second keeper: %v", err)
	}
	r := w.run()
	pid := r.pid()
	r.end()
	if next := w.run(); next.pid() != pid {
		w.t.Error("the process was not kept")
	} else {
		next.end()
	}
	if _, err := keeper.Stop(w.t.Context(), w.home); err != nil {
		w.t.Error(err)
	}
	w.until("the keeper's end", func() bool { return !isAlive(fmt.Sprint(s.Pid)) })
}

// TestAKilledKeeper ends what it holds. What a run was asking has failed and is not asked
// again; the run goes on with its own process.
func TestAKilledKeeper(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.startsOwn(w.client(), "")
	w.until("a keeper", func() bool { _, err := keeper.StatusOf(w.home); return err == nil })
	r := w.run()
	pid := r.pid()
	killer := make(chan error, 1)
	go func() {
		w.until("the call", func() bool { return w.count("hangs") > 0 })
		p, _ := os.FindProcess(w.status().Pid)
		killer <- p.Kill()
	}()
	a, err := r.Ask(t.Context(), resident.Question{Method: "hangs", Timeout: time.Hour})
	if killed := <-killer; killed != nil || err == nil || !a.Written || !strings.Contains(err.Error(), "keeper") {
		t.Errorf("%v; %+v, %v", killed, a, err)
	}
	if a := r.ask("pid"); !a.Started || string(a.Result) == pid {
		t.Errorf("after that: %+v", a)
	}
	if n := w.count("hangs"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	w.until("the end of the process", func() bool { return !isAlive(pid) })
	r.end()

	w.until("another keeper", func() bool { // in the place of the stale socket, once the lock is free
		next := w.run()
		next.pid()
		next.end()
		_, err := keeper.StatusOf(w.home)
		return err == nil
	})
}

// TestALongHome: the socket is where its path is short enough, for this user only.
func TestALongHome(t *testing.T) {
	runtime, temp := shortDir(t), shortDir(t)
	os.Chmod(runtime, 0o700)
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	t.Setenv("TMPDIR", temp)
	w := newWorld(t)
	w.home = filepath.Join(w.home, strings.Repeat("long", 30))
	if err := os.Mkdir(w.home, 0o755); err != nil {
		t.Fatal(err)
	}
	place := func() string {
		p, err := keeper.PlaceOf(w.home)
		if err != nil {
			t.Fatal(err)
		}
		return p.Socket
	}
	if dir := filepath.Dir(place()); dir != runtime {
		t.Errorf("its socket is in %s", dir)
	}
	w.serve()
	r := w.run()
	pid := r.pid()
	r.end()
	if next := w.run(); next.pid() != pid {
		t.Error("the process was not kept")
	}

	os.Chmod(runtime, 0o755) // others may look for the socket
	own := filepath.Join(temp, fmt.Sprintf("chibi-%d", os.Getuid()))
	if dir := filepath.Dir(place()); dir != own {
		t.Errorf("its socket is in %s, not in %s", dir, own)
	}
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	os.Chmod(own, 0o777)
	if _, err := keeper.PlaceOf(w.home); err == nil || !strings.Contains(err.Error(), "may be used by others") {
		t.Errorf("in a directory that others may use: %v", err)
	}
	os.Remove(w.log)
	w.startsOwn(w.client(), "may be used by others")
}

// TestAnotherVersionOfTheKeeper is not used, and ends.
func TestAnotherVersionOfTheKeeper(t *testing.T) {
	for name, first := range map[string]string{
		"of the protocol": `{"chibi_keeper":7,"op":"dance"}`,
		"of the program":  `{"chibi_keeper":1,"op":"lend","program":{"ino":1},"process":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			over := w.serve()
			r := w.run()
			r.pid()
			r.end()
			conn, err := net.Dial("unix", filepath.Join(w.home, "keeper.sock"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			io.WriteString(conn, first+"\n")
			if reply, _ := io.ReadAll(conn); !strings.Contains(string(reply), "another version of this program") {
				t.Errorf("it replied %s", reply)
			}
			<-over
		})
	}
}

// TestWhatIsNoClient changes nothing.
func TestWhatIsNoClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve()
	r := w.run()
	pid := r.pid()
	r.end()
	for _, text := range []string{"", "\n", "GET / HTTP/1.1\r\n\r\n", `{"chibi_keeper":1,"op":"dance"}` + "\n",
		strings.Repeat("x", 5<<20), strings.Repeat("[", 5000) + "\n",
		`{"chibi_keeper":1,"op":"lend","program":` + "\n"} {
		conn, err := net.Dial("unix", filepath.Join(w.home, "keeper.sock"))
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(conn, text)
		if text == "" {
			conn.(*net.UnixConn).CloseWrite()
		}
		conn.SetReadDeadline(time.Now().Add(time.Hour))
		reply, err := io.ReadAll(conn)
		if errors.Is(err, syscall.ECONNRESET) { // it did not read all
			err = nil
		}
		if err != nil || strings.Contains(string(reply), "was_there") {
			t.Errorf("%.40q: %q, %v", text, reply, err)
		}
		conn.Close()
	}
	if next := w.run(); next.pid() != pid {
		t.Error("the process was not kept")
	}
}
