//go:build unix

package pgtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Standby starts a server that follows this one, which is shut down and started again for it.
func (s *Server) Standby() (*Server, error) {
	base, err := os.MkdirTemp(tempDir(), "chibi-postgres-")
	if err != nil {
		return nil, err
	}
	standby := &Server{Dir: s.Dir, Data: filepath.Join(base, "data")}
	if standby.Port, err = freePort(); err == nil {
		err = standby.follow(s)
	}
	if err != nil {
		standby.Stop()
		return nil, err
	}
	return standby, nil
}

// Follow makes a server that was killed the standby of another one, on the port that it had. What
// it had stored is removed.
func (s *Server) Follow(primary *Server) error {
	if err := s.Restart(); err != nil { // which gives back the memory that the killed one has left
		return err
	}
	s.Shutdown()
	if err := os.RemoveAll(s.Data); err != nil {
		return err
	}
	return s.follow(primary)
}

// follow copies the data of a server and starts the copy as its standby.
func (s *Server) follow(primary *Server) error {
	if err := giveAway(filepath.Dir(s.Data)); err != nil {
		return err
	}
	primary.Shutdown()
	copying := exec.Command("cp", "-Rp", primary.Data, s.Data)
	if out, err := copying.CombinedOutput(); err != nil {
		return fmt.Errorf("cp: %w: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(s.Data, "standby.signal"), nil, 0o644); err != nil {
		return err
	}
	if err := primary.Restart(); err != nil {
		return err
	}
	s.settings = append(primary.settings[:len(primary.settings):len(primary.settings)],
		fmt.Sprintf("primary_conninfo=host=127.0.0.1 port=%d user=postgres application_name=second", primary.Port))
	return s.Restart()
}

// Require has a server acknowledge only what its standbys have, and returns when one follows.
func (s *Server) Require(ctx context.Context) error {
	if err := s.set(ctx, "synchronous_standby_names", "*"); err != nil {
		return err
	}
	for {
		following, err := s.Exec(ctx, "select pid::text from pg_stat_replication where sync_state = 'sync'")
		if err != nil || len(following) > 0 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// CutWaits ends the waiting of all statements that wait for the standby, in one of two ways: what they
// wrote is there, and the standby may not have it. It returns how many there were.
func (s *Server) CutWaits(ctx context.Context) (int, error) {
	cut, err := s.Exec(ctx, `select case when random() < 0.5 then pg_terminate_backend(pid)
		else pg_cancel_backend(pid) end::text from pg_stat_activity where wait_event = 'SyncRep'`)
	return len(cut), err
}

// TakeOver makes a standby the primary after its own one and itself were killed: nothing gets to it
// that it had not written yet.
func (s *Server) TakeOver(ctx context.Context, primary *Server) error {
	primary.Kill()
	s.Kill()
	if err := s.Restart(); err != nil {
		return err
	}
	return s.Promote(ctx)
}

// Promote makes a standby a primary that waits for no standby.
func (s *Server) Promote(ctx context.Context) error {
	if err := s.set(ctx, "synchronous_standby_names", ""); err != nil {
		return err
	}
	// A statement that waited for the end of the recovery could be what the recovery waits for.
	if _, err := s.Exec(ctx, "select case when pg_is_in_recovery() then pg_promote(false) end"); err != nil {
		return err
	}
	for {
		isPrimary, err := s.Exec(ctx, "select 1 where not pg_is_in_recovery()")
		if err != nil || len(isPrimary) > 0 {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *Server) set(ctx context.Context, name, value string) error {
	for _, sql := range []string{"alter system set " + name + " = '" + value + "'", "select pg_reload_conf()"} {
		if _, err := s.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}
