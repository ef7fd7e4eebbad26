package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chibi-host/chibi/llm/openai"
)

// moment is something that a server does after a while.
type moment struct {
	after time.Duration
	sends string
}

// every repeats a moment.
func every(d time.Duration, times int, sends string) (list []moment) {
	for range times {
		list = append(list, moment{d, sends})
	}
	return list
}

func then(lists ...[]moment) (all []moment) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// scripted is a server without a network: so the clock of a test can be false,
// and an hour takes no time.
type scripted struct {
	headers time.Duration
	status  int
	moments []moment
	tries   int
}

func (s *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	s.tries++
	select {
	case <-req.Context().Done():
		return nil, req.Context().Err()
	case <-time.After(s.headers):
	}
	out, in := io.Pipe()
	context.AfterFunc(req.Context(), func() { in.CloseWithError(req.Context().Err()) })
	go func() {
		for _, m := range s.moments {
			select {
			case <-req.Context().Done():
				return
			case <-time.After(m.after):
			}
			if _, err := io.WriteString(in, m.sends); err != nil {
				return
			}
		}
		in.Close()
	}()
	return &http.Response{StatusCode: s.status, Body: out, Request: req, Header: http.Header{}}, nil
}

// TestOnlyTimeSpentWaitingForTheServerCounts has bounds of ten minutes until
// something new arrives and two minutes of silence.
func TestOnlyTimeSpentWaitingForTheServerCounts(t *testing.T) {
	const ping = ": ping\n\n"
	empty := `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n"
	thought := `data: {"choices":[{"delta":{"content":"","reasoning":"hm"}}]}` + "\n\n"
	whole := []moment{{0, delta("Hi") + stop + done}}
	for _, test := range []struct {
		name    string
		server  scripted
		reading time.Duration // how long the reader of the answer takes for each piece
		text    string
		err     string
		took    time.Duration
		tries   int
		notices int
	}{
		{name: "at once", server: scripted{moments: whole}, text: "Hi"},
		{name: "a slow model is waited for", server: scripted{headers: 9 * time.Minute, moments: whole}, text: "Hi",
			took: 9 * time.Minute, notices: 1},
		{
			name: "comments while a slow model thinks", server: scripted{moments: then(every(time.Minute, 9, ping), whole)},
			text: "Hi", took: 9 * time.Minute, notices: 1,
		},
		{
			name: "a server that accepts and says nothing is asked once", server: scripted{headers: 24 * time.Hour},
			took: 10 * time.Minute, notices: 1,
			err: "no answer within 10m0s (request_first_byte_timeout_ms)",
		},
		{
			name: "headers and nothing else", server: scripted{moments: every(24*time.Hour, 1, "")},
			took: 10 * time.Minute, notices: 1,
			err: "no answer within 10m0s (request_first_byte_timeout_ms)",
		},
		{
			name: "comments and nothing else", server: scripted{moments: every(10*time.Second, 100_000, ping)},
			took: 10 * time.Minute, notices: 1,
			err: "no answer within 10m0s (request_first_byte_timeout_ms)",
		},
		{
			name: "silence in the middle", server: scripted{moments: []moment{{time.Second, delta("Hal")},
				{24 * time.Hour, ""}}}, text: "Hal",
			took: 2*time.Minute + time.Second, err: "no data for 2m0s (request_idle_timeout_ms)",
		},
		{
			name: "comments in the middle, then it goes on",
			server: scripted{moments: then([]moment{{0, delta("Hal")}}, every(time.Minute, 9, ping),
				[]moment{{0, delta("lo") + stop + done}})},
			text: "Hallo", took: 9 * time.Minute,
		},
		{
			name: "comments for ever", server: scripted{moments: then([]moment{{0, delta("Hal")}},
				every(time.Minute, 10_000, ping))}, text: "Hal",
			took: 10 * time.Minute, err: "no new content for 10m0s (request_first_byte_timeout_ms)",
		},
		{
			name: "empty pieces for ever", server: scripted{moments: then([]moment{{0, delta("Hal")}},
				every(time.Minute, 10_000, empty))}, text: "Hal",
			took: 10 * time.Minute, err: "no new content for 10m0s (request_first_byte_timeout_ms)",
		},
		{
			name:   "a model that thinks for an hour is not silent",
			server: scripted{moments: then(every(time.Minute, 60, thought), whole)},
			text:   "Hi", took: time.Hour, notices: 1,
		},
		{
			name: "a reader that pauses for an hour", server: scripted{moments: []moment{{0, delta("a")},
				{0, delta("b")}, {0, stop + done}}},
			reading: time.Hour, text: "ab", took: 2 * time.Hour,
		},
		{
			name:   "a connection that stays open after the end",
			server: scripted{moments: []moment{{0, delta("Hi") + stop}, {24 * time.Hour, ""}}},
			text:   "Hi", took: 2 * time.Minute,
		},
		{
			name:   "a connection that stays open after [DONE]",
			server: scripted{moments: []moment{{0, delta("Hi") + stop + done}, {24 * time.Hour, ""}}},
			text:   "Hi", took: 500 * time.Millisecond,
		},
		{
			name: "errors that come slowly share the time", server: scripted{headers: 4 * time.Minute, status: 500},
			took:  10*time.Minute + 1500*time.Millisecond,
			tries: 3, notices: 3, err: "no answer within 10m0s (request_first_byte_timeout_ms)",
		},
		{
			name: "the text of an error that never ends", server: scripted{status: 400,
				moments: then([]moment{{0, "no"}}, every(time.Second, 10_000, " "))},
			took: 10 * time.Second, err: "HTTP 400: no",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if test.server.status == 0 {
					test.server.status = http.StatusOK
				}
				var notices []string
				client := &openai.Client{
					URL: "http://model.test/v1", HTTP: &http.Client{Transport: &test.server},
					Notify: func(text string) { notices = append(notices, text) },
				}
				begin := time.Now()
				got, err := client.Stream(t.Context(), json.RawMessage(`{}`), func(string) { time.Sleep(test.reading) })
				text := ""
				if err != nil {
					text = strings.TrimPrefix(err.Error(), "model server model.test: ")
				}
				if got.Text != test.text || text != test.err {
					t.Errorf("answer %q, error %q\nwant %q, %q", got.Text, text, test.text, test.err)
				}
				if took := time.Since(begin); took != test.took || test.server.tries != max(test.tries, 1) {
					t.Errorf("it took %s and %d tries, want %s and %d", took, test.server.tries, test.took, max(test.tries, 1))
				}
				if len(notices) != test.notices || test.notices == 1 &&
					!strings.Contains(fmt.Sprint(notices), "has not begun to answer; chibi waits up to 10m0s") {
					t.Errorf("notices: %q, want %d", notices, test.notices)
				}
			})
		})
	}
}
