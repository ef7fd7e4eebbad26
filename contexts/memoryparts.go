package contexts

import (
	"context"
	"slices"
)

// memoryTranscript keeps the entries of a context.
type memoryTranscript struct {
	home *memory
	ref  *ref
}

// use calls do with the context, which is created if it is missing.
func (t memoryTranscript) use(do func(*memoryContext)) {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	do(t.home.get(t.ref.name))
}

// add adds entries, after the one that says that the context was created.
func (c *memoryContext) add(r *ref, entries ...Entry) {
	if len(c.entries) == 0 {
		c.entries = append(c.entries, r.created())
	}
	c.entries = append(c.entries, entries...)
}

func (t memoryTranscript) append(entries []Entry) error {
	t.use(func(c *memoryContext) {
		c.add(t.ref, entries...)
		c.lastUse = t.ref.settings.Now()
	})
	return nil
}

func (t memoryTranscript) begin(anchor Entry) error {
	t.use(func(c *memoryContext) {
		c.add(t.ref, goingOn(anchor, windowOf(c.entries)))
		c.lastUse = t.ref.settings.Now()
		if summary, isSet := summaryOf(anchor); isSet {
			c.texts[textSummary] = summary
		}
	})
	return nil
}

func (t memoryTranscript) window(context.Context) ([]Entry, error) { return windowOf(t.entries()), nil }

func (t memoryTranscript) begins(context.Context) ([]Entry, error) {
	entries := windowOf(t.entries())
	return entries[:min(2, len(entries))], nil
}

// entries returns the entries of this moment; those that are added later are not in
// the list.
func (t memoryTranscript) entries() []Entry {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	if c := t.home.contexts[t.ref.name]; c != nil {
		return c.entries
	}
	return nil
}

func (t memoryTranscript) scan(ctx context.Context, s scan, each func(Entry) (more bool)) error {
	order := slices.All[[]Entry]
	if s.backward {
		order = slices.Backward[[]Entry]
	}
	for _, e := range order(t.entries()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !each(e) {
			break
		}
	}
	return nil
}

func (t memoryTranscript) noteSystemPrompt(combined string) error {
	t.use(func(c *memoryContext) {
		own := c.texts[textSystemPrompt]
		if own != "" && own != c.noted {
			c.add(t.ref, systemPromptChange(t.ref.name, own))
		}
		c.noted, c.combined = own, combined
	})
	return nil
}

// memoryTexts keeps the texts of a context and of its home.
type memoryTexts struct {
	home *memory
	ref  *ref
}

func (t memoryTexts) text(_ context.Context, name string) (string, error) {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	if c := t.home.contexts[t.ref.name]; c != nil {
		return c.texts[name], nil
	}
	return "", nil
}

func (t memoryTexts) setText(name, text string) error {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	t.home.get(t.ref.name).texts[name] = text
	return nil
}

// changeText changes a text again if somebody else changed it meanwhile.
func (t memoryTexts) changeText(name string, change func(old string) (string, error)) error {
	for {
		old, _ := t.text(context.Background(), name)
		text, err := change(old)
		if err != nil || t.swap(name, old, text) {
			return err
		}
	}
}

// swap replaces a text if it is still the old one.
func (t memoryTexts) swap(name, old, text string) (done bool) {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	texts := t.home.get(t.ref.name).texts
	if texts[name] != old {
		return false
	}
	texts[name] = text
	return true
}

func (t memoryTexts) prompt(_ context.Context, name string) (string, error) {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	return t.home.prompts[name], nil
}

func (t memoryTexts) setPrompt(name, text string) error {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	t.home.prompts[name] = text
	return nil
}

// memoryInbox keeps the messages to a context.
type memoryInbox struct {
	home *memory
	ref  *ref
}

// change is serialized by a lock of its own: the step reads the transcript.
func (b memoryInbox) change(step func([]Mail) ([]Mail, error)) error {
	b.home.mu.Lock()
	c := b.home.get(b.ref.name)
	b.home.mu.Unlock()
	c.inbox.Lock()
	defer c.inbox.Unlock()
	stay, err := step(slices.Clone(c.mail))
	if err != nil {
		return err
	}
	b.home.mu.Lock()
	defer b.home.mu.Unlock()
	c.mail = stay
	return nil
}

func (b memoryInbox) put(m Mail) error {
	return b.change(func(waiting []Mail) ([]Mail, error) {
		size := 0
		for _, w := range waiting {
			size += len(w.Content)
		}
		if err := checkRoom(b.ref.name, int64(size), int64(len(m.Content))); err != nil {
			return nil, err
		}
		b.home.mu.Lock()
		b.home.get(b.ref.name).arrived++
		b.home.mu.Unlock()
		return append(waiting, m), nil
	})
}

func (b memoryInbox) watch(ctx context.Context) (<-chan struct{}, error) {
	return watchByLooking(ctx, func() any {
		b.home.mu.Lock()
		defer b.home.mu.Unlock()
		if c := b.home.contexts[b.ref.name]; c != nil {
			return c.arrived
		}
		return 0
	}), nil
}

func (b memoryInbox) hasMail(ctx context.Context) bool {
	waiting, _ := b.waiting(ctx)
	return len(waiting) > 0
}

func (b memoryInbox) waiting(context.Context) ([]Mail, error) {
	b.home.mu.Lock()
	defer b.home.mu.Unlock()
	if c := b.home.contexts[b.ref.name]; c != nil {
		return slices.Clone(c.mail), nil
	}
	return nil, nil
}
