package jsonl_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/jsonl"
	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "records.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func forward(t *testing.T, path string) (records []string, torn int64) {
	t.Helper()
	torn, err := jsonl.Forward(disk.OS{}, path, func(line int, record []byte) bool {
		records = append(records, fmt.Sprintf("%d %s", line, record))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, torn
}

func backward(t *testing.T, path string) (records []string) {
	t.Helper()
	err := jsonl.Backward(disk.OS{}, path, func(_ int64, record []byte) bool {
		records = append(records, string(record))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestReading(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
		torn       int64
	}{
		{"empty", "", nil, 0},
		{"two", "{}\n[1]\n", []string{"1 {}", "2 [1]"}, 0},
		{"empty lines", "{}\n\n[1]\n", []string{"1 {}", "3 [1]"}, 0},
		{"a torn end is no record", "{}\n[1", []string{"1 {}"}, 2},
		{"nothing but a torn end", "{\"a\":1}", nil, 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, torn := forward(t, write(t, test.text))
			if diff := cmp.Diff(test.want, got); diff != "" || torn != test.torn {
				t.Errorf("torn %d, records (-want +got):\n%s", torn, diff)
			}
		})
	}
}

func TestAppendCutsATornEnd(t *testing.T) {
	path := write(t, "{}\n[1")
	cut, err := jsonl.Append(disk.OS{}, path, []byte("2"), []byte("3"))
	if err != nil || cut != 2 {
		t.Errorf("cut %d, %v", cut, err)
	}
	if got, torn := forward(t, path); !cmp.Equal(got, []string{"1 {}", "2 2", "3 3"}) || torn != 0 {
		t.Errorf("records = %q, torn %d", got, torn)
	}
	if _, err := jsonl.Append(disk.OS{}, path, []byte("a\nb")); err == nil {
		t.Error("a record with a newline was taken")
	}
}

func TestReadingBackwardStopsWhenTold(t *testing.T) {
	path := write(t, strings.Repeat("{}\n", 100_000)+"last\n")
	count := 0
	err := jsonl.Backward(disk.OS{}, path, func(_ int64, record []byte) bool {
		count++
		return count < 3
	})
	if err != nil || count != 3 {
		t.Errorf("%d records, %v", count, err)
	}
}

func TestOffsetsLeadToLines(t *testing.T) {
	path := write(t, "{}\n\n[1]\n"+strings.Repeat("x", 100_000)+"\nlast\n")
	var lines []int
	err := jsonl.Backward(disk.OS{}, path, func(offset int64, _ []byte) bool {
		lines = append(lines, jsonl.LineAt(disk.OS{}, path, offset))
		return true
	})
	if diff := cmp.Diff([]int{5, 4, 3, 1}, lines); diff != "" || err != nil {
		t.Errorf("%v, lines (-want +got):\n%s", err, diff)
	}
}

// TestARecordThatIsTooLongIsNotRead puts one between others: the others are read,
// and of it comes a beginning that is no JSON.
func TestARecordThatIsTooLongIsNotRead(t *testing.T) {
	for _, test := range []struct {
		name         string
		length, kept int
	}{
		{"just short enough", jsonl.MaxRecord, jsonl.MaxRecord},
		{"by one byte", jsonl.MaxRecord + 1, 200},
		{"by much", 3*jsonl.MaxRecord + 5, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			long := `"` + strings.Repeat("x", test.length-1)
			path := write(t, "{}\n"+long+"\n[1]\n")
			there, _ := forward(t, path)
			back := backward(t, path)
			slices.Reverse(back)
			want := []string{"{}", long[:test.kept], "[1]"}
			if !slices.Equal(back, want) || !slices.Equal(there, []string{"1 {}", "2 " + want[1], "3 [1]"}) {
				t.Errorf("read otherwise: %d records forward, %d backward", len(there), len(back))
			}
		})
	}
	if _, err := jsonl.Append(disk.OS{}, write(t, ""), make([]byte, jsonl.MaxRecord+1)); err == nil {
		t.Error("it was written")
	}
}

func TestAMissingFileHasNoRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing")
	if got, torn := forward(t, path); got != nil || torn != 0 {
		t.Errorf("records = %q, torn %d", got, torn)
	}
	if got := backward(t, path); got != nil {
		t.Errorf("records = %q", got)
	}
}

// FuzzBackward holds that both directions read the same records.
func FuzzBackward(f *testing.F) {
	f.Add([]byte("{}\n[1]\n"))
	f.Add([]byte("\n\n{}\ntorn"))
	f.Add(append(bytes.Repeat([]byte("x"), 70_000), '\n'))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzztest.Memory(t)
		path := write(t, string(data))
		var there []string
		jsonl.Forward(disk.OS{}, path, func(_ int, record []byte) bool { there = append(there, string(record)); return true })
		back := backward(t, path)
		slices.Reverse(back)
		if !slices.Equal(there, back) {
			t.Errorf("forward %q, backward %q", there, back)
		}
	})
}
