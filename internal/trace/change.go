package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
)

func (w Withheld) lengths() string { return fmt.Sprintf("had %d characters, has %d", w.Was, w.Is) }

// change is a text of a payload that plugins can change, before and after they did. Inner is the
// member of the field that holds it, "" for the field itself.
type change struct {
	field, inner  string
	before, after json.RawMessage
	// is false if it is the same after as before: what one plugin made of it, another undid.
	is bool
}

// changesOf lists the texts that the plugins of a dispatch can have changed: fields
// that they replace, and the messages of a request. The other members of a request
// are options, not texts.
func changesOf(f plugin.Firing) (list []change) {
	info, _ := hookpoints.Find(f.Point)
	blocked := gjson.GetBytes(f.Answer, "block").Bool()
	for _, field := range info.Fields {
		c := change{field: field.Name}
		switch {
		case field.Rule == hookpoints.RulePatch:
			c.inner = "messages"
			c.after = at(f.Final, c.path())
		case field.Rule == hookpoints.RuleReplace:
			c.after = at(f.Final, c.path())
		case field.Rule == hookpoints.RuleFirst:
			c.after = at(f.Answer, c.path())
		default:
			continue
		}
		c.before = at(f.Payload, c.path())
		if blocked && len(c.before) > 0 && c.before[0] == '"' {
			c.after = json.RawMessage(`""`) // a blocked text counts as removed
		}
		if isText(c.before) && c.after != nil {
			c.is = !bytes.Equal(c.before, c.after) && !merge.Equal(c.before, c.after)
			list = append(list, c)
		}
	}
	return list
}

func at(doc []byte, path string) json.RawMessage {
	value := gjson.GetBytes(doc, strings.ReplaceAll(path[1:], "/", "."))
	if !value.Exists() {
		return nil
	}
	return json.RawMessage(value.Raw)
}

func isText(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '"' || raw[0] == '{' || raw[0] == '[')
}

func (c change) path() string {
	if c.inner != "" {
		return "/" + c.field + "/" + c.inner
	}
	return "/" + c.field
}

func length(raw []byte) int {
	if len(raw) > 0 && raw[0] == '"' {
		return utf8.RuneCountInString(gjson.ParseBytes(raw).String())
	}
	return len(raw)
}

// earlier returns the text in a payload or an answer if it is not the final one, nil if it is.
func (c change) earlier(doc json.RawMessage) json.RawMessage {
	there := merge.At(doc, c.path())
	if there == nil || bytes.Equal(there, c.after) || merge.Equal(there, c.after) || isConverted(there, c.after) {
		return nil
	}
	return there
}

// isConverted reports whether two values differ in that texts of one are numbers, true or false in
// the other, as the parameters of a tool want them.
func isConverted(a, b json.RawMessage) bool {
	first, errFirst := strictjson.Sorted(a)
	second, errSecond := strictjson.Sorted(b)
	unquoted := func(raw []byte) []byte { return bytes.ReplaceAll(raw, []byte(`"`), nil) }
	return errFirst == nil && errSecond == nil && bytes.Equal(unquoted(first), unquoted(second))
}

// hide replaces the text in a payload or an answer as a whole.
func (c change) hide(doc json.RawMessage) json.RawMessage {
	var err error
	value := []byte(`"` + removedMark + `"`)
	if c.inner != "" {
		value, err = merge.Set(merge.At(doc, "/"+c.field), c.inner, value)
	}
	if err == nil {
		doc, err = merge.Set(doc, c.field, value)
	}
	if err != nil {
		return nil
	}
	return doc
}

// words returns all texts of a value, including those within texts that are JSON.
func words(raw []byte) string {
	var b strings.Builder
	var add func(text string, depth int)
	add = func(text string, depth int) {
		b.WriteString(text)
		b.WriteByte('\n')
		if hasEscapedTexts(text, depth) {
			walk([]byte(text), func(_, inner string) string {
				add(inner, depth+1)
				return inner
			})
		}
	}
	walk(raw, func(_, text string) string {
		add(text, 0)
		return text
	})
	return strings.TrimSuffix(b.String(), "\n")
}
