package agentdoc_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/tidwall/sjson"
)

// TestWhatIsSaidOfAHookIsWhatHappens fires each event of each agent at a hook of each other one that answers
// with each member of an answer: a command in a settings file, of which chibi bridge run hears. What the
// agent is then answered is what the rehearsal says, to the byte. What is not about a tool is answered
// about one of them only and in one spelling, and a process runs for every fourth answer; with CHIBI_TEST_ALL=1
// about each, in all and for all.
func TestWhatIsSaidOfAHookIsWhatHappens(t *testing.T) {
	inEach(t, agents.All(), func(t *testing.T, r *bridge.Rehearsal, in engine.Dialect) {
		for _, of := range agents.All() {
			if of.Name != in.Name {
				newPair(t, r, of).fireAll()
			}
		}
	})
}

// inEach runs a test in each of the hosts, all at once.
func inEach(t *testing.T, hosts []engine.Dialect, test func(*testing.T, *bridge.Rehearsal, engine.Dialect)) {
	for _, in := range hosts {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()
			r, err := bridge.NewRehearsal(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			test(t, r, in)
		})
	}
}

// pair is an agent with hooks of another one.
type pair struct {
	*testing.T
	*bridge.Rehearsal
	of   engine.Dialect
	home string
	// says is the file with what the hooks answer, settings theirs.
	says, settings string
	fired          int
	listed         []bridge.Passage // of the event
}

func newPair(t *testing.T, r *bridge.Rehearsal, of engine.Dialect) *pair {
	t.Helper()
	p := &pair{T: t, Rehearsal: r, of: of, home: t.TempDir()}
	p.says, p.settings = filepath.Join(p.home, "answer"), filepath.Join(p.home, "settings.json")
	if of.Shape.Event != "" {
		p.settings = filepath.Join(p.home, "settings.toml")
	}
	p.write(filepath.Join(p.home, "config.toml"), fmt.Sprintf("[trace]\nenabled = false\n[foreign.%s]\nfiles = [%q]\n",
		of.Name, p.settings))
	return p
}

