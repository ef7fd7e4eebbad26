package resident

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/process"
)

func TestALongStringGoesToAFile(t *testing.T) {
	spool := func() (process.Spool, error) { return os.CreateTemp(t.TempDir(), "") }
	texts := []string{"plain ", "ü\u2028", "\"quotes\" \\ back", "\n\t\b\f\r", "\U0001F600", "\x00"}
	text := strings.Repeat(strings.Join(texts, ""), 60_000)
	quoted, _ := json.Marshal(text)
	escaped := strings.ReplaceAll(string(quoted), "\U0001F600", `\ud83d\ude00`)
	for name, output := range map[string]string{"as it is": string(quoted), "with halves": escaped} {
		line := `{"jsonrpc":"2.0","id":7,"result":{"exit_code":0,"output":` + output + `}}`
		short, long, err := shorten(strings.NewReader(line), spool)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"jsonrpc":"2.0","id":7,"result":{"exit_code":0,"output":"\u0000long"}}`; string(short) != want {
			t.Errorf("%s: short = %.200s", name, short)
		}
		got, err := os.ReadFile(long.File.Path())
		if string(got) != text || err != nil || long.File.Size() != int64(len(text)) {
			t.Errorf("%s: the file has %d bytes, want %d, %v", name, len(got), len(text), err)
		}
		if !strings.HasPrefix(text, long.Text) || len(long.Text) < beginning-utf8.UTFMax {
			t.Errorf("%s: the beginning has %d bytes", name, len(long.Text))
		}
	}
}

func TestALineMayBeCutAnywhere(t *testing.T) {
	text := strings.Repeat("long ", 30_000)
	line := `{"jsonrpc":"2.0","id":7,"result":{"output":"` + text
	short, long, err := shorten(strings.NewReader(line), nil)
	if err != nil || long == nil || long.Text != text || !strings.HasSuffix(string(short), `"output":"\u0000long"`) {
		t.Errorf("%.100s, %v", short, err)
	}
	if _, _, err := shorten(iotest.TimeoutReader(strings.NewReader(line)), nil); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("error = %v", err)
	}
	full := errors.New("the disk is full")
	noSpool := func() (process.Spool, error) { return nil, full }
	if _, _, err := shorten(strings.NewReader(line), noSpool); !errors.Is(err, full) {
		t.Errorf("error = %v", err)
	}
	if _, _, err := shorten(strings.NewReader(strings.Repeat("[", MaxAnswer+10)), nil); err == nil ||
		!strings.Contains(err.Error(), "larger than 8 MiB") {
		t.Errorf("error = %v", err)
	}
}

// FuzzShorten holds that what is left is the line with one text replaced, and that the text
// is what a reader of JSON finds in its place.
func FuzzShorten(f *testing.F) {
	f.Add("some \\u00fc \\\" text", uint64(1))
	f.Add("\\ud83d\\ude00\\ud83d", uint64(7))
	f.Add("\\ud83d\\", uint64(3))
	f.Add("000000000000\\b0000\xee\xa200", uint64(0))
	f.Fuzz(func(t *testing.T, piece string, seed uint64) {
		fuzztest.Memory(t)
		padding := strings.Repeat("x", longFrom-int(rand.New(rand.NewPCG(seed, 1)).IntN(20)))
		line := `{"output":"` + padding + piece + `"}`
		var whole struct {
			Output string `json:"output"`
		}
		if strictjson.Decode([]byte(line), &whole) != nil || len(padding+piece) < longFrom+20 {
			return
		}
		short, long, err := shorten(strings.NewReader(line), nil)
		if err != nil || long == nil || long.Text != whole.Output || string(short) != `{"output":"\u0000long"}` {
			t.Errorf("%.60q became %.60q, %v: %.60s", whole.Output[len(padding):], long.Text[len(padding):], err, short)
		}
	})
}
