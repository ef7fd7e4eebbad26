package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/llm/openai"
)

// endless sends something again and again until nobody listens.
func endless(head, again string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, err := io.WriteString(w, head)
		for err == nil {
			_, err = io.WriteString(w, again)
		}
	}
}

// floods are ways to send more than anybody wants. Of each the text Hi is kept,
// unless it is the text that has no end.
func floods() map[string]http.HandlerFunc {
	letters := strings.Repeat("x", 64<<10)
	hi := delta("Hi")
	return map[string]http.HandlerFunc{
		"text":                     endless("", delta(letters)),
		"text in small pieces":     endless("", strings.Repeat(delta("xxxxxxxxxxxxxxxx"), 1000)),
		"text in one line":         endless(hi+`data: {"choices":[{"delta":{"content":"`, letters),
		"one event of many lines":  endless(hi, "data: "+letters+"\n"),
		"an event of brackets":     endless(hi+"data: ", strings.Repeat("[", 64<<10)),
		"comments":                 endless(hi, strings.Repeat(": ping\n\n", 8<<10)),
		"a comment without end":    endless(hi+": ", letters),
		"thoughts":                 endless(hi, `data: {"choices":[{"delta":{"reasoning":"`+letters+`"}}]}`+"\n\n"),
		"an event that nests deep": endless(hi+"data: "+strings.Repeat("[", 1<<20)+"\n\n", "\n"),
		"arguments": endless(hi, call(`{"index":0,"id":"c","function":{"name":"x","arguments":"`+
			letters+`"}}`)),
		"arguments in small pieces": endless(hi, strings.Repeat(call(`{"index":0,`+
			`"function":{"arguments":"xxxxxxxxxxxxxxxx"}}`), 1000)),
		"calls":               endless(hi, manyCalls(1001)),
		"calls in one event":  endless(hi, call(strings.TrimSuffix(strings.Repeat("{},", 1<<20), ","))),
		"ids that are no ids": endless(hi, strings.ReplaceAll(manyCalls(900), `"id":"`, `"id":"`+letters)),
		"pieces that hold the event": endless(hi, `data: {"id":"y","junk":"`+strings.Repeat("j", 1<<20)+
			`","choices":[{"delta":{"tool_calls":[{"id":"c","function":{"name":"n"}}]}}]}`+"\n\n"),
		"an object": wholly(`{"choices":[{"message":{"content":"`, letters),
		"headers": func(w http.ResponseWriter, _ *http.Request) {
			for i := range 100 {
				w.Header().Set(fmt.Sprint("X-", i), letters)
			}
		},
		"an error": func(w http.ResponseWriter, req *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			endless("", letters)(w, req)
		},
	}
}

func manyCalls(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(call(fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"x"}}`, i, i)))
	}
	return b.String()
}

// wholly is endless for an answer in one piece.
func wholly(head, again string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, head)
		for {
			if _, err := io.WriteString(w, again); err != nil {
				return
			}
		}
	}
}

// TestAFloodIsCutAndMemoryStaysFlat lets a process of its own read each flood:
// it ends, says so, keeps what came, and never has 100 MiB.
func TestAFloodIsCutAndMemoryStaysFlat(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_FLOOD", func(url string) { readFlood(t.Context(), url) })
	for name, handler := range floods() {
		t.Run(name, func(t *testing.T) {
			client, _ := serve(t, handler)
			self := childtest.Command(t)
			child := exec.Command(self[0], self[1:]...)
			child.Env = childtest.Environ(t, "CHIBI_TEST_FLOOD", client.URL)
			bound := 2 << 20
			switch {
			case isRaced(): // it makes this slow
				bound = 64 << 10
			case slices.Contains([]string{"comments", "thoughts", "ids that are no ids", "pieces that hold the event"}, name):
				bound = 512 << 10 // what is not kept is bounded by a multiple of that
			}
			child.Env = append(child.Env, fmt.Sprint("CHIBI_TEST_BYTES=", bound))
			out, err := child.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var got flooded
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			wantText := 2
			switch name {
			case "text", "text in small pieces":
				wantText = bound
			case "an object", "headers", "an error":
				wantText = 0
			}
			if got.Text != wantText || got.Error == "" {
				t.Errorf("%d bytes of text, want %d; error %q", got.Text, wantText, got.Error)
			}
			if got.Memory > 100<<10 && !isRaced() {
				t.Errorf("it took %d KiB", got.Memory)
			}
		})
	}
}

// flooded is what a process reports that has read a flood.
type flooded struct {
	Text   int
	Error  string
	Memory int // at most, in KiB
}

func readFlood(ctx context.Context, url string) {
	client := &openai.Client{URL: url, Retries: -1}
	fmt.Sscan(os.Getenv("CHIBI_TEST_BYTES"), &client.AnswerBytes)
	reply, err := client.Stream(ctx, json.RawMessage(`{}`), func(string) {})
	report := flooded{Text: len(reply.Text), Error: fmt.Sprint(err)}
	if err == nil {
		report.Error = ""
	}
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		fmt.Sscanf(line, "VmHWM: %d kB", &report.Memory)
	}
	json.NewEncoder(os.Stdout).Encode(report)
}

// isRaced reports whether the race detector, which takes memory of its own, is
// in this program.
func isRaced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
