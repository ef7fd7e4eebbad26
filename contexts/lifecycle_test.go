package contexts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/google/go-cmp/cmp"
)

// fill appends messages to a context.
func fill(t *testing.T, c *contexts.Context, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := c.Append(contexts.UserMessage("u", c.Name(), text)); err != nil {
			t.Fatal(err)
		}
	}
}

// all are the contents of the messages of a context's history.
func all(t *testing.T, c *contexts.Context, q contexts.Query) (list []string) {
	t.Helper()
	q.Keep = func(e contexts.Entry) bool { return e.Type == contexts.TypeMessage }
	if err := c.History(t.Context(), q, func(e contexts.Entry) bool {
		list = append(list,
			e.Content)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestPartitionsOfOneSecondAreAllKept makes many within the same second.
func TestPartitionsOfOneSecondAreAllKept(t *testing.T) {
	store, home, reports := open(t, nil)
	store.Storage.MaxEntries = 1
	c := openContext(t, store, "work")
	var want []string
	for i := range 25 {
		want = append(want, fmt.Sprint(i))
	}
	fill(t, c, want...)
	if diff := cmp.Diff(want, all(t, c, contexts.Query{})); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	files, err := filepath.Glob(filepath.Join(home, "contexts/work/transcript/partitions/*.jsonl"))
	if err != nil || len(files) != 25 {
		t.Errorf("%d partitions, %v", len(files), err)
	}
	if diff := cmp.Diff(want[20:], all(t, c, contexts.Query{Last: 5})); diff != "" {
		t.Errorf("the last 5 (-want +got):\n%s", diff)
	}
	if len(*reports) > 0 {
		t.Errorf("reports: %q", *reports)
	}
}

func TestAPartitionBeginsWhenABoundIsReached(t *testing.T) {
	for name, storage := range map[string]contexts.Storage{
		"entries": {MaxEntries: 3}, "tokens": {MaxTokens: 9, BytesPerToken: 1}, "age": {MaxAge: time.Nanosecond},
	} {
		t.Run(name, func(t *testing.T) {
			store, home, _ := open(t, nil)
			store.Storage = storage
			c := openContext(t, store, "work")
			fill(t, c, "one", "two", "six")
			data, err := os.ReadFile(filepath.Join(home, "contexts/work/transcript/manifest.json"))
			var manifest struct {
				Partitions []struct {
					EntryCount int `json:"entry_count"`
					TokenCount int `json:"token_count"`
				}
			}
			if err == nil {
				err = json.Unmarshal(data, &manifest)
			}
			if err != nil || len(manifest.Partitions) == 0 || manifest.Partitions[0].EntryCount == 0 ||
				manifest.Partitions[0].TokenCount == 0 {
				t.Errorf("manifest %s, %v", data, err)
			}
			if got := texts(t, c); len(got) != 4 {
				t.Errorf("window = %q", got)
			}
		})
	}
}

func TestRenamingKeepsWhatIsKnown(t *testing.T) {
	store, home, _ := open(t, nil)
	c := openContext(t, store, "old")
	fill(t, c, "hello")
	if _, err := store.Switch("old"); err != nil {
		t.Fatal(err)
	}
	hour := time.Hour
	if err := store.SetDestroyRule("old", nil, &hour); err != nil {
		t.Fatal(err)
	}
	_, unlock, err := c.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Rename("new"); err != nil {
		t.Fatal(err)
	}
	var locked *contexts.LockedError
	if _, _, err := openContext(t, store, "new").Lock(t.Context()); !errors.As(err, &locked) {
		t.Errorf("the lock went away with the name: %v", err)
	}
	unlock()
	if got := all(t, openContext(t, store, "new"), contexts.Query{}); !cmp.Equal(got, []string{"hello"}) {
		t.Errorf("history = %q", got)
	}
	data, err := os.ReadFile(filepath.Join(home, "state.json"))
	if err != nil || !strings.Contains(string(data), `"destroy_after_seconds_inactive": 3600`) ||
		strings.Contains(string(data), `"old"`) {
		t.Errorf("state.json: %s, %v", data, err)
	}
	var keys map[string]json.RawMessage
	want := []string{"contexts", "current_context", "previous_context"} // the original reads it too
	if err := json.Unmarshal(data, &keys); err != nil || !cmp.Equal(slices.Sorted(maps.Keys(keys)), want) {
		t.Errorf("state.json has %v, want %v: %v", slices.Sorted(maps.Keys(keys)), want, err)
	}
	fill(t, openContext(t, store, "third"), "x")
	if err := openContext(t, store, "third").Rename("new"); !errors.Is(err, contexts.ErrExists) {
		t.Errorf("renaming to a name that is taken: %v", err)
	}
}

func TestExpiry(t *testing.T) {
	old := time.Now().Add(-48 * time.Hour).Unix()
	entry := func(name, more string) string {
		return fmt.Sprintf(`{"name":%q,"created_at":1,"last_activity_at":%d%s}`, name, old, more)
	}
	store, home, _ := open(t, map[string]string{
		"state.json": `{"contexts":[` + strings.Join([]string{
			entry("current", `,"destroy_at":1000`), entry("due", `,"destroy_at":1000`),
			entry("later", `,"destroy_at":9000000000`),
			entry("idle", `,"destroy_after_seconds_inactive":60`), entry("used", `,"destroy_after_seconds_inactive":60`),
			entry("locked", `,"destroy_at":1000`), entry("named", `,"destroy_at":1000`), entry("for ever", ""),
		}, ",") + `],"current_context":"current","previous_context":"due"}`,
	})
	for _, name := range []string{"current", "due", "later", "idle", "used", "locked", "named"} {
		fill(t, openContext(t, store, name), "hello")
	}
	for _, file := range []string{"context.jsonl", "transcript/active.jsonl"} {
		if err := os.Chtimes(filepath.Join(home, "contexts/idle", file), time.Unix(old, 0), time.Unix(old, 0)); err != nil {
			t.Fatal(err)
		}
	}
	_, unlock, err := openContext(t, store, "locked").Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	removed, err := store.Expire(t.Context(), "named")
	var names []string
	for _, e := range removed {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"due", "idle"}, names); diff != "" || err != nil {
		t.Errorf("%v, removed (-want +got):\n%s", err, diff)
	}
	if state, err := store.State(t.Context()); err != nil || state != (contexts.State{Current: "current"}) {
		t.Errorf("state = %+v, %v", state, err)
	}
}

func TestAContextThatCannotBeRemovedDoesNotKeepTheOthers(t *testing.T) {
	store, home, _ := open(t, map[string]string{"state.json": `{"contexts":[{"name":"broken","destroy_at":1000},` +
		`{"name":"due","destroy_at":1000}],"current_context":"current"}`})
	for _, name := range []string{"broken/.lock", "due"} { // a directory cannot be locked
		if err := os.MkdirAll(filepath.Join(home, "contexts", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	removed, err := store.Expire(t.Context(), "")
	if len(removed) != 1 || removed[0].Name != "due" {
		t.Errorf("removed %+v", removed)
	}
	if err == nil || !strings.Contains(err.Error(), `context "broken"`) {
		t.Errorf("error = %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(home, "state.json")); err != nil || strings.Contains(string(data), `"due"`) {
		t.Errorf("state.json: %s, %v", data, err)
	}
}

// TestMailIsDeliveredOnceWhateverIsCutOff ends a delivery after each step.
func TestMailIsDeliveredOnceWhateverIsCutOff(t *testing.T) {
	store, _, _ := open(t, nil)
	c := openContext(t, store, "work")
	if err := c.Send(c.Name(), "other", "hi"); err != nil {
		t.Fatal(err)
	}
	first, err := c.Mail(t.Context())
	if err != nil || len(first) != 1 {
		t.Fatalf("mail = %v, %v", first, err)
	}
	again, err := c.Mail(t.Context()) // nothing was stored: it is still there
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Errorf("%v, mail (-want +got):\n%s", err, diff)
	}
	if err := c.Append(contexts.UserMessage("u", "work", "with mail").Delivering(first)); err != nil {
		t.Fatal(err)
	}
	if err := c.Archive(); err != nil { // even a new window does not forget it
		t.Fatal(err)
	}
	if err := c.Send(c.Name(), "other", "later"); err != nil {
		t.Fatal(err)
	}
	rest, err := c.Mail(t.Context()) // stored, but not removed: it does not come again
	if err != nil || len(rest) != 1 || rest[0].Content != "later" {
		t.Errorf("mail = %v, %v", rest, err)
	}
	if err := c.RemoveMail(); err != nil {
		t.Fatal(err)
	}
	if rest, err = c.Mail(t.Context()); err != nil || len(rest) != 1 {
		t.Errorf("mail afterwards = %v, %v", rest, err)
	}
}

func TestHistorySelects(t *testing.T) {
	lines := ""
	for i, text := range []string{"Apple", "pear", "a <b> & \"c\"", "ÄPFEL", "apple pie"} {
		lines += fmt.Sprintf(`{"id":"%d","timestamp":%d,"from":"u","to":"work","content":%q,"entry_type":"message",`+
			`"metadata":{"role":"user"}}`+"\n", i, 1000*(i+1), text)
	}
	store, _, _ := open(t, map[string]string{"contexts/work/transcript/active.jsonl": lines})
	c := openContext(t, store, "work")
	for name, test := range map[string]struct {
		q    contexts.Query
		want []string
	}{
		"text":             {contexts.Query{Text: "APPLE"}, []string{"Apple", "apple pie"}},
		"text with escape": {contexts.Query{Text: "<B> & \""}, []string{"a <b> & \"c\""}},
		"other letters":    {contexts.Query{Text: "äpfel"}, []string{"ÄPFEL"}},
		"first":            {contexts.Query{First: 2}, []string{"Apple", "pear"}},
		"last with text":   {contexts.Query{Last: 1, Text: "apple"}, []string{"apple pie"}},
		"time": {contexts.Query{Since: time.Unix(2000, 0), Until: time.Unix(4000, 0)},
			[]string{"pear", "a <b> & \"c\"", "ÄPFEL"}},
		"none": {contexts.Query{Text: "cherry"}, nil},
	} {
		if diff := cmp.Diff(test.want, all(t, c, test.q)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	stopped := 0
	if err := c.History(t.Context(), contexts.Query{},
		func(contexts.Entry) bool { stopped++; return stopped < 2 }); err != nil ||
		stopped != 2 {
		t.Errorf("stopped after %d, %v", stopped, err)
	}
}

func TestWhatACrashLeftIsRemoved(t *testing.T) {
	store, home, _ := open(t, map[string]string{
		"contexts/work/.context.jsonl.tmp-1": "half", "contexts/work/.todos.md.tmp-2": "in progress",
		"contexts/work/.dirty": "",
	})
	old := filepath.Join(home, "contexts/work/.context.jsonl.tmp-1")
	if err := os.Chtimes(old, time.Unix(1000, 0), time.Unix(1000, 0)); err != nil {
		t.Fatal(err)
	}
	_, unlock, err := openContext(t, store, "work").Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	left, err := filepath.Glob(filepath.Join(home, "contexts/work/.*"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if diff := cmp.Diff([]string{".dirty", ".lock", ".todos.md.tmp-2"}, left); diff != "" || err != nil {
		t.Errorf("%v, left (-want +got):\n%s", err, diff)
	}
}

func TestAnEmptySummaryChangesNothing(t *testing.T) {
	store, _, _ := open(t, nil)
	c := openContext(t, store, "work")
	fill(t, c, "hello")
	if err := c.Compact(" \n", nil); err == nil {
		t.Error("an empty summary was taken")
	}
	if got := texts(t, c); !cmp.Equal(got, []string{"context_created Context created", "message hello"}) {
		t.Errorf("window = %q", got)
	}
}
