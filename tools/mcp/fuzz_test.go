package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// recorded is a peer that has said everything already.
type recorded struct{ rest []byte }

func (r *recorded) ReadLine(context.Context) ([]byte, error) {
	if len(r.rest) == 0 {
		return nil, io.EOF
	}
	line, rest, _ := bytes.Cut(r.rest, []byte("\n"))
	r.rest = rest
	return line, nil
}

func (r *recorded) WriteLine(_ context.Context, line []byte) (int, error) { return len(line), nil }

// FuzzMessages holds that whatever a program writes is read to its end, or refused.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("hello\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\"}}\n"))
	f.Add([]byte(`[{"jsonrpc":"2.0","method":"ping","id":"a"},{"jsonrpc":"2.0","id":2,"result":{"inputRequests":{}}}]`))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}\n[1,[2]]\n{\"level\":\"info\"}\n{\"jsonrpc\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzztest.Memory(t)
		r := &reply{}
		one, err := jsonrpc.MakeID(1.0)
		if err != nil {
			t.Fatal(err)
		}
		w := &wire{asked: map[jsonrpc.ID]*reply{one: r}, hello: one,
			Connection: &stdio{peer: &recorded{data}, noise: func(line string) {
				if !utf8.ValidString(line) || utf8.RuneCountInString(line) > 103 {
					t.Errorf("the person is told %q", line)
				}
			}}}
		for {
			if _, err = w.Read(t.Context()); err != nil {
				break
			}
		}
		if w.why() == nil || r.result != nil && !json.Valid(r.result) {
			t.Errorf("the result is %q", r.result)
		}
	})
}

// FuzzResult holds that the model is told something readable of every result.
func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a\u0000"},{"type":"image","data":"aGk="}],"isError":true}`))
	f.Add([]byte(`{"content":[{"type":"resource","resource":{"blob":"="}},null,5],"structuredContent":[1e999]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzztest.Memory(t)
		result := reader{keep: func(Kept) (string, error) { return "kept", nil }}.result(data)
		if !utf8.ValidString(result.Text) {
			t.Errorf("%q", result.Text)
		}
		if result.Failed && result.Text == "" {
			t.Error("the model does not know why")
		}
	})
}

// FuzzDefinition holds that a definition has one text, whatever a server says.
func FuzzDefinition(f *testing.F) {
	f.Add([]byte(`{"name":"a","description":"\u001b[2J","inputSchema":{"b":[1e9],"a":{}},` +
		`"annotations":{"readOnlyHint":true}}`))
	f.Add([]byte(`{"name":"\ud800","inputSchema":{"a":1,"a":2}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzztest.Memory(t)
		d, err := definitionOf(data)
		if err != nil {
			return
		}
		var again Definition
		if err := json.Unmarshal(d.JSON(), &again); err != nil || again.Hash() != d.Hash() {
			t.Errorf("%s and %s, %v", d.JSON(), again.JSON(), err)
		}
		if bytes.ContainsAny([]byte(d.Description+d.Title), "\x1b\x07\x00") {
			t.Errorf("%q, %q", d.Title, d.Description)
		}
	})
}
