package hookpoints

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Validate returns the errors of a point's definition: its mode, the types of its payload
// and answer, the tags of the answer's fields, and whether the zero value of each field means no
// opinion. Without validation such errors would cause answers to be ignored, or to erase something
// that the plugin did not mean. Firing a point that is not valid is an error. The errors, joined,
// name the point, the field and the known values; nil: there are none.
func Validate(info Info) error {
	v := &validation{info: info}
	v.point()
	if isStruct(info.Payload) && isStruct(info.Answer) {
		v.answer()
	}
	return errors.Join(v.wrong...)
}

// validation collects the errors of a point.
type validation struct {
	info Info
	// payload holds the JSON types of the payload's fields.
	payload map[string]jsonKind
	wrong   []error
}

func (v *validation) add(format string, args ...any) {
	name := cmp.Or(string(v.info.Name), `""`)
	v.wrong = append(v.wrong, fmt.Errorf("hook point %s: %s", name, fmt.Sprintf(format, args...)))
}

// point checks everything except the fields.
func (v *validation) point() {
	if v.info.Name == "" {
		v.add("it has no name")
	}
	if modes := modes(); !slices.Contains(modes, v.info.Mode) {
		v.add("unknown mode %q%s", v.info.Mode, choice(string(v.info.Mode), modes))
	}
	v.mustBeStruct("payload", v.info.Payload)
	v.mustBeStruct("answer", v.info.Answer)
}

func (v *validation) mustBeStruct(what string, t reflect.Type) {
	switch {
	case t == nil:
		v.add("the %s has no type; want a struct", what)
	case t.Kind() != reflect.Struct:
		v.add("the %s is a %s; want a struct", what, t)
	}
}

// answer checks the fields of the answer, against each other and the payload.
func (v *validation) answer() {
	v.payload = kindsOf(v.info.Payload)
	if v.info.Mode == Observe {
		if len(kindsOf(v.info.Answer)) > 0 {
			v.add("answers are not used where the mode is observe; want hookpoints.None instead of %s", v.info.Answer)
		}
		return
	}
	if !slices.Equal(v.info.Fields, answerFields(v.info.Answer)) || v.info.Checked != checkedType(v.info.Answer) {
		v.add("the description has other fields than the answer %s; want Point.Info()", v.info.Answer)
	}
	seen := map[string]bool{}
	for i := range v.info.Answer.NumField() {
		f := v.info.Answer.Field(i)
		if name := jsonName(f); name != "" && seen[name] {
			v.field(f, "another field also has the name %q", name)
		}
		seen[jsonName(f)] = true
		if v.tags(f) {
			v.rule(f)
		}
	}
	claims := func(f AnswerField) bool { return f.Rule == RuleClaim }
	if v.info.Mode == Claim && !slices.ContainsFunc(v.info.Fields, claims) {
		v.add(`nothing can be claimed: no field of the answer has merge:"claim"`)
	}
}

func (v *validation) field(f reflect.StructField, format string, args ...any) {
	v.add("field %s of the answer: %s", f.Name, fmt.Sprintf(format, args...))
}

// tags reports whether a field has a rule, and checks that one that is part of the
// answer has it, with a name in JSON.
func (v *validation) tags(f reflect.StructField) bool {
	merge, hasRule := f.Tag.Lookup("merge")
	inJSON, hasName := f.Tag.Lookup("json")
	name := jsonName(f)
	switch {
	case !f.IsExported() && (hasName || hasRule):
		v.field(f, "it is not exported")
	case !f.IsExported(), inJSON == "-" && !hasRule:
		return false
	case f.Anonymous && name == "":
		v.field(f, "it is embedded; write its fields into the answer")
	case name == "":
		v.field(f, "its tag `%s` does not name it in JSON; want json:\"NAME,omitzero\", or json:\"-\" alone if it is "+
			"no part of the answer", f.Tag)
	case merge == "":
		v.field(f, "its tag `%s` has no rule; want merge:\"RULE\", RULE is%s", f.Tag, oneOf(rules()))
	default:
		return true
	}
	return false
}

// rule checks a field's rule against the mode, the field's type and the payload.
func (v *validation) rule(f reflect.StructField) {
	tag := f.Tag.Get("merge")
	rule, with, spaced := strings.Cut(tag, " ")
	facts, isKnown := factsOf(Rule(rule))
	kind := kindOf(f.Type)
	switch {
	case !isKnown:
		v.field(f, "unknown rule in merge:%q%s", tag, choice(rule, rules()))
		return
	case spaced && facts.rule != RuleWith:
		v.field(f, "the rule of merge:%q has no parameter; want merge:%q", tag, rule)
	case !slices.Contains(facts.modes, v.info.Mode) && slices.Contains(modes(), v.info.Mode):
		v.field(f, "merge:%q has no effect where the mode is %s; want%s", tag, v.info.Mode, oneOf(rulesIn(v.info.Mode)))
	case kind == kindNone, facts.kind != kindAny && kind != kindAny && facts.kind != kind,
		facts.names && !listsNames(f.Type):
		v.field(f, "merge:%q requires %s, this is a %s", tag, facts.wants(), f.Type)
	}
	switch facts.rule {
	case RuleStrictest:
		if !slices.Contains([]jsonKind{kindBool, kindText, kindAny}, kind) {
			v.field(f, "merge:%q requires a bool or a string, this is a %s", tag, f.Type)
		}
	case RuleWith:
		v.dependent(f, with, kind)
	case RuleReplace, RulePatch:
		v.rewrites(f, kind)
	}
	v.among(f, facts)
	v.zero(f, facts.rule, kind)
}

