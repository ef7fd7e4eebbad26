package contexts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// Query selects entries of a whole transcript. The zero value selects all.
type Query struct {
	// First and Last bound how many entries are selected, from the beginning or
	// the end; 0: all. Only one of them may be set.
	First, Last int
	// Since and Until bound the time, both inclusive; zero: no bound.
	Since, Until time.Time
	// Text must be part of the content, ignoring case.
	Text string
	// Keep, if set, must return true for an entry.
	Keep func(Entry) bool
}

// History calls each with the selected entries of the whole transcript, from the oldest on,
// until it returns false. Memory is bounded by First or Last, not by the transcript. Messages
// that the original has copied come once.
func (c *conversation) History(ctx context.Context, q Query, each func(Entry) (more bool)) error {
	read := c.first
	if q.Last > 0 {
		read = c.last
	}
	if err := read(ctx, q, each); err != nil {
		return fmt.Errorf("reading the history of context %q: %w", c.ref.Name, err)
	}
	return nil
}

// first reads from the beginning of the transcript.
func (c *conversation) first(ctx context.Context, q Query, each func(Entry) bool) error {
	count, copies := 0, map[string]bool{}
	return c.transcript.Each(ctx, q.scan(), func(e Entry) bool {
		if !q.selects(e) || isCopy(e, copies) {
			return true
		}
		count++
		return each(e) && (q.First == 0 || count < q.First)
	})
}

// last reads from the end until it has enough.
func (c *conversation) last(ctx context.Context, q Query, each func(Entry) bool) error {
	var list []Entry
	copies := map[string]bool{}
	err := c.transcript.Each(ctx, q.scan(), func(e Entry) bool {
		if q.selects(e) && !isCopy(e, copies) {
			list = append(list, e)
		}
		return len(list) < q.Last
	})
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(list) {
		if !each(e) {
			break
		}
	}
	return nil
}

func (q Query) scan() parts.Wanted {
	return parts.Wanted{Backward: q.Last > 0, Since: q.Since, Until: q.Until, Text: q.Text}
}

func (q Query) selects(e Entry) bool {
	at := time.Unix(e.Timestamp, 0)
	switch {
	case !q.Since.IsZero() && at.Before(q.Since.Truncate(time.Second)),
		!q.Until.IsZero() && at.After(q.Until),
		q.Text != "" && !strings.Contains(strings.ToLower(e.Content), strings.ToLower(q.Text)):
		return false
	}
	return q.Keep == nil || q.Keep(e)
}

// isCopy reports whether the message is a copy by the original, which wrote the
// messages that it kept again whenever it archived or compacted.
func isCopy(e Entry, seen map[string]bool) bool {
	if e.Type != TypeMessage || e.Metadata != nil && e.Metadata.Role != "" {
		return false
	}
	if seen[e.ID] {
		return true
	}
	seen[e.ID] = true
	return false
}
