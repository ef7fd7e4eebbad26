//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Standby starts a server that follows this one, which is shut down and started again for it.
func (s *Server) Standby() (*Server, error) {
	base, err := os.MkdirTemp(tempDir(), "chibi-postgres-")
	if err != nil {
		return nil, err
	}
	standby := &Server{Dir: s.Dir, Data: filepath.Join(base, "data"),
		settings: append(s.settings[:len(s.settings):len(s.settings)],
			fmt.Sprintf("primary_conninfo=host=127.0.0.1 port=%d user=postgres application_name=second", s.Port))}
	if standby.Port, err = freePort(); err == nil {
		err = startCopy(standby, s)
	}
	if err != nil {
		standby.Stop()
		return nil, err
	}
	return standby, nil
}

// startCopy copies the data of a server and starts the copy as its standby.
func startCopy(standby, primary *Server) error {
	if err := giveAway(filepath.Dir(standby.Data)); err != nil {
		return err
	}
	primary.Shutdown()
	copying := exec.Command("cp", "-Rp", primary.Data, standby.Data)
	if out, err := copying.CombinedOutput(); err != nil {
		return fmt.Errorf("cp: %w: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(standby.Data, "standby.signal"), nil, 0o644); err != nil {
		return err
	}
	if err := primary.Restart(); err != nil {
		return err
	}
	return standby.Restart()
}