// zero checks that the field says nothing in an answer in which only other fields are set. An
// empty text has no effect where the first value counts. Null has no effect anywhere, except
// that it deletes a member in a patch.
func (v *validation) zero(f reflect.StructField, rule Rule, kind jsonKind) {
	switch {
	case rule == RuleFirst && kind == kindText, rule != RuleFirst && !rule.Rewrites() && rule != RuleIntersect:
	case !isNull(f.Type) && !isOmitted(f):
		v.field(f, "an answer that sets only other fields would set %q too, to its zero value; want "+
			"json:\"%[1]s,omitzero\", of a pointer if the zero value can be meant", jsonName(f))
	case rule == RulePatch && !writesItself(f.Type):
		v.members(f, f.Type)
	}
}

// members checks the members of a patch that is a struct like its field.
func (v *validation) members(f reflect.StructField, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if !isStruct(t) || writesItself(t) {
		return
	}
	for i := range t.NumField() {
		switch member := t.Field(i); {
		case !member.IsExported() || member.Tag.Get("json") == "-":
		case isOmitted(member), member.Anonymous && jsonName(member) == "":
			v.members(f, member.Type)
		default:
			v.field(f, "a patch that sets only other members would set or delete %q too; want omitzero in the tag of %s",
				member.Name, t)
		}
	}
}

// isNull reports whether the zero value of a type is null in JSON.
func isNull(t reflect.Type) bool {
	return slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice}, t.Kind())
}

// isOmitted reports whether the zero value of a field is left out by its tag.
func isOmitted(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	list := strings.Split(options, ",")
	return slices.Contains(list, "omitzero") ||
		slices.Contains(list, "omitempty") && !slices.Contains([]reflect.Kind{reflect.Struct, reflect.Array}, f.Type.Kind())
}

// dependent checks a field that belongs to another one.
func (v *validation) dependent(f reflect.StructField, with string, kind jsonKind) {
	var owners []string
	for _, other := range v.info.Fields {
		if facts, ok := factsOf(other.Rule); ok && facts.leads {
			owners = append(owners, other.Name)
		}
	}
	if len(owners) == 0 {
		v.field(f, "merge:%q belongs to nothing: no other field of the answer has the rule replace, patch, block, first, "+
			"claim, halt, halt_last or strictest", f.Tag.Get("merge"))
		return
	}
	for _, one := range strings.Split(with, " ") {
		v.dependentOn(f, one, owners, kind)
	}
}

// dependentOn checks a field that belongs to one of several owners.
func (v *validation) dependentOn(f reflect.StructField, with string, owners []string, kind jsonKind) {
	owner := slices.IndexFunc(v.info.Fields, func(o AnswerField) bool { return o.Name == with })
	switch {
	case !slices.Contains(owners, with):
		v.field(f, "merge:\"with %s\" names a field that does not exist or cannot have dependent fields%s", with,
			choice(with, owners))
	case slices.Contains([]Rule{RuleBlock, RuleClaim, RuleHalt, RuleHaltLast}, v.info.Fields[owner].Rule) &&
		kind != kindText && kind != kindAny:
		v.field(f, "merge:\"with %s\" requires a string, this is a %s", with, f.Type)
	}
}

// rewrites checks a field that rewrites the payload's field of the same name.
func (v *validation) rewrites(f reflect.StructField, kind jsonKind) {
	name, tag := jsonName(f), f.Tag.Get("merge")
	before, ok := v.payload[name]
	switch {
	case !ok:
		v.field(f, "merge:%q rewrites %q, which the payload %s does not have%s", tag, name, v.info.Payload,
			choice(name, sortedNames(v.payload)))
	case before == kindAny, before == kind, kind == kindAny && (tag != string(RulePatch) || before == kindObject):
	default:
		v.field(f, "merge:%q rewrites a field of the payload that is a %s, this is a %s", tag, before, kind)
	}
}

// among checks the path to the values that a list may name.
func (v *validation) among(f reflect.StructField, facts ruleFacts) {
	path, ok := f.Tag.Lookup("among")
	first, _, _ := strings.Cut(path, ".")
	_, inPayload := v.payload[first]
	switch {
	case !ok:
	case !facts.names:
		v.field(f, "among:%q has no effect with merge:%q, only with intersect and unite", path, f.Tag.Get("merge"))
	case !inPayload:
		v.field(f, "among:%q begins with %q, which the payload %s does not have%s", path, first, v.info.Payload,
			choice(first, sortedNames(v.payload)))
	}
}

// choice lists the known values as the end of a sentence, after the one that is most
// similar to a wrong value, if any is.
func choice[S ~string](wrong string, known []S) string {
	text := "; want" + oneOf(known)
	if near := strictjson.Nearest(wrong, texts(known)); near != "" {
		text = fmt.Sprintf(" (did you mean %q?)", near) + text
	}
	return text
}

// oneOf lists values as the end of a sentence.
func oneOf[S ~string](known []S) string {
	if len(known) == 1 {
		return " " + string(known[0])
	}
	return " one of " + strings.Join(texts(known), ", ")
}

func texts[S ~string](values []S) (list []string) {
	for _, value := range values {
		list = append(list, string(value))
	}
	return list
}
