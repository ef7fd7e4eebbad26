package bridge_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/childtest"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/systest"
)

// records returns how many members another program adds to the settings, half of them in place.
func records() int {
	if systest.All() {
		return 1000
	}
	return 250
}

// TestNothingThatTheAgentWritesIsLost: while another process adds members to the settings, as an agent that
// saves its state, by renaming and in place, chibi adds and removes its entries all the time.
func TestNothingThatTheAgentWritesIsLost(t *testing.T) {
	childtest.Do(t, "CHIBI_TEST_AGENT", func(path string) {
		for n := range records() {
			if err := addRecord(path, n); err != nil {
				t.Fatal(err)
			}
			if n%8 == 0 {
				time.Sleep(rand.N(60 * time.Millisecond)) // it has other things to do, too
			}
		}
	})
	dir := t.TempDir()
	path := filepath.Join(dir, ".claude", "settings.json")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("{}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	claude, _ := agents.ByName("claude")
	i := bridge.Installer{Agent: claude, Scope: engine.ScopeUser, Home: home(t, "", nil), Chibi: "/bin/chibi",
		UserHome: dir, Project: dir, NoServer: true, Getenv: func(string) string { return "" }}
	self := childtest.Command(t)
	agent := exec.Command(self[0], self[1:]...)
	agent.Env, agent.Stderr = childtest.Environ(t, "CHIBI_TEST_AGENT", path), os.Stderr
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- agent.Wait() }()
	changes := 0
	for isOver := false; !isOver; {
		for _, change := range []func() (bridge.Done, error){i.Add, i.Remove} {
			done, err := change()
			if changes += len(done.Files); err != nil && !errors.Is(err, disk.ErrBusy) {
				t.Errorf("after %d changes: %v", changes, err)
			}
		}
		select {
		case err := <-ended:
			if isOver = true; err != nil {
				t.Error(err)
			}
		default:
		}
	}
	compareRecords(t, path)
	if _, err := i.Add(); err != nil {
		t.Error(err)
	}
	if found, err := i.Find(); err != nil || len(found) != 1 || len(found[0].Events) != 14 {
		t.Errorf("%+v, %v", found, err)
	}
	compareRecords(t, path)
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 || changes == 0 {
		t.Errorf("%d changes left %v", changes, left)
	}
	t.Logf("%d changes", changes)
}

// addRecord reads the settings, adds a member, and writes them. An agent knows what it wrote last: it reads
// again when that is not there, as a file of ours may be there for a moment that is taken back.
func addRecord(path string, n int) error {
	settings, err := readRecords(path)
	for try := 0; err == nil && n > 0 && settings[fmt.Sprintf("record %d", n-1)] == nil && try < 10_000; try++ {
		time.Sleep(time.Millisecond)
		settings, err = readRecords(path)
	}
	if err != nil {
		return fmt.Errorf("record %d: %w", n, err)
	}
	settings[fmt.Sprintf("record %d", n)] = n
	text, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return err
	}
	if n%2 == 0 {
		return os.WriteFile(path, text, 0o600)
	}
	if err := os.WriteFile(path+".theirs", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".theirs", path)
}

func readRecords(path string) (settings map[string]any, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &settings)
	}
	return settings, err
}

// compareRecords says which members are gone.
func compareRecords(t *testing.T, path string) {
	t.Helper()
	settings, err := readRecords(path)
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for n := range records() {
		if settings[fmt.Sprintf("record %d", n)] == nil {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d records are lost", lost, records())
	}
}
