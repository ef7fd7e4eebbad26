package hookpoints_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/google/go-cmp/cmp"
)

// documented are the points of the original's documentation with the fields of
// their payloads and answers, and those of our own.
var documented = [...]struct{ name, payload, answer string }{
	{"on_start", "current_context verbose provider model chibi_home project_root tool_count", ""},
	{"on_end", "current_context verbose reason turns", ""},
	{"pre_message", "prompt context_name summary attempt recipe" + nesting, "prompt block halt message" + beside},
	{"post_message", "prompt response context_name" + nesting, ""},
	{"pre_system_prompt", "context_name summary todos goals" + nesting, "inject" + tell},
	{"post_system_prompt", "context_name summary todos goals" + nesting, "inject" + tell},
	{"pre_api_tools", "context_name tools recursion_depth" + nesting, "include exclude" + tell},
	{"pre_api_request", "context_name request_body recursion_depth" + nesting, "request_body" + tell},
	{"pre_tool", "tool_name arguments tool_call_id category subject recipe" + nesting,
		"arguments block decision reason halt message" + beside},
	{"post_tool", "tool_name arguments result truncated output_path cached status blocked_by tool_call_id" +
		nesting, ""},
	{"pre_tool_output", "tool_name arguments output truncated output_path status blocked_by preface tool_call_id " +
		"category subject exit_code duration_ms recipe" + nesting, "output block halt message" + beside},
	{"post_tool_output", "tool_name arguments output truncated output_path final_output cached status blocked_by " +
		"tool_call_id" + nesting, ""},
	{"pre_file_read", "tool_name path named_path arguments tool_call_id cwd context_name recipe" + nesting,
		"denied decision reason" + tell},
	{"pre_file_write", "tool_name path named_path content operation exists diff arguments tool_call_id cwd " +
		"context_name recipe" + nesting, "denied decision reason" + tell},
	{"pre_shell_exec", "tool_name command commands arguments tool_call_id cwd context_name recipe" + nesting,
		"denied decision reason" + tell},
	{"pre_fetch_url", "tool_name url host address_class safety reason summary arguments tool_call_id cwd " +
		"context_name recipe" + nesting, "denied decision reason" + tell},
	{"pre_mcp_call", "tool_name server tool read_only arguments tool_call_id cwd context_name recipe" + nesting,
		"denied decision reason" + tell},
	{"pre_permission", "tool_name arguments tool_call_id category subject asked_by reason rule cwd context_name recipe" +
		nesting, "denied decision reason halt message" + tell},
	{"pre_cache_output", "tool_name arguments content truncated content_path char_count line_count" + nesting,
		"summary" + tell},
	{"post_cache_output", "tool_name cache_id char_count token_estimate line_count" + nesting, ""},
	{"pre_send_message", "from to content context_name", "delivered via" + tell},
	{"post_send_message", "from to content context_name delivery_result", ""},
	{"on_context_switch", "from_context to_context is_transient", ""},
	{"pre_clear", "context_name message_count summary", ""},
	{"post_clear", "context_name message_count summary", ""},
	{"pre_compact", "context_name message_count summary", "block message" + tell},
	{"post_compact", "context_name message_count summary", ""},
	{"pre_rolling_compact", "context_name message_count non_system_count summary", "block message" + tell},
	{"post_rolling_compact", "context_name message_count messages_archived summary", ""},
	{"post_turn", "context_name turn_number response tools_used usage messages recursion_depth recipe" + nesting,
		"messages drop_summary recipe recipe_args halt message" + beside},
	{"post_tool_batch", "context_name calls" + nesting, "halt message" + beside},
	{"pre_stop", "context_name response usage messages follow_ups recursion_depth recipe" + nesting,
		"follow_up_messages messages drop_summary recipe recipe_args halt message" + beside},
	{"on_turn_failed", "context_name status kind error response" + nesting, ""},
	{"pre_spawn_agent", "system_prompt input model temperature max_tokens tools context depth agent_id agent_type " +
		"parent_agent_id tool_name tool_call_id context_name",
		"system_prompt input model response block message" + tell},
	{"post_spawn_agent", "system_prompt input model response status reason blocked_by usage responses duration_ms " +
		"context depth agent_id agent_type parent_agent_id tool_name tool_call_id context_name", ""},
}

