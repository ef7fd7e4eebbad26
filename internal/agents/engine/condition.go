package engine

import "github.com/tidwall/gjson"

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
