package mcplists_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/mcplists"
	"github.com/chibi-host/chibi/tools/mcp"
	"github.com/google/go-cmp/cmp"
)

var server = mcp.Server{Name: "files", Command: "files"}

// list is what a server with tools of these names offers.
func list(asked time.Time, names ...string) mcp.List {
	l := mcp.List{Program: "p", Version: "1", Asked: asked.Round(0)}
	for _, name := range names {
		l.Tools = append(l.Tools, mcp.Definition{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)})
	}
	return l
}

// saved opens a home's memory, lets a step find something out, and saves it.
func saved(t *testing.T, home string, find func(*mcplists.Memory)) {
	t.Helper()
	m := mcplists.Open(home)
	find(m)
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
}

func TestAListIsRememberedForTheServerAsItIsReached(t *testing.T) {
	home, now := t.TempDir(), time.Now()
	want := list(now, "read", "write")
	saved(t, home, func(m *mcplists.Memory) {
		if _, ok := m.Find(server); ok {
			t.Error("a new home remembers a server")
		}
		if err := m.Answered(server, want); err != nil {
			t.Error(err)
		}
		if e, ok := m.Find(server); !ok || len(e.List.Tools) != 2 {
			t.Errorf("before it is saved: %+v, %v", e, ok)
		}
	})
	m := mcplists.Open(home)
	want.Fingerprint = server.Fingerprint()
	e, ok := m.Find(server)
	if diff := cmp.Diff(mcplists.Entry{List: &want}, e); !ok || diff != "" {
		t.Errorf("found: %v (-want +got):\n%s", ok, diff)
	}
	other, renamed := server, server
	other.Args, renamed.Name, renamed.Trusted = []string{"-v"}, "other", true
	if _, ok := m.Find(other); ok {
		t.Error("another command has the list of the server")
	}
	if _, ok := m.Find(renamed); !ok {
		t.Error("its name counts")
	}
}

func TestWhenAServerIsAskedAgain(t *testing.T) {
	now := time.Now()
	at := func(ago time.Duration) *mcp.List { l := list(now.Add(-ago)); return &l }
	for name, test := range map[string]struct {
		entry     mcplists.Entry
		old, left bool
	}{
		"it just answered":               {mcplists.Entry{List: at(0)}, false, false},
		"it answered yesterday":          {mcplists.Entry{List: at(23 * time.Hour)}, false, false},
		"it answered before that":        {mcplists.Entry{List: at(24 * time.Hour)}, true, false},
		"it answered in the future":      {mcplists.Entry{List: at(-time.Hour)}, true, false},
		"it answered, just failed":       {mcplists.Entry{List: at(99 * time.Hour), Failure: "x", Failed: now}, false, false},
		"it answered, failed":            {mcplists.Entry{List: at(0), Failure: "x", Failed: now.Add(-1e12)}, true, false},
		"it just failed":                 {mcplists.Entry{Failure: "x", Failed: now}, false, true},
		"it failed":                      {mcplists.Entry{Failure: "x", Failed: now.Add(-9 * time.Minute)}, true, true},
		"it failed a while ago":          {mcplists.Entry{Failure: "x", Failed: now.Add(-10 * time.Minute)}, true, false},
		"it failed in the future":        {mcplists.Entry{Failure: "x", Failed: now.Add(time.Minute)}, true, false},
		"nothing is known about it, odd": {mcplists.Entry{}, true, false},
	} {
		if old, left := test.entry.IsOld(now), test.entry.IsLeftOut(now); old != test.old || left != test.left {
			t.Errorf("%s: old %v, left out %v", name, old, left)
		}
	}
}

func TestAFailureLeavesTheListAndAnAnswerRemovesIt(t *testing.T) {
	home, now := t.TempDir(), time.Now()
	saved(t, home, func(m *mcplists.Memory) { _ = m.Answered(server, list(now, "read")) })
	saved(t, home, func(m *mcplists.Memory) { m.Failed(server, errors.New("it died"), now) })
	if e, _ := mcplists.Open(home).Find(server); e.List == nil || len(e.List.Tools) != 1 || e.Failure != "it died" {
		t.Errorf("after the failure: %+v", e)
	}
	saved(t, home, func(m *mcplists.Memory) { _ = m.Answered(server, list(now, "read", "write")) })
	if e, _ := mcplists.Open(home).Find(server); e.List == nil || len(e.List.Tools) != 2 || e.Failure != "" {
		t.Errorf("after the answer: %+v", e)
	}
}

func TestADamagedFileIsNone(t *testing.T) {
	key := server.Fingerprint()
	for name, text := range map[string]string{
		"no JSON": "\x00", "a list": "[]", "cut": `{"version": 1, "servers": {"` + key + `": {"list"`,
		"another version": `{"version": 2, "servers": {"` + key + `": {"list": {"fingerprint": "` + key + `"}}}}`,
		"no entry":        `{"version": 1, "servers": {"` + key + `": []}}`,
		"another entry":   `{"version": 1, "servers": {"` + key + `": {"list": {"fingerprint": "x", "tools": []}}}}`,
		"null":            `{"version": 1, "servers": null}`, "": "",
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, mcplists.Name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m := mcplists.Open(home)
		if e, ok := m.Find(server); ok {
			t.Errorf("%s: found %+v", name, e)
		}
		saved(t, home, func(m *mcplists.Memory) { _ = m.Answered(server, list(time.Now(), "read")) })
		if e, ok := mcplists.Open(home).Find(server); !ok || len(e.List.Tools) != 1 {
			t.Errorf("%s: not replaced: %+v", name, e)
		}
	}
}

