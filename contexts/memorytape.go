package contexts

import "context"

// memoryTape is a transcript in memory, as it is stored.
type memoryTape struct{ transcript memoryTranscript }

func (m memoryTape) records(ctx context.Context, each func(stored) error) error {
	entries := m.transcript.entries()
	for i := range entries {
		record, err := encode(entries[i : i+1])
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = each(stored{entry: entries[i], record: record[0]})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m memoryTape) write(_ context.Context, step func(tapeWriter) error) error {
	return step(m)
}

func (m memoryTape) add(list []stored) error {
	m.transcript.use(func(c *memoryContext) {
		for _, e := range list {
			c.entries = append(c.entries, e.entry)
			if summary, isSet := summaryOf(e.entry); e.entry.isAnchor() && isSet {
				c.texts[textSummary] = summary
			}
		}
	})
	return nil
}

func (m memoryTape) setSummary(text string) error {
	m.transcript.use(func(c *memoryContext) { c.texts[textSummary] = text })
	return nil
}

func (m memoryTape) noted(context.Context) (n notedPrompts, err error) {
	m.transcript.use(func(c *memoryContext) {
		n = notedPrompts{combined: c.combined, own: c.noted != "" && c.noted == c.texts[textSystemPrompt]}
	})
	return n, nil
}

func (m memoryTape) setNoted(n notedPrompts) error {
	m.transcript.use(func(c *memoryContext) {
		if c.combined, c.noted = n.combined, ""; n.own {
			c.noted = c.texts[textSystemPrompt]
		}
	})
	return nil
}