// tell is the field of each answer with a text for the person, beside are those with texts for
// the model and the person.
const (
	tell   = " system_message"
	beside = " context" + tell
)

// nesting are the fields of payloads that say in which nested turn something happens.
const nesting = " nested agent_id agent_type"

func fieldNames(t reflect.Type) string {
	var names []string
	for _, f := range hookpoints.Fields(t) {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

func TestPointsAreTheDocumentedOnes(t *testing.T) {
	all := hookpoints.All()
	if len(all) != len(documented) {
		t.Fatalf("%d points, want %d", len(all), len(documented))
	}
	for i, info := range all {
		want := documented[i]
		got := struct{ name, payload, answer string }{string(info.Name), fieldNames(info.Payload), fieldNames(info.Answer)}
		if got != want {
			t.Errorf("point %d:\n got %v\nwant %v", i, got, want)
		}
	}
}

func TestEveryFieldIsDescribedAndHasARule(t *testing.T) {
	for _, info := range hookpoints.All() {
		if info.When == "" || info.Mode.Meaning() == "" {
			t.Errorf("%s does not say when it fires, or has no mode", info.Name)
		}
		for _, f := range hookpoints.Fields(info.Payload) {
			if f.Doc == "" {
				t.Errorf("%s: the payload's field %s has no comment; run go generate ./...", info.Name, f.Name)
			}
		}
		answers := hookpoints.Fields(info.Answer)
		for _, f := range answers {
			owner := func(o hookpoints.Field) bool { return slices.Contains(strings.Fields(f.With), o.Name) }
			switch {
			case f.Doc == "":
				t.Errorf("%s: the answer's field %s has no comment; run go generate ./...", info.Name, f.Name)
			case f.Rule == hookpoints.RuleWith && !slices.ContainsFunc(answers, owner):
				t.Errorf("%s: %s belongs to %q, which is not a field", info.Name, f.Name, f.With)
			case f.Rule != hookpoints.RuleWith && f.Rule.Meaning() == "":
				t.Errorf("%s: %s has no rule", info.Name, f.Name)
			}
		}
		if info.Mode == hookpoints.Observe && info.CanChange() {
			t.Errorf("%s is observed, yet has an answer", info.Name)
		}
	}
}

func TestFind(t *testing.T) {
	if info, ok := hookpoints.Find("pre_tool"); !ok || info.Name != "pre_tool" {
		t.Errorf("Find(pre_tool) = %v, %v", info.Name, ok)
	}
	if _, ok := hookpoints.Find("before_tool"); ok {
		t.Error("Find(before_tool) found something")
	}
}

func TestRefusal(t *testing.T) {
	for point, want := range map[hookpoints.Name]string{
		"pre_tool": `{"block":true,"message":"no"}`, "pre_permission": `{"denied":true,"reason":"no"}`,
		"pre_shell_exec": `{"denied":true,"reason":"no"}`, "post_tool": "",
	} {
		if info, _ := hookpoints.Find(point); string(info.Refusal("no")) != want {
			t.Errorf("%s: %s, want %s", point, info.Refusal("no"), want)
		}
	}
	type verdict struct {
		Says hookpoints.Decision `json:"says,omitzero" merge:"strictest"`
		Why  string              `json:"why,omitzero" merge:"with says"`
	}
	other := hookpoints.Point[Order, verdict]{Name: "pre_checkout", Mode: hookpoints.Gather}.Info()
	if got := string(other.Refusal("no")); got != `{"says":"deny","why":"no"}` || hookpoints.Validate(other) != nil {
		t.Errorf("%s, %v", got, hookpoints.Validate(other))
	}
}

// TestWordsForNo: a point understands all of them, and what its answer does not teach is
// described.
func TestWordsForNo(t *testing.T) {
	all := strings.Fields(fieldNames(reflect.TypeFor[hookpoints.Words]()))
	for _, info := range hookpoints.All() {
		no, why := info.Refusing()
		understood := slices.Concat(no, why)
		taught := strings.Fields(fieldNames(info.Answer))
		var others []string
		for _, word := range info.OtherWords() {
			others = append(others, word.Name)
		}
		for _, word := range all {
			isOther := info.CanBlock() && !slices.Contains(taught, word)
			if slices.Contains(understood, word) != info.CanBlock() || slices.Contains(others, word) != isOther {
				t.Errorf("%s: %s: understands %q, taught %q, others %q", info.Name, word, understood, taught, others)
			}
		}
	}
}

func TestAsksPermission(t *testing.T) {
	for _, info := range hookpoints.All() {
		asks, isThere := hookpoints.AsksPermission(info.Name), info.Group == hookpoints.GroupPermission
		if asks != isThere || asks != (info.CanDecide() && info.Mode == hookpoints.Gather) {
			t.Errorf("%s: %v", info.Name, asks)
		}
	}
}

// Order is what a shop tells its plugins.
type Order struct {
	Total int `json:"total"`
}

// Discount is what they may answer.
type Discount struct {
	Total *int `json:"total,omitzero" merge:"replace"`
}

func TestExists(t *testing.T) {
	for _, info := range hookpoints.All() {
		if found, ok := hookpoints.Find(info.Name); !ok || found.Name != info.Name || !hookpoints.Exists(info.Name) {
			t.Errorf("%s is not found", info.Name)
		}
	}
	if hookpoints.Exists("") || hookpoints.Exists("pre_checkout") {
		t.Error("a point that is not chibi's exists")
	}
}

// A program can define points of its own; they need no registration.
func ExamplePoint() {
	preCheckout := hookpoints.Point[Order, Discount]{Name: "pre_checkout", Mode: hookpoints.Chain,
		When: "an order is about to be paid"}
	info := preCheckout.Info()
	fmt.Println(info.Name, info.Mode, info.Fields[0].Name, info.Fields[0].Rule, info.CanBlock())
	// Output: pre_checkout chain total replace false
}

// Receipt has a field of every kind that payloads of other programs may have.
type Receipt struct {
	Text    string            `json:"text"`
	Paid    *bool             `json:"paid,omitempty"`
	Cents   int64             `json:"cents"`
	Rate    float64           `json:"rate"`
	Raw     json.RawMessage   `json:"raw"`
	Extra   any               `json:"extra"`
	Orders  []Order           `json:"orders"`
	Labels  map[string]string `json:"labels"`
	Secret  string            `json:"-"`
	Skipped string
}

func TestFieldsOfOtherProgramsAreDescribed(t *testing.T) {
	want := []hookpoints.Field{
		{Name: "text", Type: "string"},
		{Name: "paid", Type: "boolean", Optional: true},
		{Name: "cents", Type: "integer"},
		{Name: "rate", Type: "number"},
		{Name: "raw", Type: "object"},
		{Name: "extra", Type: "any"},
		{Name: "orders", Type: "array of {total}"},
		{Name: "labels", Type: "object of string"},
	}
	if diff := cmp.Diff(want, hookpoints.Fields(reflect.TypeFor[Receipt]())); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestFieldsOfNamesakesHaveNoComments(t *testing.T) {
	type Mail struct {
		Content string `json:"content"`
	}
	for _, f := range hookpoints.Fields(reflect.TypeFor[Mail]()) {
		if f.Doc != "" {
			t.Errorf("a foreign Mail's %s is described as %q", f.Name, f.Doc)
		}
	}
}

func TestOptionalFieldsAreMarked(t *testing.T) {
	var optional []string
	for _, f := range hookpoints.Fields(reflect.TypeFor[hookpoints.PreToolPayload]()) {
		if f.Optional {
			optional = append(optional, f.Name)
		}
	}
	if diff := cmp.Diff([]string{"tool_call_id", "category", "subject", "recipe", "nested", "agent_id", "agent_type"},
		optional); diff != "" {
		t.Errorf("optional fields (-want +got):\n%s", diff)
	}
}
