package oneshot_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/oneshot"
	"github.com/chibi-host/chibi/plugin/process"
)

// TestSoManyProbesRunAtOnce: all of them are there before the first one ends, and no
// other has begun.
func TestSoManyProbesRunAtOnce(t *testing.T) {
	for parallel, want := range map[int]int{0: plugin.DefaultParallel(), 3: 3} {
		testParallel(t, parallel, want)
	}
	if n := plugin.DefaultParallel(); n < 16 || n < 4*runtime.GOMAXPROCS(0) {
		t.Errorf("the default is %d at once", n)
	}
}

func testParallel(t *testing.T, parallel, want int) {
	synctest.Test(t, func(t *testing.T) {
		all := want + 4
		begun, end, done := make(chan int, all), make(chan struct{}), make(chan struct{})
		prober := oneshot.NewProber(nil, parallel)
		go func() {
			defer close(done)
			prober.Each(all, func(i int) {
				begun <- i
				<-end
			})
		}()
		synctest.Wait()
		if n := len(begun); n != want {
			t.Errorf("%d probes run at once, want %d", n, want)
		}
		close(end)
		<-done
		if n := len(begun); n != all {
			t.Errorf("%d probes ran, want %d", n, all)
		}
	})
}

// notes is a memory for tests: it uses whatever it was told, and notes what it was.
type notes struct {
	oneshot.NoMemory
	known  map[string]oneshot.Known
	due    map[string]oneshot.Due
	effect oneshot.Effect
	told   []string
}

func (n *notes) Recall(f oneshot.File) (oneshot.Known, bool) {
	known, ok := n.known[filepath.Base(f.Path)]
	return known, ok
}

func (n *notes) Begin(f oneshot.File) func(oneshot.Answer) oneshot.Effect {
	return func(a oneshot.Answer) oneshot.Effect {
		n.told = append(n.told, fmt.Sprintf("%s %s%s%v %v", filepath.Base(f.Path), a.Stdout, a.Failure, a.Waited, a.Never))
		return n.effect
	}
}

func (n *notes) Forget(f oneshot.File) { n.told = append(n.told, "not "+filepath.Base(f.Path)) }

func (n *notes) Due(f oneshot.File) oneshot.Due { return n.due[filepath.Base(f.Path)] }

// asked runs probes of scripts with a memory.
type asked struct {
	t      *testing.T
	dir    string
	memory *notes
	prober *oneshot.Prober
}

func newAsked(t *testing.T) *asked {
	a := &asked{t: t, dir: t.TempDir()}
	a.memory = &notes{known: map[string]oneshot.Known{}, due: map[string]oneshot.Due{}}
	a.prober = oneshot.NewProber(a.memory, 0)
	return a
}

// probe returns the probe of a new script.
func (a *asked) probe(name, line string) oneshot.Probe {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+line+"\n"), 0o755); err != nil {
		a.t.Fatal(err)
	}
	return oneshot.Probe{Name: name, File: oneshot.File{Path: path, Question: "--schema"},
		Command: process.Command{Path: path, Timeout: time.Minute},
		Explain: func(err error) error { return fmt.Errorf("asked: %w", err) }}
}

// ask asks a script for a word. "never" must not be remembered, "guard" blocks, and "bad"
// is no answer.
func (a *asked) ask(ctx context.Context, p oneshot.Probe) string {
	word, err := oneshot.Ask(ctx, a.prober, p, func(stdout []byte) (string, oneshot.Rules, error) {
		word := strings.TrimSpace(string(stdout))
		if word == "bad" {
			return "", oneshot.Rules{}, errors.New("a bad word")
		}
		return word, oneshot.Rules{Never: word == "never", Blocks: word == "guard"}, nil
	})
	if err != nil {
		return "error: " + err.Error()
	}
	return word
}

