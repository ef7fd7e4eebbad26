package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Payload returns the standard input of a hook of the agent at an event: one object on one line, with a newline
// if the agent writes one.
func (d Dialect) Payload(e Event, m Moment) ([]byte, error) {
	m = m.copied()
	m.Set(EventName, e.Name)
	w := encoder{e.of(d), m}
	body, err := w.object(e.Fields)
	if err != nil {
		return nil, fmt.Errorf("payload of %s: %w", e.Name, err)
	}
	if d.Newline {
		body = append(body, '\n')
	}
	return body, nil
}

// encoder writes a moment in an agent's words.
type encoder struct {
	Dialect
	m Moment
}

// object writes fields.
func (w encoder) object(fields []Field) ([]byte, error) {
	body := []byte("{}")
	for _, f := range fields {
		value, err := w.write(f)
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
func (w encoder) write(f Field) (json.RawMessage, error) {
	m := w.m
	if extra := m.Extra[f.Name]; extra != nil {
		return extra, nil
	}
	if f.Value == "" || f.Reads || !m.Has(f.Value) {
		return f.unknown(), nil
	}
	value := m.Values[f.Value]
	switch f.Form {
	case AsTool:
		name, _ := w.There(m)
		return strictjson.Quote(name), nil
	case AsInput, AsInputText, AsPatch:
		return w.input(f.Form), nil
	case AsResult:
		return w.result()
	case AsTrimmed:
		return strictjson.Quote(strings.TrimSuffix(m.Text(f.Value), "\n")), nil
	case AsMillis:
		at, err := time.Parse(time.RFC3339Nano, m.Text(f.Value))
		return strconv.AppendInt(nil, at.UnixMilli(), 10), err
	case AsCalls:
		return w.calls(f.Each)
	case AsListOfOne:
		return slices.Concat([]byte("["), value, []byte("]")), nil
	case AsResultText:
		result, err := w.result()
		return strictjson.Quote(string(result)), err
	case AsTextBlocks:
		return textBlocks(value), nil
	case AsJSONString:
		return strictjson.Quote(string(value)), nil
	}
	return w.special(f, value), nil
}

// input writes the arguments of a tool.
func (w encoder) input(form Form) json.RawMessage {
	_, input := w.There(w.m)
	switch form {
	case AsInputText:
		return strictjson.Quote(string(input))
	case AsPatch:
		return patchOf(w.Dialect, w.m, input)
	}
	return input
}

// special writes values in forms that few tables have, and unchanged values.
func (w encoder) special(f Field, value json.RawMessage) json.RawMessage {
	switch f.Form {
	case AsSubject:
		call := CallOf(w.Dialect, w.m)
		return json.RawMessage(gjson.GetBytes(call.Arguments, gjson.Escape(call.Subject)).Raw)
	case AsMCPResult:
		return strictjson.Quote(`{"content":` + string(textBlocks(value)) + "}")
	}
	return w.Words.theirs(f.Value, inForm(w.Own, f.Form, w.m, value))
}

// textBlocks is a list of one block with a text.
func textBlocks(text json.RawMessage) json.RawMessage {
	return slices.Concat([]byte(`[{"type":"text","text":`), text, []byte("}]"))
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

// Variables returns the variables that the agent adds to the person's environment for a hook at an event, as
// NAME=value. It leaves out a variable whose value is not known.
func (d Dialect) Variables(e Event, m Moment) (list []string) {
	for _, v := range d.Environment {
		if v.Events != nil && !slices.Contains(v.Events, e.Name) {
			continue
		}
		if text := v.text(e.of(d), e, m); text != "" {
			list = append(list, v.Name+"="+text)
		}
	}
	return list
}

// text returns a variable's text.
func (v Variable) text(d Dialect, e Event, m Moment) string {
	switch {
	case v.Value == EventName:
		return e.Name
	case v.Value == ToolName && m.Has(ToolName):
		tool, _ := d.There(m)
		return tool
	case v.Input != "":
		_, input := d.There(m)
		return gjson.GetBytes(input, v.Input).String()
	case v.Value != "" && m.Has(v.Value):
		words := d.Words
		if v.Words != nil {
			words = v.Words
		}
		return gjson.ParseBytes(words.theirs(v.Value, m.Values[v.Value])).String()
	}
	return v.Const
}
