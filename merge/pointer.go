package merge

import (
	"strings"

	"github.com/tidwall/gjson"
)

// At is the value at a JSON Pointer in a document, as it stands there; nil if
// there is none. "" is the whole document.
func At(doc []byte, pointer string) []byte {
	value := gjson.ParseBytes(doc)
	if pointer == "" {
		return []byte(value.Raw)
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for _, part := range strings.Split(pointer, "/")[1:] {
		value = value.Get(gjson.Escape(unescape.Replace(part)))
	}
	if !value.Exists() {
		return nil
	}
	return []byte(value.Raw)
}