func (p *pair) write(path, text string) {
	p.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// settingsOf is a settings file with a hook at an event.
func (p *pair) settingsOf(e engine.Event, matcher, command string) string {
	if p.of.Shape.Event != "" {
		text := fmt.Sprintf("[[hooks]]\nevent = %q\ncommand = %q\n", e.Name, command)
		if matcher != "" {
			text += fmt.Sprintf("matcher = %q\n", matcher)
		}
		return text
	}
	entry := bridge.HandlerEntry(p.of.Shape, command, time.Minute)
	if matcher != "" {
		entry, _ = sjson.SetBytes(entry, "matcher", matcher)
	}
	text, _ := sjson.Set("{}", "version", max(1, p.of.Shape.Version))
	text, _ = sjson.SetRaw(text, p.of.Shape.Root+"."+e.Name, "["+string(entry)+"]")
	return text
}

// fireAll fires all that the hooks can say.
func (p *pair) fireAll() {
	p.Helper()
	for _, e := range p.of.Events {
		p.write(p.settings, p.settingsOf(e, "", fmt.Sprintf("read -r answer < %s; printf %%s \"$answer\"", p.says)))
		var err error
		if p.listed, err = p.Passages(p.Context(), p.of, e); err != nil && e.Kind != engine.Never {
			p.Fatal(err)
		}
		for _, at := range p.In.Events {
			if at.Bridged && e.Kind != engine.Never {
				p.fireAt(e, at)
			}
		}
	}
	if p.fired == 0 {
		p.Errorf("no hook of %s is asked in %s", p.of.Name, p.In.Name)
	}
}

// fireAt fires an event at hooks of an event, those that are asked.
func (p *pair) fireAt(e, at engine.Event) {
	p.Helper()
	if !p.isShared(e, at) {
		return
	}
	type member struct {
		set engine.Member
		to  hookpoints.Decision
	}
	done, whole := map[member]bool{}, systest.All()
	for _, s := range (bridge.Hook{Of: p.In, Event: at}).Samples() {
		for _, row := range e.Says() {
			says := member{row.Set, row.To}
			if done[says] && !isOfTool(row) && !whole {
				continue
			}
			h := bridge.Hook{Of: p.of, Event: e, Row: &row}
			said, err := p.Fire(p.Context(), h, at, s)
			if err != nil {
				p.Fatal(err)
			}
			if said.Asked == nil {
				says = member{} // one that is not asked is told of once
			}
			if whole || !done[says] || said.Asked != nil {
				p.compare(h, at, s, said)
			}
			done[says] = true
		}
	}
}

// isShared reports whether hooks of an event can be asked at one of the other agent.
func (p *pair) isShared(e, at engine.Event) bool {
	return slices.ContainsFunc(agents.Bridged{Dialect: p.In}.PointsAt(at), func(point hookpoints.Name) bool {
		return slices.Contains(e.Points(), point)
	})
}

// isOfTool reports whether what a member does depends on the tool.
func isOfTool(row engine.Row) bool {
	return slices.Contains([]engine.Member{engine.SetInput, engine.SetInputPatch, engine.SetOutput}, row.Set)
}

// compare has chibi bridge run answer an event.
func (p *pair) compare(h bridge.Hook, at engine.Event, s bridge.Sample, said bridge.Passed) {
	p.Helper()
	p.fired++
	if says := strings.Join(said.Says, " and "); says != "" && h.Row.Set != engine.SetEnv && !p.lists(at, says, said) {
		p.Errorf("%s at %s: %s becomes %q, which is not listed in %+v", h.Name(), at.Name, says, said.Arrives, p.listed)
	}
	if !systest.All() && (p.fired+len(p.of.Name+p.In.Name))%4 != 0 {
		return // a process for each takes minutes
	}
	p.write(p.says, string(said.Answer)+"\n")
	if said.Asked == nil {
		should := engine.Taker{Dialect: h.Of, Event: h.Event}.Saying(*h.Row) // if it is asked all the same
		p.write(p.says, string(should)+"\n")
	}
	out := p.answer(at, s.Payload)
	if string(out.Stdout) != string(said.Output.Stdout) || out.Stderr != said.Output.Stderr {
		p.Errorf("%s at %s says %s\nand is answered %s %s\nbut it is said that %s %s", h.Name(), at.Name, said.Answer,
			out.Stdout, out.Stderr, said.Output.Stdout, said.Output.Stderr)
	}
	hasText := h.Row.Set != engine.SetInclude && strings.Contains(string(said.Answer), engine.Said)
	if len(said.Arrives) > 0 && hasText && !strings.Contains(string(out.Stdout)+out.Stderr, engine.Said) {
		p.Errorf("%s at %s says %s, and its words do not arrive: %s", h.Name(), at.Name, said.Answer, out.Stdout)
	}
}

// answer has chibi bridge run answer an event, the first of a session.
func (p *pair) answer(at engine.Event, payload []byte) engine.Output {
	p.Helper()
	if err := os.RemoveAll(filepath.Join(p.home, "bridge")); err != nil {
		p.Fatal(err)
	}
	event := bridge.Event{Agent: p.In, Name: at.Name, Options: app.Options{Home: p.home}}
	return event.Answer(context.Background(), bytes.NewReader(payload))
}

// lists reports whether what chibi bridge show lists has what became of something that a hook says.
func (p *pair) lists(at engine.Event, says string, said bridge.Passed) bool {
	return slices.ContainsFunc(p.listed, func(l bridge.Passage) bool {
		return l.At == at.Name && slices.ContainsFunc(l.Becomes, func(b bridge.Becoming) bool {
			return b.Says == says && b.Arrives == strings.Join(said.Arrives, " and ")
		})
	})
}

// TestWhatIsSaidOfAHookIsTrueOfWhatAgentsSay: moments are made up; those that programs told their hooks come to
// nothing else than is listed.
func TestWhatIsSaidOfAHookIsTrueOfWhatAgentsSay(t *testing.T) {
	if !systest.All() {
		t.Skip("CHIBI_TEST_ALL is not set")
	}
	for _, in := range agents.All() {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()
			r, err := bridge.NewRehearsal(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			captured := capturedOf(t, in)
			for _, of := range agents.All() {
				for _, e := range of.Events {
					p := &pair{T: t, Rehearsal: r, of: of}
					if of.Name == in.Name || e.Kind == engine.Never {
						continue
					}
					if p.listed, err = r.Passages(t.Context(), of, e); err != nil {
						t.Fatal(err)
					}
					for name, s := range captured {
						p.rehearse(name, e, s)
					}
				}
			}
		})
	}
}

// capturedOf are the payloads that were captured of an agent, by the names of their files.
func capturedOf(t *testing.T, d engine.Dialect) map[string]bridge.Sample {
	t.Helper()
	all := map[string]bridge.Sample{}
	files, err := filepath.Glob("../agents/" + d.Name + "/testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		if e, known := d.Event(name); known && e.Bridged {
			m, err := d.Moment(e, text)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.Base(path)] = bridge.Sample{Payload: text, Moment: m}
		}
	}
	return all
}

// rehearse fires a captured payload at hooks of an event.
func (p *pair) rehearse(file string, e engine.Event, s bridge.Sample) {
	p.Helper()
	name, _, _ := strings.Cut(file, ".")
	at, _ := p.In.Event(name)
	for _, row := range e.Says() {
		h := bridge.Hook{Of: p.of, Event: e, Row: &row}
		said, err := p.Fire(p.Context(), h, at, s)
		if err != nil {
			p.Fatal(err)
		}
		says := strings.Join(said.Says, " and ")
		isOver := e.Kind == engine.Stop && string(s.Moment.Values[engine.StopActive]) == "true" // at home, too
		isChange := strings.Contains(says, engine.SetInput.Does(""))                            // of nothing that was made up
		if says != "" && row.Set != engine.SetEnv && !isChange && !isOver && !p.lists(at, says, said) {
			p.Errorf("%s: %s: %s becomes %q, which is not listed", file, h.Name(), says, said.Arrives)
		}
	}
}
