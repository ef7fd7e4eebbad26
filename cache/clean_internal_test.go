package cache

import (
	"strings"
	"testing"
	"time"
)

func TestExpired(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	aged := func(id string, age time.Duration) Entry {
		return Entry{ID: id, Bytes: 71, Timestamp: now.Add(-age).Unix()}
	}
	entries := []Entry{aged("d", 3*time.Hour), aged("b", time.Minute), aged("a", time.Minute), aged("c", 2*time.Hour)}
	sortByAge(entries)
	for _, test := range []struct {
		name   string
		limits Limits
		want   string
	}{
		{"no limits", Limits{}, ""},
		{"by age", Limits{MaxAge: 2*time.Hour - time.Second}, "c d"},
		{"an entry may be as old as the limit", Limits{MaxAge: 2 * time.Hour}, "d"},
		{"by size, the oldest first", Limits{MaxBytes: 3 * 71}, "d"},
		{"of one age, the first id stays", Limits{MaxBytes: 2*71 - 1}, "b c d"},
		{"all", Limits{MaxBytes: 70}, "a b c d"},
		{"young ones stay", Limits{MaxBytes: 1, MinAge: 2 * time.Hour}, "c d"},
		{"what is kept counts", Limits{MaxBytes: 2 * 71, Keep: func(id string) bool { return id == "c" }}, "d"},
		{"what is removed does not count", Limits{MaxBytes: 71, MinAge: time.Hour,
			Keep: func(id string) bool { return id == "d" }}, "c"},
		{"old and kept", Limits{MaxAge: time.Second, Keep: func(id string) bool { return id < "c" }}, "c d"},
	} {
		var got []string
		test.limits.Now = now
		for _, e := range test.limits.expired(entries, Entry.Time) {
			got = append(got, e.ID)
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: expired are %q, want %q", test.name, got, test.want)
		}
	}
}
