package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/tools/mcp"
)

func TestWhatTheModelIsToldOfAResult(t *testing.T) {
	var kept []mcp.Kept
	pool := newPool(t, mcp.PoolConfig{Keep: func(k mcp.Kept) (string, error) {
		kept = append(kept, k)
		return fmt.Sprintf("kept as %d", len(kept)), nil
	}})
	server := program(t, "answers")
	for _, test := range []struct{ tool, want string }{
		{"fine", "one\ntwo"},
		{"structured", `{"b":12345678901234567890,"a":[1e3]}`},
		{"both", "said"},
		{"nothing", ""},
		{"text file", "inside"},
		{"empty resource", ""},
		{"picture", "[image, image/png, 36 B: kept as 1]"},
		{"no picture", "[image, image/png, 12 B, but its bytes are text/plain; charset=utf-8: kept as 2]"},
		{"sound", "[audio, audio/wav, 12 B: kept as 3]"},
		{"file", "[resource file:///a.bin, application/zip, 4 B: kept as 4]"},
		{"no base64", "[image that cannot be read: it is not base64]"},
		{"link", "[link to big: file:///big.csv, text/csv, 2.0 MB, all of it]"},
		{"from the future", "[a part of the type \"hologram\", which chibi does not know]\nreadable"},
		{"no UTF-8", "a�b"},
	} {
		if text, failed := call(t, pool, server, test.tool, `{"x":1}`); failed || text != test.want {
			t.Errorf("%s: %q, want %q", test.tool, text, test.want)
		}
	}
	if len(kept) != 4 || string(kept[1].Data) != "not an image" || kept[1].Type != "image/png" ||
		kept[1].Server != "test" || kept[1].Tool != "no picture" || string(kept[1].Arguments) != `{"x":1}` {
		t.Errorf("%+v", kept)
	}
}

func TestWhatTheModelIsToldOfAFailure(t *testing.T) {
	pool := newPool(t, mcp.PoolConfig{})
	server := program(t, "answers")
	for _, test := range []struct{ tool, want string }{
		{"error", "Error: no such file"},
		{"silent error", "Error: the tool failed and did not say why"},
		{"refused", `Error: tool "refused" of MCP server "test": the server answered with an error: ` +
			`Unknown tool� refused`},
		{"null", `Error: the result of tool "null" of MCP server "test" cannot be read: it is not an object`},
		{"no object", `Error: the result of tool "no object" of MCP server "test" cannot be read: ` +
			`it must be an object, is an array`},
		{"wrong type", `Error: the result of tool "wrong type" of MCP server "test" cannot be read: ` +
			`content: must be an array, is a string`},
	} {
		if text, failed := call(t, pool, server, test.tool, `{}`); !failed || text != test.want {
			t.Errorf("%s: %q, want %q", test.tool, text, test.want)
		}
	}
}

func TestWhatCannotBeKeptIsSaid(t *testing.T) {
	server := program(t, "answers")
	full := newPool(t, mcp.PoolConfig{Keep: func(mcp.Kept) (string, error) { return "", errors.New("disk full") }})
	want := "[image, image/png, 36 B: could not be kept: disk full]"
	if text, _ := call(t, full, server, "picture", `{}`); text != want {
		t.Error(text)
	}
	nowhere := newPool(t, mcp.PoolConfig{})
	if text, _ := call(t, nowhere, server, "picture", `{}`); text != "[image, image/png, 36 B: not kept]" {
		t.Error(text)
	}
}

func TestALargeTextGoesToAFile(t *testing.T) {
	dir := t.TempDir()
	pool := newPool(t, mcp.PoolConfig{Spool: func() (process.Spool, error) { return os.CreateTemp(dir, "") }})
	result, err := pool.Call(t.Context(), program(t, "answers"), "large", json.RawMessage(`{}`))
	if err != nil || result.Failed || len(result.Text) != 1<<20 || result.File.Size() != 8<<20-200 {
		t.Fatalf("%d bytes of %d, %v", len(result.Text), result.File.Size(), err)
	}
	if info, err := os.Stat(result.File.Path()); err != nil || info.Size() != 8<<20-200 {
		t.Errorf("%v, %v", info, err)
	}
	result.File.Close()
	full := newPool(t, mcp.PoolConfig{Spool: func() (process.Spool, error) { return nil, errors.New("disk full") }})
	want := "Error: the result could not be kept on disk: disk full"
	if text, failed := call(t, full, program(t, "answers"), "large", `{}`); !failed || text != want {
		t.Errorf("%.200s", text)
	}
}

func TestALargePictureIsRead(t *testing.T) {
	var size int
	pool := newPool(t, mcp.PoolConfig{Keep: func(k mcp.Kept) (string, error) {
		size = len(k.Data)
		return "kept", nil
	}})
	if text, failed := call(t, pool, program(t, "answers"), "large picture", `{}`); failed || size < 6_000_000 {
		t.Errorf("%s, %d bytes", text, size)
	}
}
