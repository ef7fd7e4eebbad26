package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/store"
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
				"see chibi store status, and whether it catches up"))
		}
	}
	for _, text := range s.Warnings {
		found = append(found, warning("the store: "+text, "docs/CLUSTER.md, Servers for a team"))
	}
	if !s.Push {
		found = append(found, fine("mail is looked for in intervals: "+s.WhyNot))
	}
	if s.HasSkew && s.Skew.Abs() > maxSkew {
		found = append(found, warning(fmt.Sprintf("this machine's clock is %s from the store's; entries have this machine's "+
			"time", s.Skew.Abs().Round(time.Second)), "set the clock"))
	}
	return found
}

// maxSkew is how far clocks may be apart without a word.
const maxSkew = time.Minute
