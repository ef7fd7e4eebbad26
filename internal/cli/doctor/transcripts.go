package doctor

import (
	"context"
	"fmt"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/dustin/go-humanize/english"
)

// transcripts reads every conversation, and finds what is damaged and which contexts
// are in use.
func transcripts(ctx context.Context, s *app.Session) (found []finding) {
	var damage []string
	s.Store.Report = func(text string) { damage = append(damage, text) }
	names, err := s.Store.Names(ctx)
	if err != nil {
		return []finding{failure(err.Error(), "")}
	}
	read := 0
	for _, name := range names {
		hasEntries, err := readConversation(ctx, s.Store, name)
		if hasEntries {
			read++
		}
		if err != nil {
			damage = append(damage, fmt.Sprintf("context %q: %v", name, err))
		}
		if holder, inUse := s.Store.Holder(ctx, name); inUse {
			found = append(found, fine(fmt.Sprintf("context %q is in use by %s; the lock is released when that process ends",
				name, holder)))
		}
	}
	for _, text := range damage {
		found = append(found, failure(text, "the readable part is used; the damaged part stays in the file"))
	}
	switch {
	case len(damage) > 0:
		return found
	case read == 0:
		return append(found, fine("there are no transcripts yet"))
	}
	return append(found, fine(english.Plural(read, "transcript", "")+" read, none damaged"))
}

func readConversation(ctx context.Context, store *contexts.Store, name string) (hasEntries bool, err error) {
	c, err := store.Context(name)
	if err != nil {
		return false, err
	}
	err = c.History(ctx, contexts.Query{}, func(contexts.Entry) bool {
		hasEntries = true
		return true
	})
	if err != nil {
		return hasEntries, err
	}
	_, err = c.Window(ctx)
	return hasEntries, err
}
