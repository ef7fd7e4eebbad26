package jsonedit

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// child is an element of a list or a member of an object.
type child struct{ begin, end int } // of its text; the text of a member begins with its name

func childrenOf(container gjson.Result) (list []child) {
	container.ForEach(func(key, value gjson.Result) bool {
		c := child{value.Index, value.Index + len(value.Raw)}
		if container.IsObject() {
			c.begin = key.Index
		}
		list = append(list, c)
		return true
	})
	return list
}

// firstChild returns where the first child begins, -1 if there is none.
func firstChild(container gjson.Result) int {
	if list := childrenOf(container); len(list) > 0 {
		return list[0].begin
	}
	return -1
}

// addInto adds a value at the end of a list, or a member with a name at the end of an object. It
// stands on a line of its own unless those before it do not.
func (d *Doc) addInto(container gjson.Result, name string, value json.RawMessage) error {
	open, list := container.Index, childrenOf(container)
	if len(list) == 0 {
		outer := indentOf(d.text, open)
		text := d.newLine + outer + d.unit + d.written(name, value, outer+d.unit)
		inner := d.plain[open+1 : open+len(container.Raw)-1]
		if !bytes.Contains(inner, []byte("\n")) {
			text += d.newLine + outer
		}
		d.insert(open+1, text)
		return nil
	}
	last := list[len(list)-1].end
	comma, hasComma := commaAfter(d.text, last, open+len(container.Raw)-1)
	separator := ","
	if hasComma {
		last, separator = comma+1, ""
	}
	if !bytes.Contains(d.text[open:list[0].begin], []byte("\n")) {
		d.insert(last, separator+" "+onOneLine(name, value))
		return nil
	}
	indent := indentOf(d.text, list[0].begin)
	d.insert(last, separator+d.newLine+indent+d.written(name, value, indent))
	return nil
}

// commaAfter returns where the comma is that stands between a child and the end of its
// container, if there is one.
func commaAfter(text []byte, begin, end int) (at int, found bool) {
	for i := begin; i < end; i++ {
		switch c := text[i]; {
		case c == ',':
			return i, true
		case c == '/' && i+1 < end:
			i = strictjson.EndOfComment(text, i) - 1
		}
	}
	return 0, false
}

// written is a value, or a member, on lines of its own.
func (d *Doc) written(name string, value json.RawMessage, indent string) string {
	var b bytes.Buffer
	_ = json.Indent(&b, value, indent, d.unit) // it is JSON
	text := strings.ReplaceAll(b.String(), "\n", d.newLine)
	if name != "" {
		text = string(strictjson.Quote(name)) + ": " + text
	}
	return text
}

// onOneLine is a value, or a member, in the line of those before it.
func onOneLine(name string, value json.RawMessage) string {
	if name != "" {
		return string(strictjson.Quote(name)) + ": " + string(value)
	}
	return string(value)
}

// indentOf returns the white space at the beginning of the line of an offset; "" if something
// else than white space is before the offset.
func indentOf(text []byte, at int) string {
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	line := text[begin:]
	end := 0
	for end < len(line) && (line[end] == ' ' || line[end] == '\t') {
		end++
	}
	return string(line[:end])
}
