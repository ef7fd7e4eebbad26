package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/trace"
	"github.com/chibi-host/chibi/plugin"
)

func TestAGuardIsProposedAfterABlockAndFiftyCallsWithoutAChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	edited := time.Now()
	if err := os.Chtimes(path, edited, edited); err != nil {
		t.Fatal(err)
	}
	records := func(n int, r plugin.Record) []plugin.Record { return slices.Repeat([]plugin.Record{r}, n) }
	silent, blocks := plugin.Record{Result: plugin.NoOpinion}, plugin.Record{Result: plugin.Blocked, Blocks: true}
	failed := plugin.Record{Result: plugin.Failed, Blocks: true}
	same := plugin.Record{Result: plugin.NoOpinion, Answer: json.RawMessage(`{"arguments":{}}`)}
	large := plugin.Record{Result: plugin.NoOpinion, AnswerBytes: 100_000}
	changes := plugin.Record{Result: plugin.Changed}
	for _, test := range []struct {
		name    string
		records []plugin.Record
		guards  []hookpoints.Name
		point   hookpoints.Name
		before  bool // the records are of an earlier state of the file
		want    bool
	}{
		{name: "49 silent calls and a block", records: append(records(49, silent), blocks), want: true},
		{name: "one call less", records: append(records(48, silent), blocks)},
		{name: "no block", records: records(200, silent)},
		{name: "a failure that blocked", records: append(records(200, silent), failed)},
		{name: "a change", records: append(records(200, silent), blocks, changes)},
		{name: "what would be a change elsewhere", records: append(records(200, silent), blocks, same)},
		{name: "an answer that is not in the trace", records: append(records(200, silent), blocks, large)},
		{name: "failures besides", records: append(records(49, silent), blocks, failed), want: true},
		{name: "a guard already", records: append(records(49, silent), blocks), guards: []hookpoints.Name{"pre_tool"}},
		{name: "a point that has no guards", records: append(records(49, silent), blocks), point: "pre_api_request"},
		{name: "an earlier state of its file", records: append(records(49, silent), blocks), before: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			point := hookpoints.PreTool.Name
			if test.point != "" {
				point = test.point
			}
			var turn trace.Turn
			for _, r := range test.records {
				r.Plugin, r.Point, r.Time = "p", point, edited.Add(time.Minute)
				if test.before {
					r.Time = edited.Add(-time.Minute)
				}
				turn.Lines = append(turn.Lines, trace.Line{Record: &r})
			}
			found := possibleGuards([]trace.Turn{turn}, []plugin.Plugin{{Name: "p", Hooks: []hookpoints.Name{point},
				Guards: test.guards, Origin: plugin.Origin{Path: path}}})
			if (len(found) > 0) != test.want {
				t.Fatalf("found %+v", found)
			}
			if test.want && (!strings.HasPrefix(found[0].Text, `chibi asked plugin "p" 50 times at pre_tool in the traced `+
				`turns; it blocked 1 time and changed nothing`) || !strings.Contains(found[0].Fix, "ignores its changes")) {
				t.Errorf("found %+v", found)
			}
		})
	}
}
