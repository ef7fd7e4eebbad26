//go:build unix

package keeper_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/internal/keeper"
)

// answering serves a home whose answers depend on an environment, until the test ends. over is closed
// when it has ended.
func answering(w *world, env []string,
	answer func(context.Context, json.RawMessage) (json.RawMessage, bool)) (over <-chan struct{}) {
	w.t.Helper()
	key, err := keeper.KeyOf(env, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := keeper.Serve(ctx, keeper.Options{Home: w.home, Keep: time.Hour, Key: key, Answer: answer}); err != nil {
			w.t.Error(err)
		}
	}()
	w.t.Cleanup(func() { cancel(); <-done })
	w.until("a host", func() bool { _, err := keeper.StatusOf(w.home); return err == nil })
	return done
}

// ask asks until the question arrives: on a busy machine that may take longer than a run waits.
func ask(w *world, h keeper.Host, question string) (string, error) {
	w.t.Helper()
	for {
		answer, isAsked, err := h.Ask(w.t.Context(), question)
		if isAsked {
			return string(answer), err
		}
	}
}

func TestAHostAnswersSeveralQuestionsAtOnceUntilTheLastOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	both := make(chan struct{})
	over := answering(w, nil, func(_ context.Context, q json.RawMessage) (json.RawMessage, bool) {
		switch string(q) {
		case `"one"`:
			<-both
		case `"two"`: // it is in use, which chibi uninstall looks at
			if status, err := keeper.StatusOf(w.home); err != nil || status.Busy() == 0 {
				t.Error(status, err)
			}
			close(both)
		}
		return q, string(q) == `"last"`
	})
	h := keeper.Host{Dir: w.home}
	one := make(chan string, 1)
	go func() {
		answer, err := ask(w, h, "one")
		one <- fmt.Sprint(answer, err)
	}()
	if answer, err := ask(w, h, "two"); answer != `"two"` || err != nil {
		t.Error(answer, err)
	}
	if got := <-one; got != `"one"<nil>` {
		t.Error(got)
	}
	if answer, err := ask(w, h, "last"); answer != `"last"` || err != nil {
		t.Error(answer, err)
	}
	<-over
	if _, isAsked, err := h.Ask(t.Context(), "more"); isAsked || err != nil {
		t.Error(isAsked, err)
	}
}

// TestAHostOfAnotherEnvironment, or in another directory, answers nothing and ends.
func TestAHostOfAnotherEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := func(context.Context, json.RawMessage) (json.RawMessage, bool) { return json.RawMessage("1"), false }
	over := answering(w, []string{"COLOUR=red", "PWD=/here"}, one)
	same := keeper.Host{Dir: w.home, Env: []string{"PWD=/there", "COLOUR=red"}}
	if answer, err := ask(w, same, "same"); answer != "1" || err != nil {
		t.Error(answer, err)
	}
	for isOver := false; !isOver; {
		other := keeper.Host{Dir: w.home, Env: []string{"COLOUR=blue"}}
		if answer, isAsked, err := other.Ask(t.Context(), "other"); isAsked {
			t.Fatal(string(answer), err)
		}
		select {
		case <-over:
			isOver = true
		default:
		}
	}
}

// TestAClientThatDoesNotWaitForAHost: its question is not answered there, as it answers it itself. One
// that goes away later ends its answer.
func TestAClientThatDoesNotWaitForAHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked, ended := make(chan string, 10), make(chan struct{})
	answering(w, nil, func(ctx context.Context, q json.RawMessage) (json.RawMessage, bool) {
		asked <- string(q)
		<-ctx.Done()
		close(ended)
		return nil, false
	})
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, _ := fileid.Stat(exe)
	key, err := keeper.KeyOf(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	begin := func(question string) (net.Conn, *bufio.Reader) {
		text, _ := json.Marshal(keeper.Request{Version: 1, Op: "ask", Program: program,
			Question: &keeper.Question{Key: key, Text: json.RawMessage(question)}})
		conn, err := net.Dial("unix", filepath.Join(w.home, "keeper.sock"))
		if err != nil {
			t.Fatal(err)
		}
		conn.Write(append(text, '\n'))
		in := bufio.NewReader(conn)
		if reply, err := in.ReadString('\n'); err != nil || strings.Contains(reply, "error") {
			t.Fatal(reply, err)
		}
		return conn, in
	}
	conn, _ := begin(`"leaves"`)
	conn.Close()
	conn, in := begin(`"says something else"`)
	io.WriteString(conn, "dance!\n")
	io.Copy(io.Discard, in) // until it is closed
	conn, _ = begin(`"waits"`)
	io.WriteString(conn, "answer\n")
	if q := <-asked; q != `"waits"` {
		t.Error(q)
	}
	conn.Close()
	<-ended
}

// TestAHostThatEnds without an answer leaves a question that was asked and failed.
func TestAHostThatEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.listen(func(conn net.Conn) {
		in := bufio.NewReader(conn)
		in.ReadString('\n')
		io.WriteString(conn, `{"chibi_keeper":1}`+"\n")
		in.ReadString('\n')
	})
	if answer, err := ask(w, keeper.Host{Dir: w.home}, "q"); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Error(answer, err)
	}
}