// TestWhatIsKnownIsNotAsked: unless the probe, or the answer itself, asks for more.
func TestWhatIsKnownIsNotAsked(t *testing.T) {
	known := func(word string, checks int) oneshot.Known {
		return oneshot.Known{Answer: oneshot.Answer{Stdout: []byte(word)}, Checks: checks}
	}
	until := time.Date(2026, 1, 2, 15, 14, 0, 0, time.Local)
	hung := oneshot.Known{Age: 3 * time.Minute, Until: until,
		Answer: oneshot.Answer{Failure: "no answer", Waited: time.Minute}}
	failed := oneshot.Known{Answer: oneshot.Answer{Failure: "exit status 3"}, Age: 59 * time.Second, Until: until}
	for _, test := range []struct {
		name   string
		known  oneshot.Known
		change func(*oneshot.Probe)
		want   string
	}{
		{"an answer", known("old", 0), nil, "old"},
		{"one that must not be used", known("never", 9), nil, "new"},
		{"one that is no answer for this version", known("bad", 9), nil, "new"},
		{"that of a guard, not confirmed", known("guard", 2), nil, "new"},
		{"that of a guard", known("guard", 3), nil, "guard"},
		{"one that is required, not confirmed", known("old", 2), func(p *oneshot.Probe) { p.Required = true }, "new"},
		{"one that is required", known("old", 3), func(p *oneshot.Probe) { p.Required = true }, "old"},
		{"it hung", hung, nil, "error: no answer (3 min ago); asked again after 15:14, by chibi plugin list, or when its " +
			"file changes or plugins.probe_timeout_ms is raised"},
		{"it hung, with less time", hung, func(p *oneshot.Probe) { p.Command.Timeout += time.Second }, "new"},
		{"it hung and is required", hung, func(p *oneshot.Probe) { p.Required = true }, "new"},
		{"it failed", failed, nil, "error: exit status 3 (59 s ago); asked again after 15:14, by chibi plugin list, or " +
			"when its file changes"},
	} {
		a := newAsked(t)
		p := a.probe("p", "echo new")
		a.memory.known["p"] = test.known
		if test.change != nil {
			test.change(&p)
		}
		if got := a.ask(t.Context(), p); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestWhatIsRemembered: answers, and the failures that say something about the executable.
func TestWhatIsRemembered(t *testing.T) {
	required := func(p *oneshot.Probe) { p.Required = true }
	for _, test := range []struct {
		line   string
		change func(*oneshot.Probe)
		told   string
		want   string
	}{
		{"echo new", nil, "p new\n0s false", "new"},
		{"echo never", nil, "p never\n0s true", "never"},
		{"echo bad", nil, "p a bad word0s false", "error: a bad word; asked again after 15:14, by chibi plugin list, or " +
			"when its file changes"},
		{"exit 3", nil, "p asked: exit status 30s false", "error: asked: exit status 3; asked again after 15:14, by chibi " +
			"plugin list, or when its file changes"},
		{"sleep 1000", func(p *oneshot.Probe) { p.Command.Timeout = 200 * time.Millisecond },
			"p asked: no answer after 200ms200ms false", "error: asked: no answer after 200ms; asked again after 15:14, by " +
				"chibi plugin list, or when its file changes or plugins.probe_timeout_ms is raised"},
		{"exit 3", required, "not p", "error: asked: exit status 3"},
		{"sleep 1000", func(p *oneshot.Probe) { p.Required, p.Command.Timeout = true, 200*time.Millisecond }, "not p",
			"error: asked: no answer after 200ms; if it needs longer, raise probe_timeout_ms under [plugins] in config.toml"},
		{"kill -9 $$", nil, "not p", "error: asked: ended by signal: killed"},
		{"", func(p *oneshot.Probe) { p.Command.Path += "/gone" }, "not p", "error: asked: could not be started"},
	} {
		a := newAsked(t)
		a.memory.effect.Until = time.Date(2026, 1, 2, 15, 14, 0, 0, time.Local)
		p := a.probe("p", test.line)
		if test.change != nil {
			test.change(&p)
		}
		got := a.ask(t.Context(), p)
		if !strings.HasPrefix(got, test.want) || strings.Join(a.memory.told, "|") != test.told {
			t.Errorf("%q: %q, want %q; told %q, want %q", test.line, got, test.want, a.memory.told, test.told)
		}
	}

	a := newAsked(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := a.ask(ctx, a.probe("p", "echo new")); !strings.Contains(got, "canceled") || len(a.memory.told) > 0 {
		t.Errorf("interrupted: %q, told %q", got, a.memory.told)
	}
}

// TestTheMostUrgentIsCheckedFirst: one after the other, and what is not due is not asked.
func TestTheMostUrgentIsCheckedFirst(t *testing.T) {
	a := newAsked(t)
	for name, due := range map[string]oneshot.Due{"old": oneshot.Old, "failed": oneshot.Failed, "new": oneshot.Unconfirmed,
		"sure": oneshot.NotDue} {
		a.memory.known[name] = oneshot.Known{Answer: oneshot.Answer{Stdout: []byte(name)}}
		a.memory.due[name] = due
		a.ask(t.Context(), a.probe(name, "[ "+name+" = old ] && exit 3; echo "+name))
	}
	a.memory.effect.Changed = true
	a.prober.Recheck(t.Context())
	want := "new new\n0s false|not old|failed failed\n0s false"
	if got := strings.Join(a.memory.told, "|"); got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	if n := a.prober.Notices(); len(n) != 2 || n[0].Plugin != "new" || len(a.prober.Notices()) > 0 {
		t.Errorf("notices %v", n)
	}
}
