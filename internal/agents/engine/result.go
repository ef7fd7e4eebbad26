package engine

import (
	"encoding/json"
	"slices"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/tools"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// result writes a tool's result: the agent's own if there is one, otherwise in the first shape that fits.
func (w encoder) result() (json.RawMessage, error) {
	m := w.m
	if m.There.Result != nil {
		return m.There.Result, nil
	}
	if !m.Has(Path) {
		call := CallOf(w.Dialect, m)
		w.m = m.copied()
		w.m.Set(Path, gjson.GetBytes(call.Arguments, gjson.Escape(call.Subject)).String())
	}
	for _, r := range w.Results {
		if r.Categories == nil || slices.Contains(r.Categories, tools.Category(m.Text(ToolCategory))) {
			return w.shaped(r)
		}
	}
	return m.Values[ToolOutput], nil
}

// shaped writes a result in a shape; a shape of one field without a name is the value.
func (w encoder) shaped(r Result) (json.RawMessage, error) {
	if len(r.Fields) == 1 && r.Fields[0].Name == "" {
		return w.write(r.Fields[0])
	}
	return w.object(r.Fields)
}

// resultWith returns a tool's result with a different text; nil if no shape says where in it the text is.
func (w encoder) resultWith(text string) json.RawMessage {
	said := w.m.There.Result
	w.m.There.Result = nil
	w.m = w.m.copied()
	w.m.Values[ToolOutput] = strictjson.Quote(text)
	if said == nil {
		result, err := w.result()
		if err != nil {
			return nil
		}
		return result
	}
	before := gjson.ParseBytes(said)
	i := slices.IndexFunc(w.Results, func(r Result) bool { return r.fits(w.m, before) })
	if i < 0 {
		return nil
	}
	return w.replaced(w.Results[i], said)
}

// replaced writes the text into a result, in the fields of a shape that have it; nil if none has.
func (w encoder) replaced(r Result, said json.RawMessage) json.RawMessage {
	found := false
	for _, f := range r.Fields {
		if f.Value != ToolOutput {
			continue
		}
		found = true
		value, err := w.write(f)
		if err != nil {
			return nil
		}
		switch {
		case f.Name == "" && said[0] == '{':
			return nil
		case f.Name == "" && said[0] == '"':
			return w.m.Values[ToolOutput]
		case f.Name == "":
			return value
		}
		if said, err = sjson.SetRawBytes(said, f.Name, value); err != nil {
			return nil
		}
	}
	if !found {
		return nil
	}
	return said
}
