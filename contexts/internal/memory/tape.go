package memory

import (
	"cmp"
	"context"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// memoryTape is a transcript in memory, as it is stored.
type memoryTape struct{ transcript memoryTranscript }

func (m memoryTape) Records(ctx context.Context, each func(parts.Stored) error) error {
	entries := m.transcript.entries()
	for i := range entries {
		record, err := parts.Encode(entries[i : i+1])
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if err := each(parts.Stored{Entry: entries[i], Record: record[0]}); err != nil {
			return err
		}
	}
	return nil
}

func (m memoryTape) Write(_ context.Context, step func(parts.TapeWriter) error) error {
	return step(m)
}

func (m memoryTape) Add(list []parts.Stored) error {
	m.transcript.use(func(c *memoryContext) {
		for _, e := range list {
			c.entries = append(c.entries, e.Entry)
			if summary, isSet := parts.SummaryOf(e.Entry); parts.IsAnchor(e.Entry) && isSet {
				c.texts[parts.TextSummary] = summary
			}
		}
	})
	return nil
}

func (m memoryTape) SetSummary(text string) error {
	m.transcript.use(func(c *memoryContext) { c.texts[parts.TextSummary] = text })
	return nil
}

func (m memoryTape) Noted(context.Context) (n parts.NotedPrompts, err error) {
	m.transcript.use(func(c *memoryContext) {
		n = parts.NotedPrompts{Combined: c.combined, Own: c.noted != "" && c.noted == c.texts[parts.TextSystemPrompt]}
	})
	return n, nil
}

func (m memoryTape) SetNoted(n parts.NotedPrompts) error {
	m.transcript.use(func(c *memoryContext) {
		if c.combined, c.noted = n.Combined, ""; n.Own {
			c.noted = c.texts[parts.TextSystemPrompt]
		}
	})
	return nil
}
