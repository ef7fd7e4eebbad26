package merge

import (
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// At returns the raw value at a JSON Pointer in a document; nil if there is none, or if the
// document is not JSON. "" is the whole document. Of several members with the same name,
// the last one is used.
func At(doc []byte, pointer string) []byte {
	if !valid(doc) {
		return nil
	}
	value := at(gjson.ParseBytes(doc), pointer)
	if !value.Exists() {
		return nil
	}
	return []byte(value.Raw)
}

// pointer appends a key to a JSON Pointer.
func pointer(path, key string) string {
	return path + "/" + strictjson.EscapeToken(key)
}

// at is the value at a JSON Pointer; it does not exist where the pointer leads
// nowhere.
func at(doc gjson.Result, path string) gjson.Result {
	for path != "" {
		part, rest, more := strings.Cut(path[1:], "/")
		if path = ""; more {
			path = "/" + rest
		}
		if doc = child(doc, strictjson.UnescapeToken(part)); !doc.Exists() {
			return doc
		}
	}
	return doc
}

// child is an element of an array, or an object's last member of a name.
func child(parent gjson.Result, name string) gjson.Result {
	if parent.IsArray() {
		return parent.Get(gjson.Escape(name))
	}
	return strictjson.Member(parent, name)
}
