package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// Moment reads the payload that an agent writes to a hook's standard input: the reverse of Payload. Members
// that the table does not know go to Extra, so an event of a newer agent, even the zero Event, is fine. The
// error says that the payload is not an object, or is an [UnclearError].
func (d Dialect) Moment(e Event, payload []byte) (Moment, error) {
	text, err := strictjson.Normalize(payload)
	if err == nil && text[0] != '{' {
		err = errors.New("it is not an object")
	}
	if err != nil {
		err = fmt.Errorf("payload of %s: %w", e.Name, err)
	}
	if errors.Is(err, strictjson.ErrDepth) {
		err = &UnclearError{err}
	}
	if err != nil {
		return Moment{}, err
	}
	r := decoder{e.of(d), &Moment{Kind: e.Kind, Values: map[Value]json.RawMessage{}}}
	all := gjson.ParseBytes(text)
	r.m.Set(EventName, e.Name)
	r.takeAll(e.Fields, all)
	if d.SessionToo != "" && !r.m.Has(Session) {
		r.m.Set(Session, all.Get(d.SessionToo).Str)
	}
	r.m.oddEvent(e)
	delete(r.m.Values, EventName)
	if lacking(all, e.Needs) != "" {
		r.m.Kind = Never
	}
	return *r.m, r.unclear()
}

// decoder reads a moment from an agent's words.
type decoder struct {
	Dialect
	m *Moment
}

// takeAll notes the values in an object, and in Extra the members that no value expresses.
func (r decoder) takeAll(fields []Field, all gjson.Result) {
	for _, f := range fields {
		if value := all.Get(f.Name); value.Exists() && !f.Writes && !r.m.Has(f.Value) {
			r.take(f, value)
		}
	}
	r.takeTool(fields, all)
	r.m.Extra = unknownMembers(fields, all)
	for _, f := range fields {
		value := all.Get(f.Name)
		written, err := encoder{r.Dialect, *r.m}.write(f)
		if value.Exists() && (err != nil || string(written) != value.Raw) {
			if r.m.Extra == nil {
				r.m.Extra = map[string]json.RawMessage{}
			}
			r.m.Extra[f.Name] = json.RawMessage(value.Raw)
		}
	}
}

// take notes the value in a field. takeTool reads the fields about the tool.
func (r decoder) take(f Field, value gjson.Result) {
	raw := json.RawMessage(value.Raw)
	switch f.Form {
	case AsTool, AsInput, AsInputText, AsPatch, AsResult, AsResultText, AsSubject:
		return
	case AsMillis:
		raw = strictjson.Quote(time.UnixMilli(value.Int()).UTC().Format(millisecondsUTC))
	case AsListOfOne:
		raw = json.RawMessage(value.Get("0").Raw)
	case AsTextBlocks:
		raw = strictjson.Quote(textOf(value))
	case AsCalls:
		raw = r.calls(f.Each, value)
	case AsMCPResult:
		raw = strictjson.Quote(textOf(gjson.ParseBytes(objectIn(value))))
	case AsJSONString:
		raw = json.RawMessage(value.Str)
	default:
		raw = ofForm(r.Own, f.Form, raw)
	}
	if f.Value == "" || value.Type == gjson.Null || len(raw) == 0 || !strictjson.Valid(raw) {
		return
	}
	if one := gjson.ParseBytes(raw); f.Value.isText() && one.Type != gjson.String {
		r.m.oddText(f, one)
		raw = strictjson.Quote(textOf(one))
	}
	r.m.Values[f.Value] = r.Words.ours(f.Value, raw)
}

// millisecondsUTC is the layout of a Time.
const millisecondsUTC = "2006-01-02T15:04:05.000Z"

// unknownMembers returns the members at the top that no field names.
func unknownMembers(fields []Field, all gjson.Result) (extra map[string]json.RawMessage) {
	known := map[string]bool{}
	for _, f := range fields {
		name, _, _ := strings.Cut(f.Name, ".")
		known[name] = true
	}
	all.ForEach(func(key, value gjson.Result) bool {
		if !known[key.Str] {
			if extra == nil {
				extra = map[string]json.RawMessage{}
			}
			extra[key.Str] = json.RawMessage(value.Raw)
		}
		return true
	})
	return extra
}
