package tools

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// finding is why a value does not satisfy a schema.
type finding struct {
	argument string        // the member of the arguments that it is about, if it is in one
	say      func() string // in terms of JSON; few findings are ever said
}

const matchesNot = "not: matches the schema that it must not match"

// found returns a finding with a text as fmt.Sprintf makes it.
func found(format string, args ...any) *finding {
	return &finding{say: func() string { return fmt.Sprintf(format, args...) }}
}

// in returns the finding as one about a member. The outermost member is named.
func (f *finding) in(member string) *finding {
	f.argument = member
	return f
}

// Error says what is wrong, with the name of the argument.
func (f *finding) Error() string {
	if f.argument == "" {
		return f.say()
	}
	return fmt.Sprintf("argument %q: %s", f.argument, f.say())
}

func typeText(wanted []string, v any) string {
	var list []string
	for _, name := range wanted {
		list = append(list, aType(name))
	}
	return "must be " + strings.Join(list, " or ") + ", is " + aType(typeName(typeOf(v)))
}

func aType(kind string) string {
	switch kind {
	case "null":
		return kind
	case "object", "array", "integer":
		return "an " + kind
	}
	return "a " + kind
}

func typeName(t typeSet) string {
	for _, name := range SchemaTypes() {
		if typeNamed(name) == t {
			return name
		}
	}
	return "number" // with a fraction
}

// maxAllowed bounds the list of allowed values in a message, in bytes.
const maxAllowed = 400

func allowedText(words string, allowed any) string {
	text, err := strictjson.Encode(allowed)
	if err != nil || len(text) > maxAllowed {
		return "is not one of the allowed values"
	}
	return words + string(text)
}

func numberText(words string, n float64) string { return words + strconv.FormatFloat(n, 'f', -1, 64) }

// noneText returns why a value does not match any of several schemas.
func noneText(keyword string, findings []*finding) string {
	var reasons []string
	for _, f := range findings {
		reasons = append(reasons, f.say())
	}
	return "matches none of the schemas of " + keyword + ": " + strings.Join(reasons, "; ")
}
