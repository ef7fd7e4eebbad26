package contexts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// longContext makes a context with so many entries in its transcript, in
// partitions of 1000, and a window of ten messages.
func longContext(b *testing.B, entries int) (*Files, *Context) {
	b.Helper()
	home := b.TempDir()
	store, err := Open(home)
	if err != nil {
		b.Fatal(err)
	}
	c, err := store.Context("work")
	if err != nil {
		b.Fatal(err)
	}
	folder := filepath.Join(home, "contexts", "work", "transcript", "partitions")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.Fatal(err)
	}
	var partitions []map[string]any
	now := time.Now().Unix() - int64(entries)
	for n := 0; n < entries; n += 1000 {
		var records [][]byte
		count := min(1000, entries-n)
		for i := range count {
			e := UserMessage("user", "work", fmt.Sprintf("message %d with some words in it, as people write them", n+i))
			e.Timestamp = now + int64(n+i)
			encoded, err := parts.Encode([]Entry{e})
			if err != nil {
				b.Fatal(err)
			}
			records = append(records, append(encoded[0], '\n'))
		}
		name := fmt.Sprintf("%d-%d.jsonl", now+int64(n), now+int64(n+count-1))
		var data []byte
		for _, r := range records {
			data = append(data, r...)
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			b.Fatal(err)
		}
		partitions = append(partitions, map[string]any{"file": "partitions/" + name, "start_ts": now + int64(n),
			"end_ts": now + int64(n+count-1), "entry_count": count})
	}
	manifest, err := json.Marshal(map[string]any{"version": 1, "partitions": partitions})
	if err == nil {
		err = os.WriteFile(filepath.Join(filepath.Dir(folder), "manifest.json"), manifest, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(onDisk(store, "work", "context.jsonl"), nil, 0o600); err != nil {
		b.Fatal(err)
	}
	if err := c.Archive(); err != nil {
		b.Fatal(err)
	}
	for i := range 10 {
		if err := c.Append(UserMessage("user", "work", fmt.Sprint("recent ", i))); err != nil {
			b.Fatal(err)
		}
	}
	return store, c
}

// BenchmarkTurn measures what a turn of a fresh process costs the store with
// ever longer transcripts: opening, reading the window, storing a prompt and an
// answer. Its floor is a transcript of 100 entries, measured in the same run
// and in turns with the others.
func BenchmarkTurn(b *testing.B) {
	turn := func(s *Files) {
		c, err := s.Context("work")
		if err == nil {
			_, err = c.Window(b.Context())
		}
		if err == nil {
			err = c.Append(UserMessage("user", "work", "a prompt"))
		}
		if err == nil {
			err = c.Append(AssistantMessage("work", "an answer"))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, entries := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(entries), func(b *testing.B) {
			short, _ := longContext(b, 100)
			long, _ := longContext(b, entries)
			var floor, cost time.Duration
			b.ResetTimer()
			for b.Loop() {
				begin := time.Now()
				turn(short)
				floor += time.Since(begin)
				begin = time.Now()
				turn(long)
				cost += time.Since(begin)
			}
			b.ReportMetric(float64(cost.Microseconds())/float64(b.N), "µs/turn")
			b.ReportMetric(float64(cost)/float64(floor), "x-floor")
		})
	}
}

// BenchmarkList measures what listing contexts costs beside a transcript of
// 1,000,000 entries, against one of 100.
func BenchmarkList(b *testing.B) {
	short, _ := longContext(b, 100)
	long, _ := longContext(b, 1_000_000)
	var floor, cost time.Duration
	for b.Loop() {
		begin := time.Now()
		if _, err := short.List(b.Context()); err != nil {
			b.Fatal(err)
		}
		floor += time.Since(begin)
		begin = time.Now()
		if _, err := long.List(b.Context()); err != nil {
			b.Fatal(err)
		}
		cost += time.Since(begin)
	}
	b.ReportMetric(float64(cost)/float64(floor), "x-floor")
}

// BenchmarkHistory measures searching a transcript of 1,000,000 entries for a
// text, and reading its last 10.
func BenchmarkHistory(b *testing.B) {
	_, c := longContext(b, 1_000_000)
	for name, q := range map[string]Query{"search": {Text: "Message 777777"}, "last10": {Last: 10}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := c.History(b.Context(), q, func(Entry) bool { return true }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
