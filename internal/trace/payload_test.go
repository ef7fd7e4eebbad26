package trace_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
)

// TestAPayloadIsKeptOncePerDispatch has plugins that receive the same request, and one that
// receives what another one made of it.
func TestAPayloadIsKeptOncePerDispatch(t *testing.T) {
	body := func(mark string) string {
		return fmt.Sprintf(`{"request_body":{"text":"%s%s"}}`, mark, strings.Repeat("x", 5000))
	}
	path := write(t, 1<<20, func(w *trace.Writer) {
		prompt(w, "p")
		for _, name := range []string{"a", "b", "c"} {
			record(w, 1, "pre_api_request", name, body("one"), "", plugin.NoOpinion)
		}
		record(w, 1, "pre_api_request", "d", body("changed"), "", plugin.NoOpinion)
		record(w, 1, "pre_api_request", "e", body("changed"), "", plugin.NoOpinion)
		record(w, 2, "pre_api_request", "a", body("one"), "", plugin.NoOpinion)
		record(w, 3, "pre_tool", "a", `{"tool_name":"t"}`, "", plugin.NoOpinion)
		record(w, 3, "pre_tool", "b", `{"tool_name":"t"}`, "", plugin.NoOpinion)
		w.Step(agent.Event{Kind: agent.EventAnswer})
	})
	text := string(content(t, path))
	for word, want := range map[string]int{"onexxx": 2, "changedxxx": 1, `"payload_as":"a"`: 2, `"payload_as":"d"`: 1} {
		if n := strings.Count(text, word); n != want {
			t.Errorf("%s is there %d times, want %d", word, n, want)
		}
	}
	want := []string{"one", "one", "one", "changed", "changed", "one"}
	for i, l := range received(read(t, path)) {
		if i < len(want) && (string(l.Payload) != body(want[i]) || !l.IsWhole() || l.PayloadAs != "") ||
			i >= len(want) && string(l.Payload) != `{"tool_name":"t"}` {
			t.Errorf("line %d: %.80s, whole: %t, as %q", i, l.Payload, l.IsWhole(), l.PayloadAs)
		}
	}

	first, rest, _ := strings.Cut(text, "onexxx") // the line with the payload is lost with a full file
	_, rest, _ = strings.Cut(rest, "\n")
	first = first[:strings.LastIndexByte(first, '\n')+1]
	if err := os.WriteFile(path, []byte(first+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	if l := received(read(t, path))[0]; l.Plugin != "b" || l.Payload != nil || l.IsWhole() {
		t.Errorf("without its payload: %+v", l)
	}
}

func received(turns []trace.Turn) (lines []trace.Line) {
	for _, turn := range turns {
		for _, l := range turn.Lines {
			if l.Record != nil {
				lines = append(lines, l)
			}
		}
	}
	return lines
}
