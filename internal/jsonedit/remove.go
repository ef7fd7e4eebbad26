package jsonedit

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"
)

// RemoveElements removes elements of the list at a path, and the commas that are then too many.
func (d *Doc) RemoveElements(is func(element gjson.Result) bool, path ...string) (removed int) {
	for {
		list := d.Get(path...)
		if !list.IsArray() {
			return removed
		}
		i := slices.IndexFunc(list.Array(), is)
		if i < 0 {
			return removed
		}
		d.removeChild(list, i)
		removed++
	}
}

// Remove removes the member at a path, if it is there.
func (d *Doc) Remove(path ...string) bool {
	object := d.Get(path[:len(path)-1]...)
	name, i, at := path[len(path)-1], 0, -1
	object.ForEach(func(key, _ gjson.Result) bool {
		if key.Str == name {
			at = i
		}
		i++
		return true
	})
	if !object.IsObject() || at < 0 {
		return false
	}
	d.removeChild(object, at)
	return true
}

// removeChild removes a child with the white space before it, and a comma.
func (d *Doc) removeChild(container gjson.Result, i int) {
	list := childrenOf(container)
	one, end := list[i], container.Index+len(container.Raw)-1
	begin := one.begin
	for begin > container.Index+1 && isSpace(d.text[begin-1]) {
		begin--
	}
	cut := [][2]int{{begin, one.end}}
	if comma, found := commaAfter(d.text, one.end, end); found {
		cut = append(cut, [2]int{comma, comma + 1})
	} else if i > 0 {
		if comma, found := commaAfter(d.text, list[i-1].end, begin); found {
			cut = append([][2]int{{comma, comma + 1}}, cut...)
		}
	}
	if len(list) == 1 && isEmpty(d.text[container.Index+1:begin]) && isEmpty(d.text[one.end:end]) {
		cut = [][2]int{{container.Index + 1, end}}
	}
	text := make([]byte, 0, len(d.text))
	from := 0
	for _, c := range cut {
		text, from = append(text, d.text[from:c[0]]...), c[1]
	}
	d.text, d.inserts = append(text, d.text[from:]...), nil
	d.makePlain()
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isBlank(text []byte) bool { return len(bytes.Trim(text, space)) == 0 }

func isEmpty(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return !isSpace(c) && c != ',' })
}