func TestAFileThatOthersMayWriteIsNone(t *testing.T) {
	home := t.TempDir()
	saved(t, home, func(m *mcplists.Memory) { _ = m.Answered(server, list(time.Now(), "read")) })
	path := filepath.Join(home, mcplists.Name)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, ok := mcplists.Open(home).Find(server); ok && os.PathSeparator == '/' {
		t.Error("its list counts")
	}
}

func TestWhatSeveralFindOutIsAllKept(t *testing.T) {
	home := t.TempDir()
	var all sync.WaitGroup
	for i := range 8 {
		one := mcp.Server{Name: "s", Command: fmt.Sprint("s", i)}
		m := mcplists.Open(home)
		all.Go(func() {
			if err := errors.Join(m.Answered(one, list(time.Now(), "read")), m.Save()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	m := mcplists.Open(home)
	for i := range 8 {
		if _, ok := m.Find(mcp.Server{Name: "s", Command: fmt.Sprint("s", i)}); !ok {
			t.Errorf("server %d is not known", i)
		}
	}
}

func TestWhatNobodyUsesIsRemoved(t *testing.T) {
	home, now := t.TempDir(), time.Now()
	gone, failed := mcp.Server{Command: "gone"}, mcp.Server{Command: "failed"}
	saved(t, home, func(m *mcplists.Memory) { _ = m.Answered(gone, list(now.Add(-31*24*time.Hour))) })
	saved(t, home, func(m *mcplists.Memory) { m.Failed(failed, errors.New("x"), now.Add(-31*24*time.Hour)) })
	saved(t, home, func(m *mcplists.Memory) { _ = m.Answered(server, list(now.Add(-29*24*time.Hour))) })
	saved(t, home, func(m *mcplists.Memory) { _ = m.Answered(mcp.Server{Command: "new"}, list(now)) })
	m := mcplists.Open(home)
	for _, s := range []mcp.Server{gone, failed} {
		if _, ok := m.Find(s); ok {
			t.Errorf("%s is remembered", s.Command)
		}
	}
	if _, ok := m.Find(server); !ok {
		t.Error("a list of 29 days is forgotten")
	}
}

func TestTooMuchIsNotRemembered(t *testing.T) {
	home, now := t.TempDir(), time.Now()
	large := list(now, "a")
	large.Tools[0].Description = strings.Repeat("x", 4<<20)
	m := mcplists.Open(home)
	err := m.Answered(server, large)
	if err == nil || !strings.Contains(err.Error(), "bytes, at most 4194304 are allowed") {
		t.Errorf("a list of 4 MiB: %v", err)
	}
	if _, ok := m.Find(server); ok {
		t.Error("it is remembered")
	}
	large.Tools[0].Description = strings.Repeat("x", 3<<20)
	saved(t, home, func(m *mcplists.Memory) {
		for i := range 12 {
			large.Asked = now.Add(time.Duration(i-20) * time.Second)
			if err := m.Answered(mcp.Server{Command: fmt.Sprint(i)}, large); err != nil {
				t.Error(err)
			}
		}
	})
	m = mcplists.Open(home)
	if _, ok := m.Find(mcp.Server{Command: "0"}); ok {
		t.Error("the oldest list is kept although the file is full")
	}
	if _, ok := m.Find(mcp.Server{Command: "11"}); !ok {
		t.Error("the newest list is not kept")
	}
}

func TestAHomeThatCannotBeWritten(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := mcplists.Open(home)
	if err := m.Save(); err != nil {
		t.Errorf("without anything to save: %v", err)
	}
	_ = m.Answered(server, list(time.Now(), "read"))
	const want = "chibi cannot store the tools of MCP servers, so it asks each server every time: "
	if err := m.Save(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestADefinitionStaysTheSame: what a person has approved is a definition by its hash.
func TestADefinitionStaysTheSame(t *testing.T) {
	home, yes := t.TempDir(), true
	want := list(time.Now())
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"maximum":1.0e5,"default":12345678901234567890}}}`,
		`{"description":"\u00e9 é <b> \/ \u2028","pattern":"^\\d$","x":-0.0}`, `true`, `{}`,
	} {
		want.Tools = append(want.Tools, mcp.Definition{Name: "t", Title: "<T>", Description: "é\x1b[31m\u2028",
			InputSchema: json.RawMessage(schema), Destructive: &yes})
	}
	saved(t, home, func(m *mcplists.Memory) { _ = m.Answered(server, want) })
	e, _ := mcplists.Open(home).Find(server)
	for i, d := range want.Tools {
		if e.List == nil || e.List.Tools[i].Hash() != d.Hash() {
			t.Errorf("%s\nbecame\n%s", d.JSON(), e.List.Tools[i].JSON())
		}
	}
}
