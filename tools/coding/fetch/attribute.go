package fetch

import (
	"html"
	"strings"
)

// attribute returns the value of an attribute of a tag, "" if it has none. Of several
// with the same name the first counts.
func attribute(tag, name string) string {
	rest := strings.TrimPrefix(tag, "<")
	rest = rest[end(rest, spaces+"/>"):] // the name of the element
	for {
		rest = strings.TrimLeft(rest, spaces+"/")
		if rest == "" || rest[0] == '>' {
			return ""
		}
		stop := 1 + end(rest[1:], spaces+"/>=") // a name can begin with =
		key := rest[:stop]
		var value string
		value, rest = attributeValue(strings.TrimLeft(rest[stop:], spaces))
		if strings.EqualFold(key, name) {
			return html.UnescapeString(value)
		}
	}
}

// spaces separate attributes.
const spaces = " \t\n\r\f"

// end returns where the first of some characters is, or the length.
func end(text, characters string) int {
	if i := strings.IndexAny(text, characters); i >= 0 {
		return i
	}
	return len(text)
}

// attributeValue returns the value that stands behind a name, and what follows.
func attributeValue(text string) (value, rest string) {
	text, ok := strings.CutPrefix(text, "=")
	if !ok {
		return "", text
	}
	text = strings.TrimLeft(text, spaces)
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		value, rest, _ = strings.Cut(text[1:], text[:1])
		return value, rest
	}
	stop := end(text, spaces+">")
	return text[:stop], text[stop:]
}
