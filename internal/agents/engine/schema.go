package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/tidwall/gjson"
)

// wrong says how an answer breaks its rows; "" if it does not.
func (v *verdict) wrong(answer gjson.Result) string {
	for _, row := range v.event.Rows {
		value := answer.Get(row.Path)
		if value.Type == gjson.Null || row.Writes {
			continue
		}
		if wants := row.wants(); wants != "" && !isOf(value, wants) {
			return fmt.Sprintf("has %s: %s, which must be %s", row.Path, clip.Text(value.Raw, 60), wants)
		}
		if lacks := lacking(answer, row.Needs); row.applies(answer) && lacks != "" {
			return fmt.Sprintf("has %s, but lacks %s", row.Path, lacks)
		}
	}
	rest := v.event.rest(answer)
	if v.Strict && len(rest) > 0 {
		return fmt.Sprintf("has %s, which %s refuses", strings.Join(rest, ", "), v.Title)
	}
	return ""
}

// wants is the type of JSON that a row's member must have, "" for any.
func (r Row) wants() string {
	is := gjson.Parse(r.Is)
	switch {
	case r.Is != "" && is.Type == gjson.String:
		return aString
	case r.Is != "" && is.IsBool():
		return aBool
	}
	switch r.Set {
	case SetReason, SetHaltReason, SetSystemMessage, SetPrompt:
		return aString
	case SetContext:
		return aText
	case SetInputPatch:
		return anObjectOrText
	case SetInput, SetEnv, SetRequest, SetInclude:
		return anObject
	}
	return ""
}

// The types of members of answers, as messages name them.
const (
	aString        = "a string"
	aBool          = "true or false"
	anObject       = "an object"
	aText          = "a string or a list of strings"
	anObjectOrText = "an object, or a string with one"
)

// isOf reports whether a value is of a type.
func isOf(value gjson.Result, wants string) bool {
	switch wants {
	case aBool:
		return value.IsBool()
	case anObject:
		return value.IsObject()
	case aText:
		return value.Type == gjson.String || value.IsArray()
	case anObjectOrText:
		return strings.HasPrefix(string(objectIn(value)), "{")
	}
	return value.Type == gjson.String
}

// rest returns the members of an answer that no row names, and members with a value that no row names; at most
// maxRest.
func (e Event) rest(answer gjson.Result) (names []string) {
	var walk func(prefix string, object gjson.Result)
	walk = func(prefix string, object gjson.Result) {
		object.ForEach(func(key, value gjson.Result) bool {
			path := prefix + key.Str
			switch known, inside := e.knows(path, value); {
			case !known:
				names = append(names, clip.Text(path, 60))
			case inside && value.IsObject():
				walk(path+".", value)
			}
			return len(names) < maxRest
		})
	}
	walk("", answer)
	return names
}

// maxRest bounds how many members without a meaning a message names.
const maxRest = 10

// knows reports whether a row names a member with a value (or, if none names it, a condition
// the member), and whether rows name members inside of it.
func (e Event) knows(path string, value gjson.Result) (known, inside bool) {
	named, asked := false, false
	isAbout := func(c Condition) bool { return c.Path == path }
	for _, row := range e.Rows {
		inside = inside || strings.HasPrefix(row.Path, path+".")
		fits := row.Is == "" || row.Is == value.Raw || value.Type == gjson.Null
		named = named || row.Path == path
		known = known || row.Path == path && fits
		asked = asked || slices.ContainsFunc(slices.Concat(row.Needs, row.When), isAbout)
	}
	return known || inside || asked && !named, inside
}
