package engine

import (
	"slices"

	"github.com/tidwall/gjson"
)

// Variables returns what a hook gets at an event besides the person's environment, as
// NAME=value. A variable whose value is not known is left out.
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
