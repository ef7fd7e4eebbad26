package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
)

type shape string

// The shapes of JSON Schema's keywords, as in the meta-schema of draft 2020-12.
const (
	anything  shape = "anything"
	text      shape = "a string"
	pattern   shape = "a regular expression in the syntax of Go (RE2)"
	number    shape = "a number"
	count     shape = "a whole number, 0 or more"
	boolean   shape = "true or false"
	texts     shape = "a list of strings"
	list      shape = "a list"
	object    shape = "an object"
	types     shape = "a type, or a list of types"
	subschema shape = "a schema: an object, true or false"
	schemas   shape = "a list of schemas"
	named     shape = "an object of schemas"
)

func keywords() map[string]shape {
	all := map[string]shape{"type": types, "required": texts, "enum": list, "examples": list, "const": anything,
		"default": anything, "pattern": pattern, "dependentRequired": object, "$vocabulary": object, "items": anything}
	for names, s := range map[string]shape{
		"$schema $id $ref $anchor $dynamicRef $dynamicAnchor $comment title description format contentEncoding " +
			"contentMediaType": text,
		"minimum maximum exclusiveMinimum exclusiveMaximum multipleOf":                              number,
		"minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains": count,
		"uniqueItems deprecated readOnly writeOnly nullable":                                        boolean,
		"additionalProperties additionalItems unevaluatedItems unevaluatedProperties contains propertyNames not if then " +
			"else contentSchema": subschema,
		"allOf anyOf oneOf prefixItems":                                   schemas,
		"properties patternProperties $defs definitions dependentSchemas": named,
	} {
		for _, name := range strings.Fields(names) {
			all[name] = s
		}
	}
	return all
}

const deepest = 64

type schemaWalk struct {
	keywords map[string]shape
	findings []Finding
	where    string
}

func checkSchema(where string, raw []byte) []Finding {
	w := &schemaWalk{keywords: keywords(), where: where}
	w.schema("parameters", gjson.ParseBytes(raw), 0)
	return w.findings
}

func (w *schemaWalk) add(level Level, format string, args ...any) {
	w.findings = append(w.findings, Finding{level, w.where, fmt.Sprintf(format, args...)})
}

func (w *schemaWalk) schema(path string, v gjson.Result, depth int) {
	switch {
	case v.IsBool():
		return
	case !v.IsObject():
		w.add(Error, "%s must be %s", path, subschema)
		return
	case depth > deepest:
		w.add(Warning, "%s is nested too deeply to be checked", path)
		return
	}
	v.ForEach(func(key, value gjson.Result) bool {
		w.keyword(path, key.String(), value, depth)
		return true
	})
}

func (w *schemaWalk) keyword(path, name string, value gjson.Result, depth int) {
	want, known := w.keywords[name]
	at := path + "." + name
	switch {
	case !known && !strings.HasPrefix(name, "x-"):
		w.add(Warning, "%s: unknown keyword %q of JSON Schema; it has no effect", path, name)
		return
	case !fits(want, value):
		w.add(Error, "%s must be %s", at, want)
		return
	}
	switch want {
	case types:
		w.types(at, value)
	case subschema:
		w.schema(at, value, depth+1)
	case schemas:
		for i, one := range value.Array() {
			w.schema(fmt.Sprintf("%s[%d]", at, i), one, depth+1)
		}
	case named:
		value.ForEach(func(key, one gjson.Result) bool {
			w.schema(at+"."+key.String(), one, depth+1)
			return true
		})
	}
	if name == "items" && !value.IsArray() {
		w.schema(at, value, depth+1)
	}
}

func (w *schemaWalk) types(at string, value gjson.Result) {
	known := tools.SchemaTypes()
	for _, one := range value.Array() { // a single value is a list of one
		if !slices.Contains(known, one.String()) {
			w.add(Error, "%s: unknown type %q; want one of %s", at, one.String(), strings.Join(known, ", "))
		}
	}
}

func fits(want shape, v gjson.Result) bool {
	all := func(ok func(gjson.Result) bool) bool {
		return v.IsArray() && !slices.ContainsFunc(v.Array(), func(one gjson.Result) bool { return !ok(one) })
	}
	isText := func(one gjson.Result) bool { return one.Type == gjson.String }
	switch want {
	case text:
		return isText(v)
	case pattern:
		_, err := regexp.Compile(v.String())
		return isText(v) && err == nil
	case number:
		return v.Type == gjson.Number
	case count:
		return v.Type == gjson.Number && v.Num >= 0 && v.Num == float64(int64(v.Num))
	case boolean:
		return v.IsBool()
	case texts:
		return all(isText)
	case types:
		return isText(v) || all(isText)
	case list, schemas:
		return v.IsArray()
	case object, named:
		return v.IsObject()
	case subschema:
		return v.IsObject() || v.IsBool()
	}
	return true
}

// UnusableParameters lists the tools of a loaded plugin whose parameters are not a
// valid schema, so that the arguments of their calls are not checked.
func UnusableParameters(p *plugin.Plugin) (list []string) {
	for _, t := range p.Tools {
		if _, err := tools.Compile(t.Spec().Parameters); err != nil {
			list = append(list, fmt.Sprintf("%v: %v; its calls are not checked", t.Spec(), err))
		}
	}
	return list
}
