package hookpoints_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/chibi-host/chibi/hookpoints"
)

func TestChibisPointsAreValid(t *testing.T) {
	for _, info := range hookpoints.All() {
		if err := hookpoints.Validate(info); err != nil {
			t.Error(err)
		}
	}
}

// Base is embedded by Cargo.
type Base struct {
	Target string `json:"target"`
}

// Cargo is the payload of a point of another program.
type Cargo struct {
	Base
	Body  json.RawMessage `json:"body"`
	Crew  []string        `json:"crew"`
	Left  time.Time       `json:"left"`
	Price int             `json:"price"`
	Plain string
}

// Ruling is an answer with every rule that a chain knows.
type Ruling struct {
	Target  *string          `json:"target,omitzero" merge:"replace"`
	Body    map[string]any   `json:"body,omitzero" merge:"patch"`
	Left    string           `json:"left,omitzero" merge:"replace"`
	Plain   string           `json:"Plain,omitzero" merge:"replace"`
	Block   bool             `json:"block,omitzero" merge:"block"`
	Message string           `json:"message,omitzero" merge:"with block"`
	Only    []string         `json:"only,omitzero" merge:"intersect" among:"crew"`
	Without []string         `json:"without,omitzero" merge:"unite" among:"crew.#.name"`
	Note    string           `json:"note,omitzero" merge:"join"`
	Next    []map[string]int `json:"next,omitzero" merge:"append"`
	Plan    any              `json:"plan,omitzero" merge:"first"`
	Why     int              `json:"why,omitzero" merge:"with plan"`
	From    string           `json:"-"`
	private int
}

func TestPointsOfOtherProgramsThatAreValid(t *testing.T) {
	type claim struct {
		Done bool   `json:"done,omitzero" merge:"claim"`
		Via  string `json:"via,omitzero" merge:"with done"`
	}
	type gathered struct {
		Note string `json:"note,omitzero" merge:"join"`
	}
	type silent struct { // whatever is not set is no opinion without a word in its tag, too
		Target *string         `json:"target" merge:"replace"`
		Body   json.RawMessage `json:"body" merge:"patch"`
		Left   string          `json:"left,omitempty" merge:"replace"`
		Block  bool            `json:"block" merge:"block"`
		Note   string          `json:"note" merge:"join"`
		Plan   string          `json:"plan" merge:"first"`
		Only   []string        `json:"only" merge:"intersect"`
	}
	for _, info := range []hookpoints.Info{
		hookpoints.Point[Cargo, Ruling]{Name: "pre_sail", Mode: hookpoints.Chain}.Info(),
		hookpoints.Point[Cargo, claim]{Name: "pre_load", Mode: hookpoints.Claim}.Info(),
		hookpoints.Point[Cargo, gathered]{Name: "pre_dock", Mode: hookpoints.Gather}.Info(),
		hookpoints.Point[Cargo, hookpoints.None]{Name: "post_sail", Mode: hookpoints.Observe}.Info(),
		hookpoints.Point[Cargo, silent]{Name: "pre_turn", Mode: hookpoints.Chain}.Info(),
		hookpoints.Point[struct{}, struct{}]{Name: "idle", Mode: hookpoints.Gather}.Info(),
	} {
		if err := hookpoints.Validate(info); err != nil {
			t.Error(err)
		}
	}
	_ = Ruling{private: 1}
}

// point is a point of another program that answers A in a mode.
func point[A any](mode hookpoints.Mode) hookpoints.Info {
	return hookpoints.Point[Cargo, A]{Name: "pre_sail", Mode: mode}.Info()
}

func chain[A any]() hookpoints.Info { return point[A](hookpoints.Chain) }

// twice is a point whose answer has two fields of one name.
func twice() hookpoints.Info {
	tag := reflect.StructTag(`json:"note" merge:"first"`)
	field := hookpoints.AnswerField{Name: "note", Rule: hookpoints.RuleFirst}
	return hookpoints.Info{
		Name: "pre_sail", Mode: hookpoints.Gather, Payload: reflect.TypeFor[Cargo](),
		Answer: reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[string](), Tag: tag}, {Name: "B", Type: reflect.TypeFor[string](), Tag: tag},
		}),
		Fields: []hookpoints.AnswerField{field, field},
	}
}

