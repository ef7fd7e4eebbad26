package trace

import (
	"slices"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
)

// TestKinds: lines say of what kind they are; of earlier versions' lines it is read
// from the sentence.
func TestKinds(t *testing.T) {
	notes := []string{`"exclude" names "x", which is not offered here`, "anything", `plugin "p" blocked first`}
	want := []merge.NoteKind{merge.NoteNotOffered, "", merge.NoteBlockedFirst}
	for name, line := range map[string]Line{
		"with kinds":            {Record: &plugin.Record{Notes: []string{"a", "b", "c"}, NoteKinds: want}},
		"of an earlier version": {Record: &plugin.Record{Notes: notes}},
	} {
		var got []merge.NoteKind
		for i := range line.Notes {
			got = append(got, line.noteKind(i))
		}
		if !slices.Equal(got, want) {
			t.Errorf("notes of a line %s: %q, want %q", name, got, want)
		}
	}
	for _, test := range []struct {
		step     agent.Event
		change   agent.ContextChange
		contexts []string
	}{
		{agent.Event{Kind: agent.EventContext, Text: "anything", Change: agent.ContextCleared, Contexts: []string{"a"}},
			agent.ContextCleared, []string{"a"}},
		{agent.Event{Kind: agent.EventContext, Text: `the run went from context "a" to context "b"`},
			agent.ContextSwitched, []string{"a", "b"}},
		{agent.Event{Kind: agent.EventContext, Text: `context "a" was cleared`}, agent.ContextReplaced, []string{"a"}},
		{agent.Event{Kind: agent.EventNotice, Text: `context "a" was destroyed`}, "", nil},
	} {
		if change, contexts := changeOf(&test.step); change != test.change || !slices.Equal(contexts, test.contexts) {
			t.Errorf("%s: %q of %q", test.step.Text, change, contexts)
		}
	}
}
