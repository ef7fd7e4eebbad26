package engine

import (
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// Row is the meaning of one member of an answer.
type Row struct {
	// Path is the member, with dots for members of objects.
	Path string
	// Is is the value that it must have, as JSON such as `"deny"` or `false`; "": any.
	Is string
	// Set is what it sets, To is the decision of SetDecision.
	Set Member
	To  hookpoints.Decision
	// Needs are conditions without which the member is an error. chibi bridge fulfils them: it writes a
	// condition with a value, and leaves the member out for an unfulfilled condition without one. It also
	// leaves the member out if the condition is an approval that nobody gave, unless Costs has a text.
	Needs []Condition
	// When are conditions without which the row does not apply.
	When []Condition
	// Reads says that chibi bridge never writes the member, Writes that chibi only writes it.
	Reads, Writes bool
	// Form is the form of the value: for a result a string, AsResult or AsTextBlocks, and the agent's own for a
	// request and a selection of tools. chibi writes it for tools of the Categories; nil: all.
	Form       Form
	Categories []tools.Category
	// Costs is a side effect of writing it, a sentence for the person; "": there is none.
	Costs string
}

// Decides are the rows of a member whose values are decisions in chibi's words.
func Decides(path string, decisions ...hookpoints.Decision) (list []Row) {
	for _, d := range decisions {
		list = append(list, Row{Path: path, Is: `"` + string(d) + `"`, Set: SetDecision, To: d})
	}
	return list
}

// Condition is a condition on an answer or a payload.
type Condition struct {
	// Path is the member, with dots for members of objects.
	Path string
	// Value is the JSON that the member must be; "": it must be there and neither "" nor null.
	Value string
	// IsNot says that it must not hold.
	IsNot bool
}

// Has is the condition that a member is there.
func Has(path string) Condition { return Condition{Path: path} }

// Is is the condition that a member is a value, which is JSON such as `"deny"` or `false`.
func Is(path, value string) Condition { return Condition{Path: path, Value: value} }

// Not is the opposite condition.
func (c Condition) Not() Condition { return Condition{c.Path, c.Value, !c.IsNot} }

// String returns the condition as messages name it.
func (c Condition) String() string {
	text := c.Path
	if c.IsNot {
		text = "!" + text
	}
	if c.Value != "" {
		text += "=" + c.Value
	}
	return text
}

// holds reports whether an object fulfils it.
func (c Condition) holds(in gjson.Result) bool {
	value := in.Get(c.Path)
	is := value.Type != gjson.Null && value.Raw != `""`
	if c.Value != "" {
		is = value.Raw == c.Value
	}
	return is != c.IsNot
}

// lacking names the first condition that an object does not fulfil; "" if it fulfils all.
func lacking(in gjson.Result, conditions []Condition) string {
	for _, c := range conditions {
		if !c.holds(in) {
			return c.String()
		}
	}
	return ""
}

// applies reports whether a row is about an answer.
func (r Row) applies(answer gjson.Result) bool {
	value := answer.Get(r.Path)
	return value.Type != gjson.Null && (r.Is == "" || value.Raw == r.Is) && lacking(answer, r.When) == ""
}

// Exit is the meaning of an exit status.
type Exit struct {
	// Status is the status, or how else the process ended.
	Status Status
	// JSON says whether JSON on standard output counts then.
	JSON JSONRule
	// Then is the meaning of the status itself, unless JSON decides.
	Then Ending
	// NeedsText says that Then holds only if there is text on standard error (or in its place). Otherwise Else
	// holds; "": EndsFailed.
	NeedsText bool
	Else      Ending
	// NoText is the reason of a denial without text.
	NoText string
	// Stderr says that standard error takes the place of an empty standard output. Text that
	// is not JSON is then the reason of what Then says.
	Stderr bool
}

// Status is an exit status as a number, or one of these.
type Status string

// The other ends of a process.
const (
	OtherStatus Status = "other"  // all without a row of their own
	BySignal    Status = "signal" // a signal ended it
	ByTimeout   Status = "timeout"
	NotStarted  Status = "start" // it did not start
)

// JSONRule says whether JSON on standard output counts.
type JSONRule string

// The meanings of JSON.
const (
	JSONDecides JSONRule = "decides"
	JSONBeside  JSONRule = "beside" // it counts, and so does the exit status
	JSONDenies  JSONRule = "denies" // a denial in it counts, nothing else of it
	JSONIgnored JSONRule = "ignored"
)

// Ending is the meaning of a process's end by itself.
type Ending string

// The meanings of an end.
const (
	EndsOK      Ending = "ok"
	EndsDenied  Ending = "deny"
	EndsHalted  Ending = "halt"
	EndsContext Ending = "context" // standard output is for the model
	EndsShown   Ending = "shown"   // the text is for the person
	EndsFailed  Ending = "failed"
)

// TextRule says what output that is not JSON means.
type TextRule string

// The meanings of output that is not JSON.
const (
	TextIgnored TextRule = "ignored"
	TextShown   TextRule = "shown"   // to the person
	TextFailed  TextRule = "failed"  // the hook has failed
	TextContext TextRule = "context" // for the model
)
