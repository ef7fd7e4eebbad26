package merge_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
)

// TestARuleHasAnEffectWhereItIsValid holds what Validate says of rules and modes
// against what the rules do.
func TestARuleHasAnEffectWhereItIsValid(t *testing.T) {
	tried := 0
	for rule, value := range map[hookpoints.Rule]any{
		hookpoints.RuleReplace: "new", hookpoints.RulePatch: map[string]any{"a": 1}, hookpoints.RuleBlock: true,
		hookpoints.RuleIntersect: []string{"a"}, hookpoints.RuleUnite: []string{"a"}, hookpoints.RuleJoin: "new",
		hookpoints.RuleFirst: "new", hookpoints.RuleAppend: []string{"a"}, hookpoints.RuleClaim: true,
	} {
		for _, mode := range []hookpoints.Mode{hookpoints.Observe, hookpoints.Gather, hookpoints.Chain, hookpoints.Claim} {
			field := reflect.StructField{Name: "F", Type: reflect.TypeOf(value), Tag: reflect.StructTag(
				fmt.Sprintf(`json:"f,omitzero" merge:"%s"`, rule))}
			both := reflect.StructOf([]reflect.StructField{field})
			info := hookpoints.Info{
				Name: "p", Mode: mode, Payload: both, Answer: both, Checked: both,
				Fields: []hookpoints.AnswerField{{Name: "f", Rule: rule}},
			}
			if hookpoints.Validate(info) != nil {
				continue
			}
			tried++
			body := fmt.Sprintf(`{"f":%s}`, encoded(t, value))
			result, _ := merge.Fold(info, []byte(`{"f":null}`), []merge.Reply{{From: "a", Body: []byte(body)}})
			if !strings.Contains(string(result.Answer), `"f":`) || result.Effects[0].Outcome == merge.NoEffect {
				t.Errorf("%s at a %s point: %s, %+v", rule, mode, result.Answer, result.Effects[0])
			}
		}
	}
	if tried != 15 {
		t.Errorf("%d rules and modes are valid", tried)
	}
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
