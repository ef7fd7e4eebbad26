package agentdoc_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/bridge"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/agents/settings"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
)

func TestMain(m *testing.M) { os.Exit(systest.Processes{M: m}.Run()) }

// published is a hook as people publish them: a script that says in comments at its top at which event it is
// asked, with which matcher, about what, and its verdict in its agent.
type published struct {
	name, path string
	of         engine.Dialect
	event      engine.Event
	matcher    string
	about      about
	// verdict is what it does at home, in the words of [engine.Effect.Does]; text is part of what it says.
	verdict []string
	text    string
}

// about is what a hook decides about, in chibi's names.
type about struct {
	Tool                             string
	Arguments                        json.RawMessage
	Output, Prompt, Response, Source string
}

// TestPublishedHooksGiveTheirVerdict runs each script in its own agent's form, and in other agents by a settings
// file of which chibi bridge run hears: the verdict is the same unless chibi bridge show lists what becomes of it.
func TestPublishedHooksGiveTheirVerdict(t *testing.T) {
	scripts, others := readPublished(t), agents.Bridges()
	if len(scripts) < 60 {
		t.Errorf("there are %d scripts, which are fewer than 60", len(scripts))
	}
	t.Run("at home", func(t *testing.T) {
		for _, s := range scripts {
			s.isAtHome(t)
		}
	})
	dealt := deal(scripts, others)
	inEach(t, others, func(t *testing.T, r *bridge.Rehearsal, in engine.Dialect) {
		listed := map[string][]bridge.Passage{} // by agent and event
		for _, s := range scripts {
			if slices.Contains(dealt[s.name], in.Name) {
				s.isIn(newPair(t, r, s.of), listed)
			}
		}
	})
}

// deal deals the other agents to the scripts of each agent, two to each and what is left to the last one, so that some
// script of each runs in each other one. With CHIBI_TEST_ALL=1 each script has all of them.
func deal(scripts []published, others []engine.Dialect) map[string][]string {
	dealt := map[string][]string{}
	for _, of := range agents.All() {
		own := slices.DeleteFunc(slices.Clone(scripts), func(s published) bool { return s.of.Name != of.Name })
		hosts := slices.DeleteFunc(slices.Clone(others), func(in engine.Dialect) bool { return in.Name == of.Name })
		for i, s := range own {
			from, to := 2*i, 2*i+2
			if i == len(own)-1 {
				to = max(to, len(hosts))
			}
			if systest.All() {
				from, to = 0, len(hosts)
			}
			for n := from; n < to; n++ {
				dealt[s.name] = append(dealt[s.name], hosts[n%len(hosts)].Name)
			}
		}
	}
	return dealt
}

// readPublished reads the scripts.
func readPublished(t *testing.T) (list []published) {
	t.Helper()
	paths, err := filepath.Glob("../agents/testdata/published/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if path, err = filepath.Abs(path); err != nil {
			t.Fatal(err)
		}
		list = append(list, readScript(t, path))
	}
	return list
}

func readScript(t *testing.T, path string) published {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, says := published{path: path}, map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, is := strings.Cut(strings.TrimPrefix(lines.Text(), "# "), ": "); is && says[key] == "" {
			says[key] = value
		}
	}
	agent := filepath.Base(filepath.Dir(path))
	s.name = agent + "/" + filepath.Base(path)
	s.of, _ = agents.ByName(agent)
	known := false
	if s.event, known = s.of.Event(says["event"]); !known {
		t.Fatalf("%s: unknown event %q", s.name, says["event"])
	}
	if err := json.Unmarshal([]byte(says["input"]), &s.about); err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	verdict, text, _ := strings.Cut(says["home"], ": ")
	s.matcher, s.text = says["matcher"], text
	if verdict != "nothing" {
		s.verdict = strings.Split(verdict, ", ")
	}
	return s
}