const rules = "replace, patch, block, intersect, unite, join, first, append, claim, texts, tell, halt, " +
	"halt_last, strictest, with"

func TestValidateNamesTheMistake(t *testing.T) {
	withoutFields := chain[Ruling]()
	withoutFields.Fields = nil
	for _, test := range []struct {
		info hookpoints.Info
		want string
	}{
		{hookpoints.Point[Cargo, Ruling]{Mode: hookpoints.Chain}.Info(), `hook point "": it has no name`},
		{point[Ruling]("chian"), `hook point pre_sail: unknown mode "chian" (did you mean "chain"?); ` +
			"want one of observe, gather, chain, claim"},
		{point[Ruling](""), `hook point pre_sail: unknown mode ""; want one of observe, gather, chain, claim`},
		{hookpoints.Point[string, Ruling]{Name: "p", Mode: hookpoints.Chain}.Info(),
			"hook point p: the payload is a string; want a struct"},
		{chain[map[string]any](), "hook point pre_sail: the answer is a map[string]interface {}; want a struct"},
		{chain[*Ruling](), "hook point pre_sail: the answer is a *hookpoints_test.Ruling; want a struct"},
		{hookpoints.Info{Name: "p", Mode: hookpoints.Chain, Payload: reflect.TypeFor[Cargo]()},
			"hook point p: the answer has no type; want a struct"},
		{withoutFields, "hook point pre_sail: the description has other fields than the answer hookpoints_test.Ruling; " +
			"want Point.Info()"},
		{point[Ruling](hookpoints.Observe), "hook point pre_sail: answers are not used where the mode is observe; want " +
			"hookpoints.None instead of hookpoints_test.Ruling"},
		{point[hookpoints.None](hookpoints.Claim), `hook point pre_sail: nothing can be claimed: no field of the ` +
			`answer has merge:"claim"`},
		{chain[struct {
			Target string `json:"target" merge:"replce"`
		}](), `hook point pre_sail: field Target of the answer: unknown rule in merge:"replce" (did you mean ` +
			`"replace"?); want one of ` + rules},
		{chain[struct {
			Target string `json:"target" marge:"replace"`
		}](), "hook point pre_sail: field Target of the answer: its tag `json:\"target\" marge:\"replace\"` has no " +
			"rule; want " +
			`merge:"RULE", RULE is one of ` + rules},
		{chain[struct {
			Target string `merge:"replace"`
		}](), "hook point pre_sail: field Target of the answer: its tag `merge:\"replace\"` does not name it in JSON; want " +
			`json:"NAME,omitzero", or json:"-" alone if it is no part of the answer`},
		{chain[struct{ Target string }](), "field Target of the answer: its tag `` does not name it in JSON"},
		{chain[struct {
			Target string `json:"-" merge:"replace"`
		}](), "field Target of the answer: its tag `json:\"-\" merge:\"replace\"` does not name it in JSON"},
		{chain[struct {
			target string `merge:"replace"`
		}](), "hook point pre_sail: field target of the answer: it is not exported"},
		{chain[struct{ Base }](), "hook point pre_sail: field Base of the answer: it is embedded; write its fields " +
			"into the answer"},
		{twice(), `field B of the answer: another field also has the name "note"`},
		{chain[struct {
			Target string `json:"target" merge:"replace all"`
		}](), `field Target of the answer: the rule of merge:"replace all" has no parameter; want merge:"replace"`},
		{point[struct {
			Target string `json:"target" merge:"replace"`
		}](hookpoints.Gather), `field Target of the answer: merge:"replace" has no effect where the mode is gather; ` +
			`want one ` +
			"of block, intersect, unite, join, first, append, texts, tell, halt, strictest, with"},
		{chain[struct {
			Done bool `json:"done" merge:"claim"`
		}](), `field Done of the answer: merge:"claim" has no effect where the mode is chain; want one of replace, patch,`},
		{chain[struct {
			Block string `json:"block" merge:"block"`
		}](), `field Block of the answer: merge:"block" requires a bool, this is a string`},
		{chain[struct {
			Note []string `json:"note" merge:"join"`
		}](), `field Note of the answer: merge:"join" requires a string, this is a []string`},
		{chain[struct {
			Next []byte `json:"next" merge:"append"`
		}](), `field Next of the answer: merge:"append" requires a list, this is a []uint8`},
		{chain[struct {
			Only []int `json:"only" merge:"intersect"`
		}](), `field Only of the answer: merge:"intersect" requires a list of strings, this is a []int`},
		{chain[struct {
			Plan chan int `json:"plan" merge:"first"`
		}](), `field Plan of the answer: merge:"first" requires a value, this is a chan int`},
		{point[struct {
			Verdict int `json:"verdict" merge:"strictest"`
		}](hookpoints.Gather), `field Verdict of the answer: merge:"strictest" requires a bool or a string, this is a int`},
		{chain[struct {
			Message string `json:"message" merge:"with"`
		}](), `field Message of the answer: merge:"with" belongs to nothing: no other field of the answer has the rule`},
		{chain[struct {
			Block   bool   `json:"block" merge:"block"`
			Note    string `json:"note" merge:"join"`
			Message string `json:"message" merge:"with blok"`
			Title   string `json:"title" merge:"with note"`
		}](), `field Message of the answer: merge:"with blok" names a field that does not exist ` +
			`or cannot have dependent fields (did you mean "block"?); want block` + "\n" +
			`hook point pre_sail: field Title of the answer: merge:"with note" names a field that does not exist ` +
			`or cannot have dependent fields; want block`},
		{chain[struct {
			Block bool `json:"block" merge:"block"`
			Code  int  `json:"code" merge:"with block"`
		}](), `field Code of the answer: merge:"with block" requires a string, this is a int`},
		{chain[struct {
			Target string `json:"targt" merge:"replace"`
		}](), `field Target of the answer: merge:"replace" rewrites "targt", which the payload hookpoints_test.Cargo ` +
			`does not have (did you mean "target"?); want one of Plain, body, crew, left, price, target`},
		{chain[struct {
			Price string `json:"price" merge:"replace"`
		}](), `field Price of the answer: merge:"replace" rewrites a field of the payload that is a number, ` +
			`this is a string`},
		{chain[struct {
			Price json.RawMessage `json:"price" merge:"patch"`
		}](), `field Price of the answer: merge:"patch" rewrites a field of the payload that is a number, this is a value`},
		{chain[struct {
			Target string `json:"target" merge:"replace"`
			Block  bool   `json:"block" merge:"block"`
		}](), `hook point pre_sail: field Target of the answer: an answer that sets only other fields would set "target" ` +
			`too, to its zero value; want json:"target,omitzero", of a pointer if the zero value can be meant`},
		{chain[struct {
			Left time.Time `json:"left,omitempty" merge:"replace"`
		}](), `field Left of the answer: an answer that sets only other fields would set "left" too`},
		{point[struct {
			Plan int `json:"plan" merge:"first"`
		}](hookpoints.Gather), `field Plan of the answer: an answer that sets only other fields would set "plan" too`},
		{chain[struct {
			Body struct {
				Load struct {
					Weight int `json:"weight"`
				} `json:"load,omitzero"`
			} `json:"body,omitzero" merge:"patch"`
		}](), `field Body of the answer: a patch that sets only other members would set or delete "Weight" too; want ` +
			`omitzero in the tag of struct`},
		{chain[struct {
			Note string `json:"note" merge:"join" among:"crew"`
		}](), `field Note of the answer: among:"crew" has no effect with merge:"join", only with intersect and unite`},
		{chain[struct {
			Only []string `json:"only" merge:"unite" among:"crw.#.name"`
		}](), `field Only of the answer: among:"crw.#.name" begins with "crw", which the payload ` +
			`hookpoints_test.Cargo does not have (did you mean "crew"?); want one of Plain, body, crew, left, price, target`},
	} {
		err := hookpoints.Validate(test.info)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}
