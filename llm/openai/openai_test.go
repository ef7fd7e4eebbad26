package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/llm"
	"github.com/chibi-host/chibi/llm/demo"
	"github.com/chibi-host/chibi/llm/openai"
	"github.com/google/go-cmp/cmp"
)

// serve starts a server and a client for it that does not really wait.
func serve(t *testing.T, handler http.HandlerFunc) (client *openai.Client, waits *[]time.Duration) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	waits = &[]time.Duration{}
	return &openai.Client{URL: server.URL + "/v1", Sleep: func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}}, waits
}

// streams answers with pieces, each sent on its own.
func streams(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range pieces {
			io.WriteString(w, piece)
			w.(http.Flusher).Flush()
		}
	}
}

func delta(text string) string {
	return `data: {"choices":[{"delta":{"content":"` + text + `"}}]}` + "\n\n"
}

const (
	stop = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done = "data: [DONE]\n\n"
)

// call is a chunk with a fragment of a tool call.
func call(fragment string) string {
	return `data: {"choices":[{"delta":{"tool_calls":[` + fragment + `]}}]}` + "\n\n"
}

func TestStreams(t *testing.T) {
	for _, test := range []struct {
		name   string
		pieces []string
		want   llm.Reply
		err    string
	}{
		{name: "plain", pieces: []string{delta("Hello"), delta(" you"), stop, done},
			want: llm.Reply{Text: "Hello you", FinishReason: "stop"}},
		{name: "split lines", pieces: []string{"da", `ta: {"choices":[{"delta":{"con`, `tent":"Hi"}}]}`, "\n", "\n", done},
			want: llm.Reply{Text: "Hi"}},
		{name: "split characters", pieces: []string{`data: {"choices":[{"delta":{"content":"` + "\xc3", "\xa9" + `"}}]}` +
			"\n\n", done}, want: llm.Reply{Text: "é"}},
		{name: "CRLF", pieces: []string{strings.ReplaceAll(delta("Hi")+done, "\n", "\r\n")}, want: llm.Reply{Text: "Hi"}},
		{name: "comments", pieces: []string{": waiting\n\n", delta("Hi"), ": still\n", done}, want: llm.Reply{Text: "Hi"}},
		{name: "no space", pieces: []string{strings.ReplaceAll(delta("Hi")+done, "data: ", "data:")},
			want: llm.Reply{Text: "Hi"}},
		{name: "no [DONE] but a finish reason", pieces: []string{delta("Hi"), stop},
			want: llm.Reply{Text: "Hi", FinishReason: "stop"}},
		{
			name: "usage, id and model",
			pieces: []string{delta("Hi"), `data: {"id":"x","model":"m","choices":[],"usage":{"prompt_tokens":5,` +
				`"completion_tokens":2}}` + "\n\n", done},
			want: llm.Reply{ID: "x", Model: "m", Text: "Hi", Usage: llm.Usage{InputTokens: 5, OutputTokens: 2}},
		},
		{name: "an error that is null", pieces: []string{`data: {"error":null,"choices":[{"delta":{"content":"Hi"}}]}` +
			"\n\n", done}, want: llm.Reply{Text: "Hi"}},
		{
			name: "tool calls in fragments, out of order, with a gap",
			pieces: []string{
				call(`{"index":3,"id":"b","function":{"name":"two","arguments":"{"}}`),
				call(`{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\":"}}`),
				call(`{"index":3,"function":{"arguments":"}"}}`),
				call(`{"index":0,"function":{"arguments":"1}"}}`), done,
			},
			want: llm.Reply{ToolCalls: []llm.ToolCall{{ID: "a", Name: "one", Arguments: `{"x":1}`},
				{ID: "b", Name: "two", Arguments: `{}`}}},
		},
		{
			name:   "tool calls without index and id",
			pieces: []string{call(`{"function":{"name":"one","arguments":{"x":1}}}`), done},
			want:   llm.Reply{ToolCalls: []llm.ToolCall{{ID: "call_0", Name: "one", Arguments: `{"x":1}`}}},
		},
		{name: "an error in mid-stream", pieces: []string{delta("Hal"), `data: {"error":{"message":"overloaded"}}` + "\n\n"},
			want: llm.Reply{Text: "Hal"}, err: "model server HOST: overloaded"},
		{name: "an error as text", pieces: []string{`data: {"error":"model not found"}` + "\n\n"},
			err: "model server HOST: model not found"},
		{name: "cut off", pieces: []string{delta("Hal")}, want: llm.Reply{Text: "Hal"},
			err: "model server HOST: the answer was cut off before its end"},
		{name: "cut off inside an event", pieces: []string{delta("Hal"), `data: {"choi`}, want: llm.Reply{Text: "Hal"},
			err: "model server HOST: the answer was cut off before its end"},
		{name: "garbage", pieces: []string{"data: <html>\n\n"}, err: `model server HOST: sent "<html>", which is not JSON`},
		{name: "not a stream", pieces: []string{"<html>hello</html>\n"},
			err: "model server HOST: the answer is not a stream of chat completions; check base_url"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, _ := serve(t, streams(test.pieces...))
			var shown strings.Builder
			got, err := client.Stream(t.Context(), json.RawMessage(`{}`), func(delta string) { shown.WriteString(delta) })
			if text := hostless(client, err); text != test.err {
				t.Errorf("error = %s\nwant    %s", text, test.err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
			if shown.String() != test.want.Text {
				t.Errorf("shown %q, want %q", shown.String(), test.want.Text)
			}
		})
	}
}

func hostless(c *openai.Client, err error) string {
	if err == nil {
		return ""
	}
	host := strings.TrimSuffix(strings.TrimPrefix(c.URL, "http://"), "/v1")
	return strings.ReplaceAll(err.Error(), host, "HOST")
}

func TestAnAnswerThatIsNotStreamed(t *testing.T) {
	client, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"choices":[{"message":{"content":"Hi","tool_calls":[{"id":"a","function":{"name":"x",`+
			`"arguments":"{}"}}]},"finish_reason":"stop"}]}`)
	})
	got, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil)
	if err != nil || got.Text != "Hi" || len(got.ToolCalls) != 1 {
		t.Errorf("reply = %+v, %v", got, err)
	}
}

func TestTheBodyIsSentAsItIs(t *testing.T) {
	body := `{"temperature": 1e3, "b":"<&>",  "a":0.70}`
	client, _ := serve(t, func(w http.ResponseWriter, req *http.Request) {
		data, _ := io.ReadAll(req.Body)
		if string(data) != body || req.URL.Path != "/v1/chat/completions" ||
			req.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s %s %s", req.URL.Path, data, req.Header.Get("Authorization"))
		}
		streams(delta("Hi"), done)(w, req)
	})
	client.Key = "secret"
	if _, err := client.Stream(t.Context(), json.RawMessage(body), nil); err != nil {
		t.Error(err)
	}
}

func TestRetries(t *testing.T) {
	date := time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat)
	for _, test := range []struct {
		name     string
		statuses []int
		header   string
		value    string
		tries    int
		wait     time.Duration // the first one, about
		err      string
	}{
		{name: "seconds", statuses: []int{429, 200}, header: "Retry-After", value: "2", tries: 2, wait: 2 * time.Second},
		{name: "a date", statuses: []int{503, 200}, header: "Retry-After", value: date, tries: 2, wait: 30 * time.Second},
		{name: "milliseconds", statuses: []int{429, 200}, header: "Retry-After-Ms", value: "1500", tries: 2,
			wait: 1500 * time.Millisecond},
		{name: "nothing said", statuses: []int{500, 502, 200}, tries: 3, wait: 500 * time.Millisecond},
		{name: "too long", statuses: []int{429}, header: "Retry-After", value: "600", tries: 1,
			err: "model server HOST: HTTP 429: slow down; the server asks to wait 10m0s, more than 1m0s"},
		{name: "for ever", statuses: []int{500, 500, 500, 500, 500}, tries: 4, wait: 500 * time.Millisecond,
			err: "model server HOST: HTTP 500: slow down"},
		{name: "our fault", statuses: []int{401}, tries: 1, err: "model server HOST: HTTP 401: slow down; check api_key"},
		{name: "not there", statuses: []int{404}, tries: 1,
			err: "model server HOST: HTTP 404: slow down; check base_url and model"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tries := 0
			client, waits := serve(t, func(w http.ResponseWriter, req *http.Request) {
				status := test.statuses[tries]
				tries++
				if status == 200 {
					streams(delta("Hi"), done)(w, req)
					return
				}
				if test.header != "" {
					w.Header().Set(test.header, test.value)
				}
				w.WriteHeader(status)
				io.WriteString(w, `{"error":{"message":"slow down"}}`)
			})
			_, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil)
			if got := hostless(client, err); got != test.err || tries != test.tries {
				t.Errorf("%d tries, error = %s\nwant %d, %s", tries, got, test.tries, test.err)
			}
			if test.wait > 0 && ((*waits)[0] > test.wait || (*waits)[0] < test.wait-5*time.Second) {
				t.Errorf("waited %v, want %v", *waits, test.wait)
			}
		})
	}
}

func TestNothingIsAskedAgainOnceTheAnswerHasBegun(t *testing.T) {
	tries := 0
	client, _ := serve(t, func(w http.ResponseWriter, req *http.Request) {
		tries++
		streams(delta("Hal"))(w, req)
		panic(http.ErrAbortHandler)
	})
	got, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil)
	if err == nil || got.Text != "Hal" || tries != 1 {
		t.Errorf("reply %+v, %v after %d tries", got, err, tries)
	}
}

func TestSilenceEnds(t *testing.T) {
	release := make(chan struct{})
	client, _ := serve(t, func(w http.ResponseWriter, req *http.Request) {
		streams(delta("Hal"))(w, req)
		select {
		case <-release:
		case <-req.Context().Done():
		}
	})
	defer close(release)
	client.IdleTimeout = 50 * time.Millisecond
	got, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil)
	if text := hostless(client, err); text != "model server HOST: no data for 50ms "+
		"(request_idle_timeout_ms)" || got.Text != "Hal" {
		t.Errorf("reply %+v, %s", got, text)
	}
}

func TestCancelling(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client, _ := serve(t, func(w http.ResponseWriter, req *http.Request) {
		streams(delta("Hal"))(w, req)
		io.Copy(io.Discard, req.Body) // a server notices that a client went away once it has read
		<-req.Context().Done()
	})
	got, err := client.Stream(ctx, json.RawMessage(`{}`), func(string) { cancel() })
	if !errors.Is(err, context.Canceled) || got.Text != "Hal" {
		t.Errorf("reply %+v, %v", got, err)
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	client := &openai.Client{URL: "http://127.0.0.1:1/v1", Retries: -1}
	_, err := client.Stream(t.Context(), json.RawMessage(`{}`), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "model server 127.0.0.1:1: connection refused") {
		t.Errorf("error = %v", err)
	}
}

func ExampleClient() {
	server, err := demo.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := &openai.Client{URL: server.URL}
	body, _ := llm.Request{Model: "demo", Messages: []llm.Message{{Role: "user", Content: "@say Hello!"}}}.Body()
	reply, err := client.Stream(context.Background(), body, func(delta string) { fmt.Print(delta) })
	fmt.Println()
	fmt.Println(reply.FinishReason, err)
	// Output:
	// Hello!
	// stop <nil>
}

func FuzzStream(f *testing.F) {
	for _, seed := range []string{delta("Hi") + done, call(`{"index":-1,"function":{"arguments":"x"}}`), "data: 1\n\n",
		"data:\r\rdata: {}\r\n\r\n\ndata", "data:\n\n: x\n\n", `data: {"choices":3}` + "\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		fuzztest.Memory(t)
		read := func(transport http.RoundTripper) (llm.Reply, error) {
			client := &openai.Client{URL: "http://fuzz/v1", Retries: -1,
				HTTP: &http.Client{Transport: transport}, AnswerBytes: 1 << 10}
			return client.Stream(t.Context(), json.RawMessage(`{}`), nil)
		}
		reply, err := read(answers(stream))
		if again, failure := read(dripping{answers(stream)}); !cmp.Equal(reply, again) ||
			fmt.Sprint(err) != fmt.Sprint(failure) {
			t.Errorf("in single bytes it is another answer: %s, %v, %v", cmp.Diff(reply, again), err, failure)
		}
		for _, c := range reply.ToolCalls {
			if err == nil && c.ID == "" {
				t.Error("a call without an id")
			}
		}
	})
}

// dripping is a transport whose answers come in single bytes.
type dripping struct{ http.RoundTripper }

func (d dripping) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := d.RoundTripper.RoundTrip(req)
	if err == nil {
		res.Body = io.NopCloser(iotest.OneByteReader(res.Body))
	}
	return res, err
}

// answers is a transport that answers everything with the same stream.
type answers []byte

func (a answers) RoundTrip(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Write(a)
	res := w.Result()
	res.Request = req
	return res, nil
}