// command is the command line of the hook.
func (s published) command() string {
	if strings.HasSuffix(s.path, ".py") {
		return fmt.Sprintf("python3 '%s'", s.path)
	}
	return fmt.Sprintf("%s '%s'", s.of.Shell[0], s.path)
}

// moment is what happens, of a kind.
func (s published) moment(k engine.Kind, dir string) engine.Moment {
	m := engine.Moment{Kind: k, Values: map[engine.Value]json.RawMessage{}}
	for value, text := range map[engine.Value]string{engine.Session: "s", engine.PromptID: "p", engine.CallID: "c",
		engine.Cwd: dir, engine.Project: dir, engine.Home: dir, engine.Model: "m", engine.PermissionMode: "default",
		engine.Time: "2026-01-02T03:04:05.000Z", engine.ToolName: s.about.Tool, engine.ToolOutput: s.about.Output,
		engine.PromptText: s.about.Prompt, engine.Response: s.about.Response, engine.Source: s.about.Source,
		engine.ToolCategory: string(s.about.category())} {
		m.Set(value, text)
	}
	if k == engine.Stop {
		m.Values[engine.StopActive] = json.RawMessage("false")
	}
	if s.about.Tool == "" {
		return m
	}
	var arguments struct{ Command, Path, URL, Title string }
	_ = json.Unmarshal(s.about.Arguments, &arguments) // those of an MCP tool have none of them
	m.Values[engine.ToolInput] = s.about.Arguments
	m.Set(engine.Command, arguments.Command)
	m.Set(engine.Path, arguments.Path)
	m.Set(engine.ToolStatus, "ran")
	switch {
	case arguments.Command != "":
		m.Set(engine.ToolSubject, "command")
	case arguments.Path != "":
		m.Set(engine.ToolSubject, "path")
	case s.about.Tool == "fetch_url":
		m.Set(engine.ToolSubject, "url")
	case s.about.category() == tools.CategoryMCP:
		m.Set(engine.Server, "notes")
		m.Set(engine.ServerTool, "note")
	}
	return m
}

// category is the category of the tool.
func (a about) category() tools.Category {
	return map[string]tools.Category{"shell_exec": tools.CategoryShell, "read_file": tools.CategoryRead,
		"write_file": tools.CategoryWrite, "file_edit": tools.CategoryEdit, "fetch_url": tools.CategoryFetch,
		"mcp__notes__note": tools.CategoryMCP}[a.Tool]
}

// isAtHome has the hook run as chibi hook run does.
func (s published) isAtHome(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	m := s.moment(s.event.Kind, dir)
	matches, err := s.of.Matches(s.event, s.matcher)
	if err != nil {
		t.Errorf("%s: %v", s.name, err)
		return
	}
	payload, err := s.of.Payload(s.event, m)
	if err != nil {
		t.Fatal(err)
	}
	there, err := s.of.Moment(s.event, payload)
	if value := s.of.Matched(s.event, there); err != nil || !matches(value) {
		t.Errorf("%s: its matcher does not match %q at home: %v", s.name, value, err)
	}
	trial, err := hooks.Try(t.Context(), s.of, hooks.Tried{Payload: payload,
		Handler: settings.Handler{Event: s.event.Name, Line: 1, Kind: engine.CommandHandler, Command: s.command()},
		Options: hooks.Options{Name: s.name, Path: s.path, Dir: dir, Runner: process.Runner{}, Agents: agents.All}})
	if err != nil {
		t.Errorf("%s: %v", s.name, err)
		return
	}
	said, _ := json.Marshal(trial.Effect)
	does := trial.Effect.Does(s.event.Kind)
	if !isSame(does, s.verdict) || !strings.Contains(string(said), s.text) || trial.Effect.Failed != "" {
		t.Errorf("%s says at home %q: %s\n%s%s", s.name, does, said, trial.Outcome.Stdout, trial.Outcome.Stderr)
	}
}

