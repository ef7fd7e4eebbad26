package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/google/go-cmp/cmp"
)

// kinds lists every kind of moment.
func kinds() []Kind {
	return []Kind{
		SessionStart, SessionEnd, Prompt, PromptExpanded, SelectTools, BeforeRequest,
		AfterResponse, BeforeTool, AskPermission, BeforeShell, BeforeMCP, BeforeRead, AfterTool,
		ToolSucceeded, ToolFailed, AfterShell, AfterMCP, AfterEdit, AfterBatch, Stop, TurnFailed, TurnInterrupted,
		BeforeCompact, AfterCompact, AgentStart, AgentStop, Never,
	}
}

func TestEveryKindButNeverHasAPoint(t *testing.T) {
	for _, k := range kinds() {
		at := PointsOf(k)
		if (len(at) == 0) != (k == Never) {
			t.Errorf("%s happens at %q", k, at)
		}
		for _, point := range at {
			if _, known := hookpoints.Find(point); !known {
				t.Errorf("%s happens at %s, which is not a point", k, point)
			}
		}
	}
}

// TestValuesAreMembersOfThePayload holds that every value is read from a member that the
// point has.
func TestValuesAreMembersOfThePayload(t *testing.T) {
	for _, k := range kinds() {
		for _, at := range PointsOf(k) {
			point, _ := hookpoints.Find(at)
			names := strictjson.Names(point.Payload)
			for _, v := range valuesAt(at) {
				if name, _, _ := strings.Cut(v.name, "."); !slices.Contains(names, name) && v.value != AgentID &&
					v.value != AgentType && v.value != ToolCategory && v.value != ToolSubject {
					t.Errorf("%s has no member %s", at, v.name)
				}
			}
		}
	}
}

func TestWhatHappensAtAPoint(t *testing.T) {
	about := Run{Session: "s", Cwd: "/p", Trusted: true, Now: time.UnixMilli(1700000000123)}
	base := map[Value]string{Session: `"s"`, Cwd: `"/p"`, PermissionMode: `"trusted"`, Time: `"2023-11-14T22:13:20.123Z"`}
	output := func(status string) string {
		return `{"tool_name":"run","arguments":{"a":1},"output":"Error: no\nall","preface":"Error: no\n","status":"` +
			status + `","category":"shell","exit_code":1}`
	}
	for name, test := range map[string]struct {
		at      hookpoints.Name
		kind    Kind
		payload string
		is      bool
		want    map[Value]string
	}{
		"a prompt": {"pre_message", Prompt, `{"prompt":"hi","context_name":"x"}`, true,
			map[Value]string{PromptText: `"hi"`}},
		"a prompt without a recipe": {"pre_message", PromptExpanded, `{"prompt":"hi"}`, false,
			map[Value]string{PromptText: `"hi"`}},
		"a failed call": {"pre_tool_output", ToolFailed, output("failed"), true, map[Value]string{
			ToolName: `"run"`, ToolInput: `{"a":1}`, ToolOutput: `"all"`, ToolError: `"Error: no\nall"`,
			ToolStatus: `"failed"`, ToolCategory: `"shell"`, ToolExit: `1`}},
		"it is none that succeeded": {"pre_tool_output", ToolSucceeded, output("failed"), false, nil},
		"a blocked call":            {"pre_tool_output", AfterTool, output("blocked"), false, nil},
		"a turn that goes on again": {"pre_stop", Stop, `{"response":"r","follow_ups":2}`, true,
			map[Value]string{Response: `"r"`, FollowUps: `2`, StopActive: `true`}},
		"a compaction by itself": {"pre_rolling_compact", BeforeCompact, `{"message_count":3}`, true,
			map[Value]string{Messages: `3`, Trigger: `"auto"`}},
	} {
		t.Run(name, func(t *testing.T) {
			m, is := MomentAt(test.at, test.kind, json.RawMessage(test.payload), about)
			if is != test.is {
				t.Errorf("it is %v", is)
			}
			if test.want == nil {
				return
			}
			got := map[Value]string{}
			for value, text := range m.Values {
				if text := string(text); base[value] != text {
					got[value] = text
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
