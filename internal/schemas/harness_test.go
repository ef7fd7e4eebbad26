package schemas_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/schemas"
	"github.com/chibi-host/chibi/plugin/native"
	"github.com/chibi-host/chibi/plugin/oneshot"
)

// home is a home with real plugins, which are found and asked as a run does it. Its clock
// is an hour ahead, so that no file has just changed.
type home struct {
	t       *testing.T
	dir     string
	ahead   time.Duration
	memory  schemas.Options
	options native.Options
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir(), ahead: time.Hour}
	h.options = native.Options{Dir: filepath.Join(h.dir, "plugins"), Home: h.dir, ProbeTimeout: time.Minute}
	h.memory.Now = func() time.Time { return time.Now().Add(h.ahead) }
	if err := os.Mkdir(h.options.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

// write writes a file, with its directories.
func (h *home) write(name, text string) {
	h.t.Helper()
	path := h.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		h.t.Fatal(err)
	}
}

// script writes a plugin, which notes in the file "asked" that it was asked, and then does
// what a line of sh says.
func (h *home) script(name, line string) {
	h.t.Helper()
	h.write("plugins/"+name, fmt.Sprintf("#!/bin/sh\necho %s >> %s/asked\n%s\n", filepath.Base(name), h.dir, line))
}

// started is what a start saw.
type started struct {
	asked   string // the plugins that were asked, by name
	tools   string // the tools with their descriptions
	skipped string // the reasons for which plugins were skipped
	missing string // the plugins among them without which nothing may go on
	notices string
}

// start loads the plugins, as a run does, and then lets later do more with the prober.
func (h *home) start(later ...func(*oneshot.Prober)) (s started) {
	h.t.Helper()
	memory := schemas.Open(h.dir, h.memory)
	opts := h.options
	opts.Prober = oneshot.NewProber(memory, 0)
	loaded, err := native.Load(h.t.Context(), opts)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, do := range append([]func(*oneshot.Prober){func(*oneshot.Prober) { s.asked = h.asked() }}, later...) {
		do(opts.Prober)
	}
	if err := memory.Save(h.options.Dir); err != nil {
		h.t.Fatal(err)
	}
	for _, p := range loaded.Plugins {
		for _, tool := range p.Tools {
			s.tools += " " + tool.Spec().Name + ":" + tool.Spec().Description
		}
	}
	for _, left := range loaded.Skipped {
		s.skipped += " " + left.Name + ": " + left.Reason
		if left.Required {
			s.missing += left.Name
		}
	}
	for _, n := range opts.Prober.Notices() {
		s.notices += " " + n.String()
	}
	s.tools = strings.TrimSpace(s.tools)
	return s
}

// asked returns the plugins that were asked since the last call, by name.
func (h *home) asked() string {
	text, _ := os.ReadFile(h.path("asked"))
	os.Remove(h.path("asked"))
	return strings.Join(slices.Sorted(slices.Values(strings.Fields(string(text)))), " ")
}

// recheck is what a run does in the background; the plugins that it asks are added to
// asked.
func (h *home) recheck(asked *string) func(*oneshot.Prober) {
	return func(p *oneshot.Prober) {
		p.Recheck(h.t.Context())
		*asked = h.asked()
	}
}

// warm starts until every answer is confirmed.
func (h *home) warm() {
	h.t.Helper()
	for range 4 {
		h.start(h.recheck(new(string)))
	}
}

// holds fails unless the last start asked these plugins, and found these tools.
func (s started) holds(t *testing.T, asked, tools string) {
	t.Helper()
	if s.asked != asked || s.tools != tools {
		t.Errorf("asked %q, want %q; tools %q, want %q; skipped %q", s.asked, asked, s.tools, tools, s.skipped)
	}
}

// stored returns the text of the memory's file.
func (h *home) stored() string {
	text, _ := os.ReadFile(h.path("schemas.json"))
	return string(text)
}

// gone waits for the end of the process whose id is in a file: it was killed.
func (h *home) gone(name string) {
	h.t.Helper()
	text, err := os.ReadFile(h.path(name))
	id := strings.TrimSpace(string(text))
	if err != nil || id == "" {
		h.t.Fatalf("no process: %v", err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		state, err := os.ReadFile("/proc/" + id + "/stat")
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		if time.Now().After(end) {
			h.t.Fatalf("it is left: %s", state)
		}
	}
}
