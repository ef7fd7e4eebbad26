//go:build unix

package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// TestEngineThroughAPooler runs the suite through pgbouncer in transaction mode.
func TestEngineThroughAPooler(t *testing.T) {
	s := server(t)
	p := pgtest.NewPooler(t, s, "postgres")
	var homes atomic.Int64
	storetest.Run(t, func(t *testing.T, o store.Options) func() *store.Engine {
		o.URL = p.Through(home(t, s, fmt.Sprintf("pooled%d", homes.Add(1))))
		return func() *store.Engine {
			e, err := pgstore.Driver().Open(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
	})
}

func TestAPoolerDropsNotificationsAndThatIsSaid(t *testing.T) {
	ctx, s := t.Context(), server(t)
	p := pgtest.NewPooler(t, s, "postgres")
	url := p.Through(s.URL("postgres", "dropped"))
	initHome(t, url)
	e := open(t, store.Options{URL: url})
	st, err := e.Status(ctx)
	if err != nil || st.Push || !strings.Contains(st.WhyNot, "pooler in transaction mode") {
		t.Errorf("%v %q, %v", st.Push, st.WhyNot, err)
	}
	puts, err := e.Watch(ctx, "mail.work.")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Docs.Put(ctx, "mail.work.1", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	<-puts
}

func TestAPoolerThatDoesNotKnowTheUserIsNamedAtOnce(t *testing.T) {
	s := server(t)
	home(t, s, "unknown")
	p := pgtest.NewPooler(t, s, "postgres")
	begin := time.Now()
	_, err := pgstore.Driver().Open(t.Context(), store.Options{URL: p.Through(s.URL("stranger", "unknown"))})
	if !errors.Is(err, store.ErrDenied) {
		t.Error(err)
	}
	saidSoon(t, begin)
}

// TestPushSurvivesTheServer: who watches is told of mail that came while the server was away.
func TestPushSurvivesTheServer(t *testing.T) {
	s := ownServer(t)
	e := open(t, store.Options{URL: home(t, s, "push")})
	puts, err := e.Watch(t.Context(), "mail.")
	if err != nil {
		t.Fatal(err)
	}
	s.Kill()
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if _, err := e.Docs.Put(t.Context(), fmt.Sprintf("mail.a.%d", n), []byte("x"), 0); err != nil {
			t.Fatal(err)
		}
		<-puts
		time.Sleep(10 * time.Millisecond) // values of the reconnection may come as well
		for len(puts) > 0 {
			<-puts
		}
	}
}
