package agents_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/go-cmp/cmp"
)

// A golden is what a table must make of one thing. The file AGENT/testdata/cases.txt lists them:
// a line with the kind and the event, the input after ">" (and "!" for standard error), what
// comes of it after "=".
type golden struct {
	kind string // "answer", "output", "payload", "moment", "match", "variables"
	at   string // the event; of "moment" and "output" a captured payload
	how  string // of "answer": the exit status, "signal", "timeout" or "start"
	in   string
	err  string
	want string
}

// String is the case in the file.
func (g golden) String() string {
	text := strings.TrimSpace(g.kind+" "+g.at+" "+g.how) + "\n"
	text += lines("> ", g.in) + lines("! ", g.err)
	return text + lines("= ", g.want)
}

func lines(mark, text string) (all string) {
	if text == "" {
		return ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		all += mark + line + "\n"
	}
	return all
}

// parseGoldens reads the cases of a file.
func parseGoldens(text string) (list []golden) {
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		head, rest, _ := strings.Cut(block, "\n")
		words := append(strings.Fields(head), "", "", "")
		g := golden{kind: words[0], at: words[1], how: words[2]}
		var in, err, want []string
		for line := range strings.Lines(rest) {
			line = strings.TrimSuffix(line, "\n")
			switch line[:2] {
			case "> ":
				in = append(in, line[2:])
			case "! ":
				err = append(err, line[2:])
			case "= ":
				want = append(want, line[2:])
			}
		}
		g.in, g.err, g.want = strings.Join(in, "\n"), strings.Join(err, "\n"), strings.Join(want, "\n")
		list = append(list, g)
	}
	return list
}

// agent is a dialect with its golden files.
type agent struct {
	engine.Dialect
	dir      string
	captured map[string]string // payloads by the name of their file without ".json"
}

