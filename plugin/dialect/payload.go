package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Payload returns what a hook of the agent gets on standard input at an event: one object on
// one line, with the newline if the agent writes one.
func (d Dialect) Payload(e Event, m Moment) ([]byte, error) {
	d = d.at(e)
	body, err := d.object(e.Fields, m)
	if err != nil {
		return nil, fmt.Errorf("payload of %s: %w", e.Name, err)
	}
	if d.Newline {
		body = append(body, '\n')
	}
	return body, nil
}

// at returns the dialect as it is at an event.
func (d Dialect) at(e Event) Dialect {
	if e.Tools != nil {
		d.Tools = e.Tools
	}
	if e.Results != nil {
		d.Results = e.Results
	}
	if e.Matcher != nil {
		d.Matcher = *e.Matcher
	}
	return d
}

// object writes fields.
func (d Dialect) object(fields []Field, m Moment) ([]byte, error) {
	body := []byte("{}")
	for _, f := range fields {
		value, err := d.write(f, m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if value == nil {
			continue
		}
		if body, err = sjson.SetRawBytes(body, f.Name, value); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return body, nil
}

// write returns a field's JSON; nil: it is absent.
func (d Dialect) write(f Field, m Moment) (json.RawMessage, error) {
	if f.Value == "" || !m.Has(f.Value) {
		return f.unknown(), nil
	}
	value := m.Values[f.Value]
	switch f.Form {
	case AsTool:
		name, _ := d.There(m)
		return strictjson.Quote(name), nil
	case AsInput, AsInputText:
		_, input := d.There(m)
		if f.Form == AsInputText {
			return strictjson.Quote(string(input)), nil
		}
		return input, nil
	case AsResult:
		return d.result(m)
	case AsTrimmed:
		return strictjson.Quote(strings.TrimSuffix(m.Text(f.Value), "\n")), nil
	case AsMillis:
		at, err := time.Parse(time.RFC3339Nano, m.Text(f.Value))
		return strconv.AppendInt(nil, at.UnixMilli(), 10), err
	case AsListOfOne:
		return slices.Concat([]byte("["), value, []byte("]")), nil
	case AsResultText:
		result, err := d.result(m)
		return strictjson.Quote(string(result)), err
	case AsTextBlocks:
		return slices.Concat([]byte(`[{"type":"text","text":`), value, []byte("}]")), nil
	case AsJSONString:
		return strictjson.Quote(string(value)), nil
	}
	return d.word(f.Value, value), nil
}

// unknown is a field whose value is not known; nil: it is absent.
func (f Field) unknown() json.RawMessage {
	switch {
	case f.Const != "":
		return json.RawMessage(f.Const)
	case f.Optional:
		return nil
	}
	return json.RawMessage("null")
}

// word translates a value that is one of a few words.
func (d Dialect) word(of Value, value json.RawMessage) json.RawMessage {
	text := gjson.ParseBytes(value)
	for _, w := range d.Words {
		if w.Value == of && text.Type == gjson.String && w.Ours == text.Str {
			return strictjson.Quote(w.Theirs)
		}
	}
	return value
}

// There returns the name of a moment's tool and its arguments, as the agent names them.
func (d Dialect) There(m Moment) (tool string, input json.RawMessage) {
	return d.Tools.There(callOf(m))
}

func callOf(m Moment) toolnames.Call {
	return toolnames.Call{Tool: m.Text(ToolName), Category: tools.Category(m.Text(ToolCategory)),
		Subject: m.Text(ToolSubject), Arguments: m.Values[ToolInput]}
}

// result writes a tool's result in the first shape that fits.
func (d Dialect) result(m Moment) (json.RawMessage, error) {
	for _, r := range d.Results {
		if r.Categories == nil || slices.Contains(r.Categories, tools.Category(m.Text(ToolCategory))) {
			return d.object(r.Fields, m)
		}
	}
	return m.Values[ToolOutput], nil
}
