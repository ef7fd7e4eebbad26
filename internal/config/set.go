package config

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// set sets what a key leads to.
func (d *decoder) set(t target, value *unstable.Node) error {
	switch {
	case t.v.Kind() == reflect.Struct || t.v.Kind() == reflect.Map:
		return d.setTable(t, value)
	case isRules(t.v):
		return d.addRules(t, value)
	case isList(t.v):
		return d.setList(t, value)
	case t.v.Kind() == reflect.Slice:
		return d.setTexts(t, value)
	case t.v.Kind() == reflect.Pointer:
		t.v.Set(reflect.New(t.v.Type().Elem()))
		t.v = t.v.Elem()
	}
	if err := d.setScalar(t, value); err != nil {
		return err
	}
	return d.check(t)
}

// setTable sets the keys of an inline table.
func (d *decoder) setTable(t target, value *unstable.Node) error {
	if value.Kind != unstable.InlineTable {
		return d.mismatch(t, t.offset(), kindText(value.Kind))
	}
	for it := value.Children(); it.Next(); {
		if err := d.keyValue(t, it.Node()); err != nil {
			return err
		}
	}
	return nil
}

// setList sets a list of inline tables.
func (d *decoder) setList(t target, value *unstable.Node) error {
	if value.Kind != unstable.Array {
		return d.mismatch(t, t.offset(), kindText(value.Kind))
	}
	list := reflect.MakeSlice(t.v.Type(), 0, 0)
	for it := value.Children(); it.Next(); {
		one := t
		one.v = newWithDefaults(t.v.Type().Elem())
		if err := d.setTable(one, it.Node()); err != nil {
			return err
		}
		list = reflect.Append(list, one.v)
		if err := d.checkElement(t, list, offsetOf(it.Node(), t)); err != nil {
			return err
		}
	}
	t.v.Set(list)
	return nil
}

// setTexts sets a list of strings.
func (d *decoder) setTexts(t target, value *unstable.Node) error {
	texts := []string{}
	err := d.eachText(t, value, func(text string, _ int) error {
		texts = append(texts, text)
		return nil
	})
	if err != nil {
		return err
	}
	before := t.v.Interface().([]string)
	t.v.Set(reflect.ValueOf(texts))
	if err := d.check(t); err != nil {
		return err
	}
	if d.isShared && t.field.Tag.Get("shared") == sharedAdds {
		t.v.Set(reflect.ValueOf(added(before, texts)))
	}
	return nil
}

// addRules adds rules to the rules of the sources before.
func (s source) addRules(t target, value *unstable.Node) error {
	rules := slices.Clip(t.v.Interface().(Rules))
	err := s.eachText(t, value, func(text string, offset int) error {
		rules = append(rules, Rule{Text: text, Where: s.place(offset)})
		return nil
	})
	if err != nil {
		return err
	}
	t.v.Set(reflect.ValueOf(rules))
	return s.check(t)
}

// eachText calls do with each text of a list, and where it is.
func (s source) eachText(t target, value *unstable.Node, do func(text string, offset int) error) error {
	if value.Kind != unstable.Array {
		return s.mismatch(t, t.offset(), kindText(value.Kind))
	}
	for it := value.Children(); it.Next(); {
		n := it.Node()
		if n.Kind != unstable.String {
			return s.errorAt(offsetOf(n, t), "%s: want %s, got %s", t.key(), "a string", kindText(n.Kind))
		}
		if err := do(string(n.Data), offsetOf(n, t)); err != nil {
			return err
		}
	}
	return nil
}

// offsetOf returns where a value in a list is; lists in lists have no place of their
// own.
func offsetOf(n *unstable.Node, t target) int {
	if n.Raw.Length == 0 {
		return t.offset()
	}
	return int(n.Raw.Offset)
}

// setScalar sets a text, a number, true or false.
func (d *decoder) setScalar(t target, value *unstable.Node) error {
	text := string(value.Data)
	switch kind := t.v.Kind(); {
	case kind == reflect.String && value.Kind == unstable.String:
		t.v.SetString(text)
	case kind == reflect.Bool && value.Kind == unstable.Bool:
		t.v.SetBool(text == "true")
	case t.v.CanInt() && value.Kind == unstable.Integer:
		n, err := strconv.ParseInt(text, 0, t.v.Type().Bits())
		if err != nil {
			return d.errorAt(t.offset(), "%s: %s is too large", t.key(), text)
		}
		t.v.SetInt(n)
	case t.v.CanFloat() && value.Kind == unstable.Integer:
		n, _ := strconv.ParseInt(text, 0, 64) // the text is valid
		t.v.SetFloat(float64(n))
	case t.v.CanFloat() && value.Kind == unstable.Float:
		t.v.SetFloat(floatOf(text))
	default:
		return d.mismatch(t, t.offset(), kindText(value.Kind))
	}
	return nil
}

// floatOf reads a valid TOML float.
func floatOf(text string) float64 {
	if strings.HasSuffix(text, "nan") {
		return math.NaN()
	}
	n, _ := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return n
}

// take sets a value of any type, with everything that the source has below its key.
func (s source) take(t target) error {
	var value any = s.tree
	for _, p := range t.path[:t.depth] {
		table, _ := value.(map[string]any)
		value = table[p.name]
	}
	if value != nil {
		t.v.Set(reflect.ValueOf(value))
	}
	return nil
}
