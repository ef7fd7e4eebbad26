package trace_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/contexts"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/store"
	"github.com/chibi-host/chibi/store/storetest"
)

// TestWhereTheNewestTurnRan: a store that many machines share says it, and what to do if it
// was another one.
func TestWhereTheNewestTurnRan(t *testing.T) {
	shared := contexts.OpenShared(storetest.NewMemory().Engine(store.Options{}), t.TempDir())
	files, err := contexts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	far := contexts.AssistantMessage("work", "hello")
	far.Timestamp = 1795392443
	at := time.Unix(far.Timestamp, 0).Local().Format(time.DateTime)
	writer := func(by contexts.Writer) contexts.Entry {
		e := far
		meta := *e.Metadata
		meta.By = &by
		e.Metadata = &meta
		return e
	}
	const ask = "; a trace stays on the host where its turn ran, so ask there: chibi -C work trace explain"
	for _, test := range []struct {
		name  string
		store *contexts.Store
		entry contexts.Entry
		want  string // "": it says nothing
	}{
		{"another host", shared, writer(contexts.Writer{Host: "far", User: "ann", Version: "1.2"}),
			`the newest turn of context "work" ran on far (ann, chibi 1.2, ` + at + ")" + ask},
		{"a host that says little", shared, writer(contexts.Writer{Host: "far\x1b[2J\n"}),
			`the newest turn of context "work" ran on far (` + at + ")" + ask},
		{"this host", shared, far, ""},
		{"files", files.Store, writer(contexts.Writer{Host: "far"}), ""},
	} {
		c, err := test.store.Context("work")
		if err == nil {
			err = c.Append(test.entry)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := trace.RanElsewhere(t.Context(), test.store, "work")
		if err != nil || (got != nil) != (test.want != "") || got != nil && strings.TrimSpace(got.String()) != test.want {
			t.Errorf("%s: %v, %v; want %s", test.name, got, err, test.want)
		}
	}
}
