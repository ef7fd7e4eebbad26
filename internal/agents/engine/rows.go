package engine

import (
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

// Row is what one member of an answer means.
type Row struct {
	// Path is the member, with dots for members of objects.
	Path string
	// Is is the value that it must have, as JSON such as `"deny"` or `false`; "": any.
	Is string
	// Set is what it sets, To is the decision of SetDecision.
	Set Member
	To  hookpoints.Decision
	// Needs are conditions without which the member is an error. What chibi bridge writes fulfils
	// them: a condition with a value is written, and without one the member is left out. So it is if
	// the condition is an approval that nobody gave, unless Costs says so.
	Needs []Condition
	// When are conditions without which the row is not there.
	When []Condition
	// Reads says that the member is only read, never written by chibi bridge; Writes that it
	// is only written.
	Reads, Writes bool
	// Form is how a result is written: a string, AsResult or AsTextBlocks; or a request or
	// a selection of tools. Categories are the
	// categories of the tools for which it is written; nil: all.
	Form       Form
	Categories []tools.Category
	// Costs is what writing it also does, a sentence for the person; "": nothing.
	Costs string
}

// Decides are the rows of a member whose values are decisions in chibi's words.
func Decides(path string, decisions ...hookpoints.Decision) (list []Row) {
	for _, d := range decisions {
		list = append(list, Row{Path: path, Is: `"` + string(d) + `"`, Set: SetDecision, To: d})
	}
	return list
}

// Condition is one that an answer or a payload fulfils or not.
type Condition struct {
	// Path is the member that it is about, with dots for members of objects.
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

// Not is the condition that another one does not hold.
func (c Condition) Not() Condition { return Condition{c.Path, c.Value, !c.IsNot} }

// String is the condition as messages name it.
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

// lacking names the first of some conditions that an object does not fulfil, "" if it fulfils all.
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

// Exit is what an exit status means.
type Exit struct {
	// Status is the status, or how else the process ended.
	Status Status
	// JSON says what JSON on standard output then is.
	JSON JSONRule
	// Then is what the status itself means without JSON that decides.
	Then Ending
	// NeedsText says that Then only holds if there is text on standard error (or what
	// takes its place), Else is what holds otherwise; "": EndsFailed.
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
	OtherStatus Status = "other"  // all that have no row of their own
	BySignal    Status = "signal" // a signal ended it
	ByTimeout   Status = "timeout"
	NotStarted  Status = "start" // it could not be started
)

// JSONRule says what JSON on standard output is.
type JSONRule string

// The meanings of JSON.
const (
	JSONDecides JSONRule = "decides"
	JSONBeside  JSONRule = "beside" // it counts, and so does the exit status
	JSONDenies  JSONRule = "denies" // a denial in it counts, nothing else of it
	JSONIgnored JSONRule = "ignored"
)

// Ending is what the end of a process means by itself.
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
