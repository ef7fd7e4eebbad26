//go:build unix

package faults

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/chibi-host/chibi/cluster/internal/pgtest"
	"github.com/chibi-host/chibi/cluster/pgstore"
	"github.com/chibi-host/chibi/store"
)

// pair is a primary that acknowledges only what its standby has.
type pair struct {
	testing          *testing.T
	primary, standby *pgtest.Server
	both             string
}

func startPostgres(t *testing.T) servers {
	primary, err := pgtest.Start(pgtest.Need(t), "max_connections=200")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(primary.Stop)
	o := store.InitOptions{Options: store.Options{URL: primary.URL("postgres", "faults")}}
	if _, err := pgstore.Driver().Init(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	standby, err := primary.Standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(standby.Stop)
	if err := primary.Require(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &pair{t, primary, standby, fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/postgres?home=faults",
		primary.Port, standby.Port)}
}

func (p *pair) url() string { return p.both }

func (p *pair) saveLogs(dir string) {
	if err := errors.Join(p.primary.SaveLog(dir, "primary"), p.standby.SaveLog(dir, "standby")); err != nil {
		p.testing.Error(err)
	}
}

func (p *pair) faults() []fault {
	return []fault{
		{"the primary is killed", func() error { p.primary.Kill(); return p.primary.Restart() }},
		{"the primary is restarted", func() error { p.primary.Shutdown(); return p.primary.Restart() }},
		{"the primary hangs", func() error { return hang(p.primary) }},
		{"the standby hangs", func() error { return hang(p.standby) }},
		{"the standby is killed", func() error { p.standby.Kill(); return p.standby.Restart() }},
		{"the standby takes over", p.takeOver},
		{"the standby hangs, the waiting for it is ended, and it takes over", p.cutShort},
	}
}

func hang(s *pgtest.Server) error {
	s.Freeze()
	time.Sleep(3*time.Second + upTo(9*time.Second))
	s.Thaw()
	return nil
}

// takeOver has the standby take over, and the old primary become its standby.
func (p *pair) takeOver() error {
	ctx, cancel := context.WithTimeout(p.testing.Context(), time.Minute)
	defer cancel()
	if err := p.standby.TakeOver(ctx, p.primary); err != nil {
		return err
	}
	p.primary, p.standby = p.standby, p.primary
	if err := p.standby.Follow(p.primary); err != nil {
		return err
	}
	return p.primary.Require(ctx)
}

// cutShort ends what waits for a standby that hangs, some times, before that takes over.
func (p *pair) cutShort() error {
	p.standby.Freeze()
	for cut, end := 0, time.Now().Add(10*time.Second); cut < 8 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		n, err := p.primary.CutWaits(p.testing.Context())
		if err != nil {
			return err
		}
		cut += n
	}
	return p.takeOver()
}
