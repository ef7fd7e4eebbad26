package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/google/go-cmp/cmp"
)

// TestAChangedEntryOfATableFailsAGoldenCase changes each entry of each table in turn: a text
// or number is emptied, a switch is turned off, an element of a list is dropped.
func TestAChangedEntryOfATableFailsAGoldenCase(t *testing.T) {
	for _, d := range agents.Bridges() {
		if d.Name == "kilo" {
			continue // it is OpenCode's table
		}
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(d.Name, "testdata", "cases.txt"))
			if err != nil {
				t.Fatal(err)
			}
			a, cases := agentOf(t, d), parseGoldens(string(text))
			entries := entriesOf(reflect.ValueOf(withoutCopies(d)), nil)
			if len(entries) < 100 {
				t.Fatalf("there are only %d entries", len(entries))
			}
			var unheld []string
			for _, entry := range entries {
				a.Dialect, _ = agents.ByName(d.Name)
				entry.change(reflect.ValueOf(&a.Dialect).Elem())
				failed := a.failed(cases, entry.event(d))
				if failed < 0 {
					unheld = append(unheld, entry.String())
					continue
				}
				g := cases[failed] // comes first from now on: the case often holds the next entries too
				copy(cases[1:], cases[:failed])
				cases[0] = g
			}
			if diff := cmp.Diff(unheldOf(t, d.Name), unheld); diff != "" {
				t.Errorf("nothing fails without other entries than %s/testdata/unheld.txt says, which are\n%s\n%s", d.Name,
					strings.Join(unheld, "\n"), diff)
			}
		})
	}
}

// unheldOf lists the entries that no case holds, for example since the engine would do the same
// without them. Add a case before you add an entry.
func unheldOf(t *testing.T, agent string) (entries []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(agent, "testdata", "unheld.txt"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return append(entries, strings.Fields(string(text))...)
}

// failed returns the index of a case of an event that fails, "" for all events; less than 0: none does.
func (a agent) failed(cases []golden, event string) int {
	return slices.IndexFunc(cases, func(g golden) bool {
		return (event == "" || eventName(g.at) == event) && strings.TrimSpace(a.is(g)) != g.want
	})
}

// withoutCopies leaves out the tables of events that an earlier event has too, and what no case is about.
func withoutCopies(d engine.Dialect) engine.Dialect {
	d.Events = slices.Clone(d.Events)
	d.Reads = nil // the agent's own table has no case for them: the story bridgeforeign holds them
	for i := range d.Events {
		for _, before := range d.Events[:i] {
			if reflect.DeepEqual(before.Tools, d.Events[i].Tools) || d.Events[i].Matches != engine.ToolName {
				d.Events[i].Tools = nil
			}
			if reflect.DeepEqual(before.Results, d.Events[i].Results) {
				d.Events[i].Results = nil
			}
			if reflect.DeepEqual(before.Exits, d.Events[i].Exits) {
				d.Events[i].Exits = nil
			}
		}
	}
	return d
}

// step is a field or an element on the way to an entry of a table.
type step struct {
	name  string
	index int // of an element, or of a field of a struct
}

// entry is the way to an entry.
type entry []step

// String is the way in the words of Go.
func (e entry) String() string {
	var text []string
	for _, s := range e {
		text = append(text, s.name)
	}
	return strings.TrimPrefix(strings.Join(text, ""), ".")
}

// event returns the name of the event that an entry is of.
func (e entry) event(d engine.Dialect) string {
	if len(e) > 2 && e[0].name == ".Events" {
		return d.Events[e[1].index].Name
	}
	return ""
}

// entriesOf lists the entries of a value that are set.
func entriesOf(v reflect.Value, way entry) (list []entry) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			list = append(list, entriesOf(v.Field(i), further(way, "."+v.Type().Field(i).Name, i))...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			at := further(way, fmt.Sprintf("[%d]", i), i)
			list = append(list, at)
			if v.Index(i).Kind() == reflect.Struct && v.Index(i).Type() != reflect.TypeFor[engine.Condition]() {
				list = append(list, entriesOf(v.Index(i), at)...)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			list = append(list, way)
		}
	case reflect.Map:
		if v.Len() > 0 {
			list = append(list, way)
		}
	case reflect.Func:
	default:
		if !v.IsZero() {
			list = append(list, way)
		}
	}
	return list
}

func further(way entry, name string, index int) entry {
	return append(slices.Clone(way), step{name, index})
}

// change changes an entry of a table.
func (e entry) change(v reflect.Value) {
	for i, s := range e {
		last := i == len(e)-1
		switch {
		case v.Kind() == reflect.Slice && last:
			v.Set(reflect.AppendSlice(v.Slice3(0, s.index, s.index), v.Slice(s.index+1, v.Len())))
			return
		case v.Kind() == reflect.Slice:
			v = v.Index(s.index)
		default:
			v = v.Field(s.index)
		}
	}
	v.SetZero()
}
