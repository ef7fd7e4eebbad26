package approved

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/chibi-host/chibi/internal/clip"
	"github.com/chibi-host/chibi/internal/strictjson"
)

const (
	// maxRemembered bounds a definition of which more than its revision is remembered, in
	// bytes of JSON.
	maxRemembered = 16 << 10
	// maxCompared bounds each of the texts that are compared, in bytes.
	maxCompared = 256 << 10
)

// parts are the parts of a definition, as texts to be compared by a person.
type parts map[string]string

// partsOf takes a definition apart. A text that it cannot take apart is one part.
func partsOf(definition json.RawMessage) parts {
	var members map[string]json.RawMessage
	if strictjson.Decode(definition, &members) != nil {
		return parts{"definition": clip.Bytes(string(definition), maxCompared)}
	}
	p := parts{}
	for name, value := range members {
		p[strings.ReplaceAll(name, "_", " ")] = clip.Bytes(readable(value), maxCompared)
	}
	return p
}

// remembered returns the parts if they are small enough to be remembered.
func (p parts) remembered() parts {
	if text, err := strictjson.Encode(p); err != nil || len(text) > maxRemembered {
		return nil
	}
	return p
}

// readable writes a value for a person: a text as it is, an object with its members in rows
// of their own.
func readable(value json.RawMessage) string {
	var text string
	if strictjson.Decode(value, &text) == nil {
		return text
	}
	return strictjson.Indented(value)
}

// differ returns the names of the parts that differ, and the differences as a unified diff of
// each.
func differ(before, after parts) (names []string, text string) {
	var b strings.Builder
	if before == nil {
		names = append(names, "definition")
		b.WriteString("The approved definition was too long to store. This is all of the new one:\n")
	}
	all := maps.Clone(after)
	maps.Copy(all, before)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before[name] == after[name] {
			continue
		}
		if before != nil {
			names = append(names, name)
		}
		b.WriteString(name + "\n" + unified(before[name], after[name]))
	}
	if len(names) == 0 {
		return []string{"definition"}, "It differs only in its spelling, or beyond the first 256 KiB of a part.\n"
	}
	return names, b.String()
}

// unified returns a unified diff without the names of files.
func unified(before, after string) string {
	text := string(diff.Diff("", lines(before), "", lines(after)))
	if _, hunks, ok := strings.Cut(text, "\n@@"); ok {
		return "@@" + hunks
	}
	return text
}

// lines ends a text with a newline, so that its end makes no difference.
func lines(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(strings.TrimSuffix(text, "\n") + "\n")
}
