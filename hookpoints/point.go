package hookpoints

import (
	"reflect"
	"slices"
	"strings"
)

// Name is the name of a hook point, as plugins list it in their schema.
type Name string

// Group is the topic of a hook point.
type Group string

// The groups, in the order of the documentation.
const (
	GroupSession    Group = "session"
	GroupMessage    Group = "message"
	GroupSystem     Group = "system prompt"
	GroupRequest    Group = "api request"
	GroupToolCall   Group = "tool"
	GroupPermission Group = "permission"
	GroupCache      Group = "tool output cache"
	GroupDelivery   Group = "message delivery"
	GroupContext    Group = "context"
	GroupTurn       Group = "turn"
	GroupAgent      Group = "agent"
)

// Mode is how chibi asks the subscribers of a point.
type Mode string

// The modes.
const (
	// Observe asks all subscribers at once; answers are ignored.
	Observe Mode = "observe"
	// Gather asks all subscribers at once, each with the same payload; their
	// answers are folded in plugin order.
	Gather Mode = "gather"
	// Chain asks one subscriber after another; each receives the payload as
	// the previous one left it. Guards come last, all at once.
	Chain Mode = "chain"
	// Claim asks one subscriber after another until one claims the event.
	Claim Mode = "claim"
)

func modes() []Mode { return []Mode{Observe, Gather, Chain, Claim} }

// Meaning describes the mode in one sentence, for the documentation.
func (m Mode) Meaning() string {
	switch m {
	case Observe:
		return "all plugins at once; answers change nothing"
	case Gather:
		return "all plugins at once, with the same payload; their answers combine in plugin order"
	case Chain:
		return "one after another in plugin order, each with the payload as the previous one left it; then the guards, " +
			"all at once"
	case Claim:
		return "one after another; the first that claims the event ends it"
	}
	return ""
}

// Point is one hook point with payload P and answer A. Both are structs whose
// fields carry `json` tags; the fields of A also carry a `merge` tag that
// names the [Rule] by which several answers are combined. A is [None] at points that are
// only observed. Firing a point that is not valid is an error; see [Validate].
type Point[P, A any] struct {
	Name  Name
	Group Group
	Mode  Mode
	// When describes in one sentence when the point fires.
	When string
}

// None is the answer of points that are only observed.
type None struct{}

// Info describes a point without static types.
type Info struct {
	Name    Name
	Group   Group
	Mode    Mode
	When    string
	Payload reflect.Type
	Answer  reflect.Type
	// Checked is the type against which chibi checks plugins' answers: the fields of Answer,
	// where each json.RawMessage holds an object.
	Checked reflect.Type
	// Fields are the fields of the answer with their rules, in order.
	Fields []AnswerField
}

// AnswerField is one field of an answer.
type AnswerField struct {
	Name string
	Rule Rule
	// With names the field that this one belongs to, when Rule is [RuleWith]; several are
	// separated by spaces.
	With string
	// Among is a gjson path to the values in the payload that a list may name. Other
	// values are reported. Empty: all values are allowed.
	Among string
}

// BelongsTo reports whether the field belongs to another one of the answer.
func (f AnswerField) BelongsTo(name string) bool {
	return f.Rule == RuleWith && slices.Contains(strings.Fields(f.With), name)
}

// Info describes the point.
func (p Point[P, A]) Info() Info {
	answer := reflect.TypeFor[A]()
	return Info{
		Name: p.Name, Group: p.Group, Mode: p.Mode, When: p.When,
		Payload: reflect.TypeFor[P](), Answer: answer, Checked: checkedType(answer), Fields: answerFields(answer),
	}
}

func (p Point[P, A]) name() Name { return p.Name }

// CanBlock reports whether an answer at this point may block the event, or deny it.
func (i Info) CanBlock() bool {
	return slices.ContainsFunc(i.Fields, func(f AnswerField) bool { return f.Rule == RuleBlock }) || i.CanDecide()
}

// CanDecide reports whether an answer at this point may allow or deny the event.
func (i Info) CanDecide() bool {
	return slices.ContainsFunc(i.Fields, func(f AnswerField) bool { return f.Rule == RuleStrictest })
}

// CanChange reports whether answers at this point have any effect.
func (i Info) CanChange() bool { return len(i.Fields) > 0 }