// isSame reports whether two verdicts are the same.
func isSame(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// isIn has the hook run in another agent.
func (s published) isIn(p *pair, listed map[string][]bridge.Passage) {
	p.Helper()
	key, known, err := s.of.Name+" "+s.event.Name, false, error(nil)
	if p.listed, known = listed[key]; !known {
		if p.listed, err = p.Passages(p.Context(), s.of, s.event); err != nil {
			p.Fatal(err)
		}
		listed[key] = p.listed
	}
	p.write(p.settings, p.settingsOf(s.event, s.matcher, s.command()))
	for _, at := range p.In.Events {
		if at.Bridged && p.isShared(s.event, at) && s.hasTool(p.In) {
			s.isAt(p, at)
		}
	}
}

// hasTool reports whether an agent has the tool that the hook is asked about.
func (s published) hasTool(in engine.Dialect) bool {
	if s.about.category() == tools.CategoryMCP {
		return in.MCPName != ""
	}
	return s.about.Tool == "" || slices.ContainsFunc(in.Tools, func(tool toolnames.Tool) bool {
		return tool.Ours == s.about.Tool
	})
}

// isAt has it happen at an event of the other agent.
func (s published) isAt(p *pair, at engine.Event) {
	p.Helper()
	payload, err := p.In.Payload(at, s.moment(at.Kind, p.home))
	if err != nil {
		return
	}
	m, err := p.In.Moment(at, payload)
	if err != nil || m.Kind == engine.Never {
		return
	}
	want := s.listedAt(p, at, bridge.Sample{Payload: payload, Moment: m})
	out := p.answer(at, payload)
	effect := p.In.Effect(at, engine.Outcome{Stdout: out.Stdout, Stderr: out.Stderr, Exit: out.Exit})
	does := slices.DeleteFunc(effect.Does(at.Kind), func(does string) bool {
		return does == engine.ToPerson && !slices.Contains(want, does) // chibi says what is lost
	})
	if !isSame(does, want) {
		p.Errorf("%s at %s: %q becomes %q, but %q is listed: %s %s", s.name, at.Name, s.verdict, does, want, out.Stdout,
			out.Stderr)
	}
	if len(want) > 0 && !strings.Contains(string(out.Stdout)+out.Stderr, s.text) {
		p.Errorf("%s at %s: %q does not arrive: %s %s", s.name, at.Name, s.text, out.Stdout, out.Stderr)
	}
}

// listedAt is what is listed to become of what the hook does.
func (s published) listedAt(p *pair, at engine.Event, sample bridge.Sample) (want []string) {
	p.Helper()
	asked, err := p.Fire(p.Context(), bridge.Hook{Of: s.of, Event: s.event}, at, sample)
	if err != nil {
		p.Fatal(err)
	}
	matches, err := s.of.Matches(s.event, s.matcher)
	if err != nil {
		p.Fatal(err)
	}
	if asked.Asked == nil || !matches(s.of.Matched(s.event, *asked.Asked)) {
		return nil
	}
	value := s.of.Matched(s.event, *asked.Asked)
	if s.event.Matches == engine.ToolName && s.about.category() == tools.CategoryMCP {
		value = bridge.MCP
	}
	i := slices.IndexFunc(p.listed, func(l bridge.Passage) bool { return l.At == at.Name })
	if s.about.Response != "" && len(p.Untold(s.event, p.listed)) > 0 {
		return nil // without the last answer it says nothing
	}
	for _, does := range s.verdict {
		arrives := []string{does}
		for _, b := range p.listed[max(i, 0)].Becomes {
			isOf := b.Values == nil || slices.Contains(b.Values, value)
			if is := slices.Contains(strings.Split(b.Says, " and "), does); is && isOf {
				arrives = strings.Split(b.Arrives, " and ")
				if b.Says == does {
					break
				}
			}
		}
		want = append(want, slices.DeleteFunc(arrives, func(does string) bool { return does == "" })...)
	}
	return want
}
