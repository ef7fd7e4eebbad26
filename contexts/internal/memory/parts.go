package memory

import (
	"context"
	"slices"

	"github.com/chibi-host/chibi/contexts/internal/parts"
)

// memoryTranscript keeps the entries of a context.
type memoryTranscript struct {
	home *memory
	ref  *parts.Ref
}

// use calls do with the context, which is created if it is missing.
func (t memoryTranscript) use(do func(*memoryContext)) {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	do(t.home.get(t.ref.Name))
}

// add adds entries, after the one that says that the context was created.
func (c *memoryContext) add(r *parts.Ref, entries ...parts.Entry) {
	if len(c.entries) == 0 {
		c.entries = append(c.entries, r.Created())
	}
	c.entries = append(c.entries, entries...)
}

func (t memoryTranscript) Append(entries []parts.Entry) error {
	t.use(func(c *memoryContext) {
		c.add(t.ref, entries...)
		c.lastUse = t.ref.Settings.Now()
	})
	return nil
}

func (t memoryTranscript) Begin(anchor parts.Entry) error {
	t.use(func(c *memoryContext) {
		c.add(t.ref, parts.GoingOn(anchor, parts.WindowOf(c.entries)))
		c.lastUse = t.ref.Settings.Now()
		if summary, isSet := parts.SummaryOf(anchor); isSet {
			c.texts[parts.TextSummary] = summary
		}
	})
	return nil
}

func (t memoryTranscript) Window(context.Context) ([]parts.Entry, error) {
	return parts.WindowOf(t.entries()), nil
}

func (t memoryTranscript) Begins(context.Context) ([]parts.Entry, error) {
	entries := parts.WindowOf(t.entries())
	return entries[:min(2, len(entries))], nil
}

// entries returns the entries of this moment; those that are added later are not in
// the list.
func (t memoryTranscript) entries() []parts.Entry {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	if c := t.home.contexts[t.ref.Name]; c != nil {
		return c.entries
	}
	return nil
}

func (t memoryTranscript) Each(ctx context.Context, s parts.Wanted, each func(parts.Entry) (more bool)) error {
	order := slices.All[[]parts.Entry]
	if s.Backward {
		order = slices.Backward[[]parts.Entry]
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

func (t memoryTranscript) NoteSystemPrompt(combined string) error {
	t.use(func(c *memoryContext) {
		own := c.texts[parts.TextSystemPrompt]
		if own != "" && own != c.noted {
			c.add(t.ref, parts.SystemPromptChange(t.ref.Name, own))
		}
		c.noted, c.combined = own, combined
	})
	return nil
}

// memoryTexts keeps the texts of a context and of its home.
type memoryTexts struct {
	home *memory
	ref  *parts.Ref
}

func (t memoryTexts) Text(_ context.Context, name string) (string, error) {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	if c := t.home.contexts[t.ref.Name]; c != nil {
		return c.texts[name], nil
	}
	return "", nil
}

func (t memoryTexts) SetText(name, text string) error {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	t.home.get(t.ref.Name).texts[name] = text
	return nil
}

// ChangeText changes a text again if somebody else changed it meanwhile.
func (t memoryTexts) ChangeText(name string, change func(old string) (string, error)) error {
	for {
		old, _ := t.Text(context.Background(), name)
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
	texts := t.home.get(t.ref.Name).texts
	if texts[name] != old {
		return false
	}
	texts[name] = text
	return true
}

func (t memoryTexts) Prompt(_ context.Context, name string) (string, error) {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	return t.home.prompts[name], nil
}

func (t memoryTexts) SetPrompt(name, text string) error {
	t.home.mu.Lock()
	defer t.home.mu.Unlock()
	t.home.prompts[name] = text
	return nil
}

// memoryInbox keeps the messages to a context.
type memoryInbox struct {
	home *memory
	ref  *parts.Ref
}

// Change is serialized by a lock of its own: the step reads the transcript.
func (b memoryInbox) Change(step func([]parts.Mail) ([]parts.Mail, error)) error {
	b.home.mu.Lock()
	c := b.home.get(b.ref.Name)
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

func (b memoryInbox) Put(m parts.Mail) error {
	return b.Change(func(waiting []parts.Mail) ([]parts.Mail, error) {
		size := 0
		for _, w := range waiting {
			size += len(w.Content)
		}
		if err := parts.CheckRoom(b.ref.Name, int64(size), int64(len(m.Content))); err != nil {
			return nil, err
		}
		b.home.mu.Lock()
		b.home.get(b.ref.Name).arrived++
		b.home.mu.Unlock()
		return append(waiting, m), nil
	})
}

func (b memoryInbox) Watch(ctx context.Context) (<-chan struct{}, error) {
	return parts.WatchByLooking(ctx, func() any {
		b.home.mu.Lock()
		defer b.home.mu.Unlock()
		if c := b.home.contexts[b.ref.Name]; c != nil {
			return c.arrived
		}
		return 0
	}), nil
}

func (b memoryInbox) HasMail(ctx context.Context) bool {
	waiting, _ := b.Waiting(ctx)
	return len(waiting) > 0
}

func (b memoryInbox) Waiting(context.Context) ([]parts.Mail, error) {
	b.home.mu.Lock()
	defer b.home.mu.Unlock()
	if c := b.home.contexts[b.ref.Name]; c != nil {
		return slices.Clone(c.mail), nil
	}
	return nil, nil
}

// lock takes the lock of the context that has the name then.
func (t memoryTranscript) lock(ctx context.Context, p parts.Patience) (unlock func(), lost <-chan struct{}, err error) {
	m, r := t.home, t.ref
	for {
		m.mu.Lock()
		c := m.get(r.Name)
		m.mu.Unlock()
		if err := m.take(ctx, c, r, p); err != nil {
			return nil, nil, err
		}
		if m.own(c, r.Name) {
			return func() { <-c.owner }, nil, nil
		}
		<-c.owner // it was renamed or removed meanwhile
	}
}
