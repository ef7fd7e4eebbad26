package history

import (
	"strings"
	"testing"
	"time"
)

func TestTimesOfFlags(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 30, 0, 0, time.UTC)
	for _, test := range []struct {
		text, since, until string // until: "" if it is the same
	}{
		{"2026-11-21", "2026-11-21 00:00:00", "2026-11-21 23:59:59"},
		{"today", "2026-11-22 00:00:00", "2026-11-22 23:59:59"},
		{"yesterday", "2026-11-21 00:00:00", "2026-11-21 23:59:59"},
		{"2026-11-21 14:30", "2026-11-21 14:30:00", ""},
		{"2026-11-21T14:30:05", "2026-11-21 14:30:05", ""},
		{"2026-11-21T14:30:05Z", "2026-11-21 14:30:05", ""},
		{"90m", "2026-11-22 09:00:00", ""},
		{"2h", "2026-11-22 08:30:00", ""},
		{"3d", "2026-11-19 10:30:00", ""},
		{"1w", "2026-11-15 10:30:00", ""},
	} {
		if test.until == "" {
			test.until = test.since
		}
		for flag, want := range map[string]string{"--since": test.since, "--until": test.until} {
			got, err := parseTime(flag, test.text, now, flag == "--until")
			if err != nil || got.Format(time.DateTime) != want {
				t.Errorf("%s %q is %s, %v; want %s", flag, test.text, got.Format(time.DateTime), err, want)
			}
		}
	}
	if _, err := parseTime("--since", "soon", now, false); err == nil || !strings.Contains(err.Error(), `--since "soon"`) {
		t.Errorf("soon: %v", err)
	}
}

// TestTheNumberOfEntries: 20 are shown unless a flag asks for something else.
func TestTheNumberOfEntries(t *testing.T) {
	for _, test := range []struct {
		name        string
		flags       flags
		first, last int
	}{
		{"no flag", flags{last: -1}, 0, 20},
		{"--last 5", flags{last: 5}, 0, 5},
		{"--last 0", flags{last: 0}, 0, 0},
		{"--first 5", flags{last: -1, first: 5}, 5, 0},
		{"--grep x", flags{last: -1, grep: "x"}, 0, 0},
		{"--since today", flags{last: -1, since: "today"}, 0, 0},
	} {
		q, err := test.flags.query(time.Now())
		if err != nil || q.First != test.first || q.Last != test.last {
			t.Errorf("%s: first %d, last %d, %v; want %d and %d", test.name, q.First, q.Last, err, test.first, test.last)
		}
	}
	if _, err := (flags{first: 1, last: 1}).query(time.Now()); err == nil {
		t.Error("--first and --last were taken together")
	}
}