func agentOf(t *testing.T, d engine.Dialect) agent {
	t.Helper()
	a := agent{d, filepath.Join(d.Name, "testdata"), map[string]string{}}
	if err := os.MkdirAll(a.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(a.dir, func(path string, entry os.DirEntry, err error) error {
		name, isPayload := strings.CutSuffix(path, ".json")
		if err != nil || !isPayload {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ = filepath.Rel(a.dir, name)
		paths := strings.NewReplacer("CWD", "/cwd", "HOME", "/home")
		a.captured[filepath.ToSlash(name)] = paths.Replace(strings.TrimSuffix(string(text), "\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// event returns the event of a captured payload, or of a name.
func (a agent) event(name string) engine.Event {
	name = eventName(name)
	for _, e := range a.Events {
		if e.Name == name {
			return e
		}
	}
	return engine.Event{Name: name}
}

// eventName returns the event's name in the name of a captured payload, DIRECTORY/EVENT.WHAT.
func eventName(payload string) string {
	name, _, _ := strings.Cut(payload[strings.LastIndex(payload, "/")+1:], ".")
	return name
}

// is evaluates a case.
func (a agent) is(g golden) string {
	e := a.event(g.at)
	switch g.kind {
	case "answer":
		out := engine.Outcome{Stdout: []byte(g.in), Stderr: g.err, TimedOut: g.how == "timeout",
			Unstarted: g.how == "start"}
		if g.how == "signal" {
			out.Signal = "SIGKILL"
		}
		out.Exit, _ = strconv.Atoi(g.how)
		return effectText(a.Effect(e, out))
	case "output":
		m, _ := a.Moment(e, []byte(a.captured[g.at]))
		var eff engine.Effect
		if err := strictjson.Decode([]byte(g.in), &eff); err != nil {
			return err.Error()
		}
		out := a.Output(e, m, eff)
		return strings.Join(append([]string{string(out.Stdout)}, out.Lost...), "\n")
	case "payload":
		text, err := a.Payload(e, momentOf(e, g.in))
		return fmt.Sprint(string(text), errText(err), a.Matched(e, momentOf(e, g.in)))
	case "variables":
		return strings.Join(a.Variables(e, momentOf(e, g.in)), "\n")
	case "moment":
		return a.momentText(e, g.at)
	case "facts":
		return a.facts(g.at)
	}
	return a.matched(e, g.in)
}

func errText(err error) string {
	if err == nil {
		return "\n"
	}
	return err.Error() + "\n"
}

// momentOf is a moment of chibi with the values that a text names.
func momentOf(e engine.Event, text string) engine.Moment {
	m := engine.Moment{Kind: e.Kind}
	if err := strictjson.Decode([]byte(values(text)), &m.Values); err != nil {
		panic(err)
	}
	return m
}

// momentText is what a captured payload says; the payload that is written of it is the same
// again.
func (a agent) momentText(e engine.Event, name string) string {
	m, err := a.Moment(e, []byte(a.captured[name]))
	if err != nil {
		return err.Error()
	}
	text := []string{"kind " + string(m.Kind), "matched " + a.Matched(e, m)}
	for _, value := range slices.Sorted(maps.Keys(m.Values)) {
		text = append(text, fmt.Sprintf("%s %s", value, m.Values[value]))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Extra)) {
		text = append(text, fmt.Sprintf("extra %s %s", name, m.Extra[name]))
	}
	if again, err := a.Payload(e, m); m.Kind != engine.Never && (err != nil || !a.same(again, name)) {
		text = append(text, fmt.Sprintf("written again it is %s %v", again, err))
	}
	return strings.Join(text, "\n")
}

// same reports whether a payload is a captured one, in the form in which chibi writes JSON.
func (a agent) same(payload []byte, name string) bool {
	captured, err := strictjson.Normalize([]byte(a.captured[name]))
	if a.Newline {
		captured = append(captured, '\n')
	}
	return err == nil && string(captured) == string(payload)
}

// handlersOf says which types of handlers an event has, if not all.
func handlersOf(e engine.Event) string {
	if e.Handlers == nil {
		return ""
	}
	return fmt.Sprintf(", handlers %v", e.Handlers)
}

// facts are what the engine does not interpret: of the program, with "-", or of an event.
func (a agent) facts(of string) string {
	if e := a.event(of); of != "-" {
		lost := strings.Join(e.Lost, " ")
		if e.Repeats {
			lost += ", repeats"
		}
		return fmt.Sprintf("kind %s, also %v, aliases %v, matched by %s, after %v, at most %v%s\nbridged %t, lost %s",
			e.Kind, e.Also, e.Aliases, e.Matches, e.Timeout, e.Longest, handlersOf(e), e.Bridged, lost)
	}
	var names []string
	for _, v := range a.Environment {
		names = append(names, v.Name)
	}
	carrier := ""
	if a.Carrier != "" {
		carrier = "\ncarrier " + a.Carrier
	}
	if a.PathBegins != nil || a.PathLoses != "" {
		carrier += fmt.Sprintf("\nof paths it loses %q, %+q", a.PathBegins, a.PathLoses)
	}
	return fmt.Sprintf("%s, aliases %v, title %s\n%+v\nplaces %+v\nshape %+v\n", a.Name, a.Aliases, a.Title, a.Facts,
		a.Places, a.Shape) +
		fmt.Sprintf("shell %q, in turn %t, dedup %q, at most %d\nvariables %v\n%+v", a.Shell, a.InTurn, a.Dedup,
			a.MaxContinuations, names, a.Exceptions) +
		fmt.Sprintf("\nservers %+v\nsessions %+v\nextensions %t\nafter add %s", a.Servers, a.Sessions, a.Extensions,
			a.AfterAdd) + carrier
}

// matched lists the values that a matcher matches.
func (a agent) matched(e engine.Event, matcher string) string {
	matches, err := a.Matches(e, matcher)
	var values []string
	for _, value := range matchable(a.Dialect) {
		if matches(value) {
			values = append(values, value)
		}
	}
	return strings.Join(values, " ") + errText(err)
}

// effectText is what an effect says, a line for each member.
func effectText(eff engine.Effect) string {
	var text []string
	add := func(name string, value any, is bool) {
		if quoted, err := json.Marshal(value); is && err == nil {
			text = append(text, name+" "+string(quoted))
		}
	}
	add("decision", eff.Decision, eff.Decision != "")
	add("reason", eff.Reason, eff.Reason != "")
	add("halt", eff.HaltReason, eff.Halt || eff.HaltReason != "")
	add("context", eff.Context, eff.Context != "")
	add("system message", eff.SystemMessage, eff.SystemMessage != "")
	add(fmt.Sprintf("input (patch: %t)", eff.InputPatch), eff.Input, eff.Input != nil)
	add(fmt.Sprintf("output (replaced: %t)", eff.OutputReplaced), eff.Output, eff.Output != nil || eff.OutputReplaced)
	add("prompt", eff.Prompt, eff.Prompt != nil)
	add("request", eff.Request, eff.Request != nil)
	add("include", eff.Include, eff.Include != nil)
	add("env", eff.Env, eff.Env != nil)
	add("failed", eff.Failed, eff.Failed != "")
	add("note", eff.Notes, eff.Notes != nil)
	return strings.Join(text, "\n")
}

// TestTablesMakeWhatTheGoldenFilesSay evaluates the cases of each agent. With CHIBI_DRAW=1 it
// writes them: read what changes.
func TestTablesMakeWhatTheGoldenFilesSay(t *testing.T) {
	for _, d := range agents.Bridges() {
		t.Run(d.Name, func(t *testing.T) {
			a := agentOf(t, d)
			drawn := a.draw()
			path := filepath.Join(a.dir, "cases.txt")
			if os.Getenv("CHIBI_DRAW") != "" {
				if err := os.WriteFile(path, []byte(drawn), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range parseGoldens(string(text)) {
				if got := a.is(g); strings.TrimSpace(got) != strings.TrimSpace(g.want) {
					t.Errorf("%s\nis\n%s", g, got)
				}
			}
			if diff := cmp.Diff(string(text), drawn); diff != "" && !t.Failed() {
				t.Errorf("there are other cases for the table than in %s; write it with CHIBI_DRAW=1:\n%s", path, diff)
			}
		})
	}
}
