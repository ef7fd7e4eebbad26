package resident

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/plugin/process"
)

func TestARequestIsOneLineInAFixedOrder(t *testing.T) {
	line, err := encode(7, Question{Method: "hook", Params: map[string]string{"point": "pre_tool"}})
	const want = `{"jsonrpc":"2.0","id":7,"method":"hook","params":{"point":"pre_tool"}}`
	if string(line) != want || err != nil {
		t.Errorf("line = %s, %v, want %s", line, err, want)
	}
}

func TestWhatIsNotAnAnswerSaysWhy(t *testing.T) {
	for line, want := range map[string]string{
		`starting up`:                            `it wrote a line that is not JSON: "starting up"`,
		``:                                       `it wrote a line that is not JSON: ""`,
		`[]`:                                     `it wrote a line that is not an answer: it must be an object`,
		`{"id":1,"result":{}}`:                   `"jsonrpc" is not "2.0"`,
		`{"jsonrpc":"2.0","result":1}`:           `it has no "id"`,
		`{"jsonrpc":"2.0","id":"1","result":{}}`: `id: must be an integer, is a string`,
		`{"jsonrpc":"2.0","id":1}`:               `must have either "result" or "error"`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"message":"m"}}`:          `must have either "result" or "error"`,
		`{"jsonrpc":"2.0","id":1,"result":{},"block":true}`:                     `unknown field "block"`,
		`{"jsonrpc":"2.0","method":"log","params":{}}`:                          `unknown field "method"`,
		strings.Repeat("[", 100_000):                                            `nests`,
		`{"jsonrpc":"2.0","id":1,"error":{"message":"m","detail":1}}`:           `unknown field "error.detail"`,
		`{"jsonrpc":"2.0","id":99999999999999999999,"result":{}}`:               `id: must be an integer`,
		`{"jsonrpc":"2.0","id":1,"result":{}} {"jsonrpc":"2.0","id":2,"result"`: `not JSON`,
	} {
		if _, err := decode([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: error = %v, want %s", line, err, want)
		}
	}
}

func TestAByteOrderMarkBeforeALineIsSkipped(t *testing.T) {
	r, err := decode([]byte("\ufeff{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"))
	if err != nil || string(r.Result) != "{}" {
		t.Errorf("%+v, %v", r, err)
	}
}

// peer is the other end of a connection without a process.
type peer struct {
	written chan string
	lines   chan string
}

func newPeer() peer { return peer{make(chan string, 10), make(chan string, 10)} }

func (p peer) WriteLine(_ context.Context, line []byte) (int, error) {
	p.written <- string(line)
	return len(line) + 1, nil
}

func (p peer) LimitLines(int64) {}

func (p peer) Cut() { close(p.lines) }

func (p peer) ReadLong(ctx context.Context) (process.Line, error) {
	select {
	case line, more := <-p.lines:
		if !more {
			return process.Line{}, process.ErrClosed
		}
		return process.Line{Data: []byte(line)}, nil
	case <-ctx.Done():
		return process.Line{}, ctx.Err()
	}
}

// listen starts a connection to a peer, and returns what it broke with.
func listen(t *testing.T) (peer, *conn, <-chan string) {
	p, broke := newPeer(), make(chan string, 1)
	c := newConn(p, func(why error, underWay []pending) {
		broke <- fmt.Sprintf("%v, %d under way", why, len(underWay))
	})
	go c.read(t.Context())
	return p, c, broke
}

func answer(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

func TestAnswersAreMatchedByTheirIDs(t *testing.T) {
	p, c, _ := listen(t)
	results := make(chan string, 2)
	for i := range 2 {
		go func() {
			a, _ := c.ask(t.Context(), Question{Method: "hook", Params: i})
			results <- fmt.Sprintf("%d: %s %v", i, a.response.Result, a.err)
		}()
	}
	for range 2 {
		line := <-p.written
		id, params := line[len(`{"jsonrpc":"2.0","id":`)]-'0', line[len(line)-2:len(line)-1]
		p.lines <- answer(int(id), `"to `+params+`"`)
	}
	got := []string{<-results, <-results}
	slices.Sort(got)
	if want := []string{`0: "to 0" <nil>`, `1: "to 1" <nil>`}; !slices.Equal(got, want) {
		t.Errorf("results = %q", got)
	}
}

func TestAConnectionBreaksOnce(t *testing.T) {
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"another id":  {[]string{answer(2, "{}")}, "it answered request 2, which nobody made, 1 under way"},
		"id 0":        {[]string{answer(0, "{}")}, "it answered request 0, which nobody made, 1 under way"},
		"twice":       {[]string{answer(1, "{}"), answer(1, "{}")}, "it answered request 1 twice, 0 under way"},
		"a log line":  {[]string{"hello", answer(1, "{}")}, `it wrote a line that is not JSON: "hello"`},
		"before that": {[]string{`{"id":1}`, "hello", "hello"}, "is not an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			p, c, broke := listen(t)
			done := make(chan error, 1)
			go func() {
				a, written := c.ask(t.Context(), Question{})
				if !written {
					a.err = errors.New("it was not written")
				}
				done <- a.err
			}()
			<-p.written
			for _, line := range test.lines {
				p.lines <- line
			}
			if why := <-broke; !strings.Contains(why, test.want) {
				t.Errorf("it broke: %s, want %s", why, test.want)
			}
			if err := <-done; (err == nil) != (name == "twice") {
				t.Errorf("the request under way: %v", err)
			}
			if a, written := c.ask(t.Context(), Question{}); written || a.err == nil {
				t.Errorf("a request after that: written %v, %v", written, a.err)
			}
		})
	}
}

func TestATimeLimitAndAnInterruptionBreakIt(t *testing.T) {
	late := fmt.Errorf("%w after 1ms", process.ErrTimeout)
	limited, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, late)
	defer cancel()
	interrupted, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	for want, ctx := range map[error]context.Context{process.ErrTimeout: limited, errInterrupted: interrupted} {
		p, c, broke := listen(t)
		go func() {
			<-p.written
			interrupt()
		}()
		if a, written := c.ask(ctx, Question{}); !written || !errors.Is(a.err, want) {
			t.Errorf("written %v, %v, want %v", written, a.err, want)
		}
		<-broke
	}
}

// TestAnAnswerThatWasWrittenInTimeCounts however late the host comes to read it. Its process is
// ended, which is no failure of it.
func TestAnAnswerThatWasWrittenInTimeCounts(t *testing.T) {
	for _, cause := range []error{fmt.Errorf("%w after 1ms", process.ErrTimeout), nil} {
		p, broke := newPeer(), make(chan error, 1)
		c := newConn(p, func(why error, _ []pending) { broke <- why })
		limited, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, cause)
		defer cancel()
		p.lines <- answer(1, `{"block":true}`)
		time.AfterFunc(100*time.Millisecond, func() { c.read(t.Context()) })
		if a, _ := c.ask(limited, Question{}); a.err != nil || string(a.response.Result) != `{"block":true}` {
			t.Errorf("%v: %s, %v", cause, a.response.Result, a.err)
		}
		if why := <-broke; !errors.Is(why, errInterrupted) {
			t.Errorf("%v: it broke: %v", cause, why)
		}
	}
}

// FuzzDecode holds that a line is either an answer with one id and either a result or an
// error, or an error that says why not.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(answer(1, `{"block":true}`)))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"why"}}`))
	f.Add([]byte("log line"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1e2,"result":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		fuzztest.Memory(t)
		r, err := decode(line)
		if err == nil && (r.ID == nil || (r.Result == nil) == (r.Error == nil)) {
			t.Errorf("%q became %+v", line, r)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("the error has %d bytes", len(err.Error()))
		}
	})
}
