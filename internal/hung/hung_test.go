package hung_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/hung"
)

// clock is one that tests set.
type clock struct{ now time.Time }

func (c *clock) options() hung.Options { return hung.Options{Now: func() time.Time { return c.now }} }

func newClock() *clock { return &clock{time.Date(2026, 1, 2, 15, 4, 5, 6, time.UTC)} }

// write writes a plugin.
func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// remember makes a home in which a plugin hung, after a second.
func remember(t *testing.T, c *clock) (home, path string) {
	t.Helper()
	home = t.TempDir()
	path = write(t, filepath.Join(home, "slow"), "#!/bin/sh\nsleep 1000\n")
	m := hung.Open(home, c.options())
	if until, ok := m.Note(path, time.Second); !ok || !until.Equal(c.now.Add(10*time.Minute)) {
		t.Fatalf("until %v, %v", until, ok)
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	return home, path
}

func TestHowLongItIsLeftOut(t *testing.T) {
	for _, test := range []struct {
		name     string
		do       func(home, path string) error
		later    time.Duration
		patience time.Duration
		leftOut  bool
	}{
		{"a moment later", nil, 0, time.Second, true},
		{"after nine minutes", nil, 9*time.Minute + 59*time.Second, time.Second, true},
		{"after ten minutes", nil, 10 * time.Minute, time.Second, false},
		{"the clock went back", nil, -time.Second, time.Second, false},
		{"with less time", nil, time.Minute, time.Millisecond, true},
		{"with more time", nil, time.Minute, 2 * time.Second, false},
		{"the file was written anew, of the same size and time", func(_, path string) error {
			info, err := os.Stat(path)
			if err == nil {
				err = os.WriteFile(path, []byte("#!/bin/sh\nsleep 2000\n"), 0o755)
			}
			if err == nil {
				err = os.Chtimes(path, info.ModTime(), info.ModTime())
			}
			return err
		}, time.Minute, time.Second, false},
		{"the file is gone", func(_, path string) error { return os.Remove(path) }, time.Minute, time.Second, false},
		{"the memory is damaged", func(home, _ string) error {
			return os.WriteFile(home+"/hung-plugins.json", []byte("{"), 0o600)
		}, time.Minute, time.Second, false},
		{"the memory is a named pipe", func(home, _ string) error {
			return errors.Join(os.Remove(home+"/hung-plugins.json"), syscall.Mkfifo(home+"/hung-plugins.json", 0o600))
		}, time.Minute, time.Second, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newClock()
			home, path := remember(t, c)
			begun := c.now
			if test.do != nil {
				if err := test.do(home, path); err != nil {
					t.Fatal(err)
				}
			}
			c.now = begun.Add(test.later)
			at, until, ok := hung.Open(home, c.options()).Until(path, test.patience)
			if ok != test.leftOut || ok && (!at.Equal(begun) || !until.Equal(begun.Add(hung.Period))) {
				t.Errorf("left out: %v, from %v to %v", ok, at, until)
			}
		})
	}
}

func TestAskingAgain(t *testing.T) {
	c := newClock()
	home, path := remember(t, c)
	again := c.options()
	again.AskAgain = true
	m := hung.Open(home, again)
	if _, _, ok := m.Until(path, time.Second); ok {
		t.Error("it was left out")
	}
	m.Forget(path)
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := hung.Open(home, c.options()).Until(path, time.Second); ok {
		t.Error("it has answered, and is left out")
	}
}

func TestNothingIsWrittenWhereNothingHangs(t *testing.T) {
	home := t.TempDir()
	m := hung.Open(home, hung.Options{})
	m.Forget(home + "/good")
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(home); len(left) > 0 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
}

func TestOneThatMayBlockIsNotRemembered(t *testing.T) {
	home, padding := t.TempDir(), strings.Repeat("x", 64<<10-5) // the word lies across two pieces
	for name, text := range map[string]string{"guard": `{"on_failure": "block"}`, "large": padding + "on_failure"} {
		m := hung.Open(home, hung.Options{})
		path := write(t, filepath.Join(home, name), text)
		if _, ok := m.Note(path, time.Second); ok {
			t.Errorf("%s is remembered", name)
		}
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := hung.Open(home, hung.Options{}).Until(path, time.Second); ok {
			t.Errorf("%s is left out", name)
		}
	}
}

// TestManyRememberAtOnce: each process adds what it saw, and drops what counts no
// more.
func TestManyRememberAtOnce(t *testing.T) {
	c := newClock()
	home, gone := remember(t, c)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	const processes = 8
	var all sync.WaitGroup
	for i := range processes {
		path := write(t, fmt.Sprintf("%s/p%d", home, i), "sleep 1000")
		m := hung.Open(home, c.options())
		all.Go(func() {
			m.Note(path, time.Second)
			if err := m.Save(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	m := hung.Open(home, c.options())
	for i := range processes {
		if _, _, ok := m.Until(fmt.Sprintf("%s/p%d", home, i), time.Second); !ok {
			t.Errorf("p%d is forgotten", i)
		}
	}
	if text, err := os.ReadFile(home + "/hung-plugins.json"); err != nil || strings.Contains(string(text), gone) {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestADamagedMemoryIsKeptAside(t *testing.T) {
	c := newClock()
	home, path := remember(t, c)
	write(t, home+"/hung-plugins.json", "{")
	opts := c.options()
	var said []string
	opts.Report = func(text string) { said = append(said, text) }
	m := hung.Open(home, opts)
	m.Note(path, time.Second)
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	kept, _ := filepath.Glob(home + "/hung-plugins.json.damaged-*")
	_, _, ok := hung.Open(home, c.options()).Until(path, time.Second)
	if len(kept) != 1 || len(said) != 1 || !ok {
		t.Errorf("kept %v, said %q, left out %v", kept, said, ok)
	}
}

// FuzzOpen holds that whatever the file says, plugins can be asked and remembered.
func FuzzOpen(f *testing.F) {
	f.Add(`{"/p": {"at": "2026-01-02T15:04:05Z", "waited_ms": 1000, "file": {"size": 1}}}`)
	f.Add(`{"/p": null}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzztest.Memory(t)
		home := t.TempDir()
		path := write(t, home+"/p", "x")
		write(t, home+"/hung-plugins.json", text)
		m := hung.Open(home, hung.Options{})
		m.Until(path, time.Second)
		m.Note(path, time.Second)
		if err := m.Save(); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := hung.Open(home, hung.Options{}).Until(path, time.Second); !ok {
			t.Errorf("%q: it is not remembered", text)
		}
	})
}
