package plugin_test

import (
	"context"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/google/go-cmp/cmp"
)

// TestASequenceIsAskedInOrder: two plugins of one sequence, with another
// between them, where all are asked at once. The first one waits for the other,
// so that the second would be heard first if it were asked too.
func TestASequenceIsAskedInOrder(t *testing.T) {
	var heard []string
	between := make(chan struct{})
	says := func(name, sequence string, do func()) plugin.Plugin {
		return plugin.Plugin{Name: name, Sequence: sequence, Hooks: []hookpoints.Name{postTool}, Handler: plugin.HandlerFunc(
			func(context.Context, plugin.Event) (plugin.Answer, error) {
				do()
				return plugin.Answer{}, nil
			})}
	}
	var l log
	h := l.host(
		says("first", "s", func() { <-between; heard = append(heard, "first") }),
		says("between", "", func() { close(between) }),
		says("second", "s", func() { heard = append(heard, "second") }),
	)
	h.Parallel = 3
	fire(t, h, hookpoints.PostTool, hookpoints.PostToolPayload{})
	if !slices.Equal(heard, []string{"first", "second"}) {
		t.Errorf("heard %q", heard)
	}
	if diff := cmp.Diff([]string{"first: no opinion", "between: no opinion", "second: no opinion"},
		l.results()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestRecordsAndNoticesNameTheProtocolsEvent(t *testing.T) {
	p := fails("guard", plugin.Ignore, preTool)
	p.Origin = plugin.Origin{Protocol: "kodelet"}
	p.Events = map[hookpoints.Name]string{preTool: "before_tool_call"}
	var l log
	fire(t, l.host(p), hookpoints.PreTool, call)
	if r := l.records[0]; r.Protocol != "kodelet" || r.Event != "before_tool_call" || r.Point != preTool {
		t.Errorf("record = %+v", r)
	}
	want := []string{`plugin "guard" at before_tool_call: exit status 3; went on without it`}
	if diff := cmp.Diff(want, l.notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
}

func TestNotesReachThePersonAndTheRecord(t *testing.T) {
	p := plugin.Plugin{Name: "a", Hooks: []hookpoints.Name{preTool}, Handler: plugin.HandlerFunc(
		func(context.Context, plugin.Event) (plugin.Answer, error) {
			return plugin.Answer{Notes: []string{"redacted 2 keys"}}, nil
		})}
	var l log
	fire(t, l.host(p), hookpoints.PreTool, call)
	if diff := cmp.Diff([]string{`plugin "a" at pre_tool: redacted 2 keys`}, l.notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"redacted 2 keys"}, l.records[0].Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestAnAdapterMaySkipAnEvent(t *testing.T) {
	p := plugin.Plugin{Name: "a", Hooks: []hookpoints.Name{preTool}, Handler: plugin.HandlerFunc(
		func(context.Context, plugin.Event) (plugin.Answer, error) {
			return plugin.Answer{Skipped: "the turn had no text"}, nil
		})}
	var l log
	fire(t, l.host(p), hookpoints.PreTool, call)
	if r := l.records[0]; r.Result != plugin.Skipped || r.Why != "the turn had no text" || len(l.notices) != 0 {
		t.Errorf("record = %+v, notices %q", r, l.notices)
	}
}

func TestLoadedOfSeveralProtocolsIsOneList(t *testing.T) {
	all := plugin.Loaded{Plugins: []plugin.Plugin{{Name: "a"}}}
	all.Add(plugin.Loaded{
		Plugins: []plugin.Plugin{{Name: "b"}},
		Skipped: []plugin.SkippedPlugin{{Name: "c", Untrusted: true}},
		Notices: []plugin.Notice{{Plugin: "b", Text: "t"}},
	})
	if len(all.Plugins) != 2 || all.Plugins[1].Name != "b" || !all.Skipped[0].Untrusted || len(all.Notices) != 1 {
		t.Errorf("all = %+v", all)
	}
}

func TestAPointThatIsKnownAtRunTime(t *testing.T) {
	h := &plugin.Host{Plugins: []plugin.Plugin{says("a", `{"arguments":{"x":1}}`, preTool),
		says("b", `{"arguments":{"x":7}}`, preTool)}}
	info, _ := hookpoints.Find(preTool)
	answer, err := plugin.FireJSON(t.Context(), h, info, []byte(`{"tool_name":"t","arguments":{}}`))
	if string(answer) != `{"arguments":{"x":7}}` || err != nil {
		t.Errorf("answer %s, %v", answer, err)
	}
	if answer, err := plugin.FireJSON(t.Context(), &plugin.Host{}, info, nil); answer != nil || err != nil {
		t.Errorf("nobody: %s, %v", answer, err)
	}
	if _, err := plugin.FireJSON(t.Context(), h, info, []byte(`{"tool_name":7}`)); err == nil {
		t.Error("a payload of the wrong type passed")
	}
}

// TestAPayloadIsReceivedInOneSpelling: readers differ in which of two members with
// one name they take, and shell scripts read lines.
func TestAPayloadIsReceivedInOneSpelling(t *testing.T) {
	info := hookpoints.PreTool.Info()
	for _, test := range []struct{ payload, want string }{
		{`{"tool_name":"ls","tool_name":"rm"}`, `{"tool_name":"rm"}`},
		{`{"arguments":{"p":1},"arguments":{"p":2,"p":3}}`, `{"arguments":{"p":3}}`},
		{"{\n\t\"tool_name\": \"\\u0072m\"\n}\n", `{"tool_name":"rm"}`},
		{`null`, ``},
		{`[]`, ``},
		{``, ``},
	} {
		var got string
		h := &plugin.Host{Plugins: []plugin.Plugin{{Name: "p", Hooks: []hookpoints.Name{preTool},
			Handler: plugin.HandlerFunc(func(_ context.Context, ev plugin.Event) (plugin.Answer, error) {
				got = string(ev.Payload)
				return plugin.Answer{}, nil
			})}}}
		_, err := plugin.FireJSON(t.Context(), h, info, []byte(test.payload))
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q: received %s, %v; want %s", test.payload, got, err, test.want)
		}
	}
}
