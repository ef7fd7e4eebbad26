package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/store"
	"github.com/dustin/go-humanize/english"
)

// sharedStore checks the store that machines share, if the contexts are in one. One that could
// not be reached has no session.
func sharedStore(ctx context.Context, e *examination) []finding {
	if e.session == nil {
		return nil
	}
	s, isShared, err := app.StoreStatus(ctx, e.session)
	switch {
	case err != nil:
		return []finding{failure(err.Error(), "chibi store status")}
	case !isShared:
		return nil
	}
	return statusOf(s)
}

func statusOf(s store.Status) []finding {
	found := []finding{fine(fmt.Sprintf("the store answers in %s: %s, home %s, format %d",
		s.RoundTrip.Round(10*time.Microsecond), s.Engine, s.Home, s.Format))}
	for _, one := range s.Servers {
		if !one.Current {
			found = append(found, warning(fmt.Sprintf("the server %q of the store is not current", one.Name),
				"see in chibi store status whether it catches up"))
		}
	}
	for _, text := range s.Warnings {
		found = append(found, warning("the store: "+text, "docs/operating/CLUSTER.md, Servers for a team"))
	}
	if !s.Push {
		found = append(found, fine("chibi looks for mail in intervals: "+s.WhyNot))
	}
	if s.HasSkew && s.Skew.Abs() > store.MaxSkew {
		found = append(found, warning(fmt.Sprintf("this machine's clock is %s from the store's; entries have this machine's "+
			"time, and it removes nothing that is old", s.Skew.Abs().Round(time.Second)), "set the clock"))
	}
	return found
}

// maxRead is how many contexts are looked at: a home may have very many, and in a store each costs
// some round trips. chibi store check reads all, and chibi -L says which are in use.
const maxRead = 50

func transcripts(ctx context.Context, s *app.Session) []finding { return conversations(ctx, s.Store) }

// conversations reads the conversations that were used last, and finds what is damaged and which
// contexts are in use.
func conversations(ctx context.Context, s *contexts.Store) (found []finding) {
	var damage []string
	s.Report = func(text string) { damage = append(damage, text) }
	list, err := s.Select(ctx, contexts.Selection{Limit: maxRead, Newest: true})
	if err != nil {
		return []finding{failure(err.Error(), "")}
	}
	for _, info := range list {
		if info.Locked {
			found = append(found, fine(fmt.Sprintf("context %q is in use by %s; the lock is released when that process ends",
				info.Name, info.Holder)))
		}
	}
	read := 0
	for _, info := range list {
		hasEntries, err := readConversation(ctx, s, info.Name)
		if hasEntries {
			read++
		}
		if err != nil {
			damage = append(damage, fmt.Sprintf("context %q: %v", info.Name, err))
		}
	}
	for _, text := range damage {
		found = append(found, failure(text, "chibi store check --repair sets it aside with its bytes"))
	}
	text := english.Plural(read, "transcript", "") + " read, none damaged"
	switch {
	case len(damage) > 0:
		return found
	case read == 0:
		text = "there are no transcripts yet"
	case len(list) == maxRead:
		text += "; these were used last, and chibi store check reads all"
	}
	return append(found, fine(text))
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
	if _, err := c.Window(ctx); err != nil {
		return hasEntries, err
	}
	_, err = c.Failed(ctx)
	return hasEntries, err
}
