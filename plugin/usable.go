package plugin

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
	"github.com/tidwall/gjson"
)

// usable returns an answer with null in the place of each field that cannot be used, and why
// the first of them cannot.
func usable(info hookpoints.Info, answer []byte) (rest []byte, why string) {
	rest = answer
	known := knownIn(info)
	gjson.ParseBytes(answer).ForEach(func(name, value gjson.Result) bool {
		if !slices.Contains(known, name.Str) {
			return true
		}
		if wrong := wrongField(info, name.Str, value.Raw); wrong != "" {
			rest, _ = merge.Set(rest, name.Str, []byte("null")) // an object, of which this is a member
			why = cmp.Or(why, wrong)
		}
		return true
	})
	return rest, why
}

// knownIn lists the fields that an answer may have at a point: its own, and the words for no.
func knownIn(info hookpoints.Info) []string {
	known := fieldsOf(info)
	for _, word := range info.OtherWords() {
		known = append(known, word.Name)
	}
	return known
}

// wrongField returns why a known field of an answer cannot be used: it has the wrong type or an
// unknown value, or nests deeper than later subscribers can read. A guard that cannot read
// the payload has no opinion.
func wrongField(info hookpoints.Info, name, value string) string {
	typed, rule := reflect.TypeFor[hookpoints.Words](), hookpoints.Rule("")
	if i := slices.IndexFunc(info.Fields, func(f hookpoints.AnswerField) bool { return f.Name == name }); i >= 0 {
		typed, rule = info.Checked, info.Fields[i].Rule
	}
	err := strictjson.Decode([]byte("{"+string(strictjson.Quote(name))+":"+value+"}"), reflect.New(typed).Interface())
	var wrong *strictjson.TypeError
	switch {
	case errors.As(err, &wrong):
		return "its answer has a field of the wrong type: " + err.Error()
	case err != nil:
		return "its answer has a field with an unknown value: " + err.Error()
	case rule.Rewrites():
		if err := strictjson.CheckDepth([]byte(value), strictjson.MaxArgumentDepth); err != nil {
			return fmt.Sprintf("its %q cannot be used: %v", name, err)
		}
	}
	return ""
}
