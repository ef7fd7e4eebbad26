package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/merge"
	"github.com/tidwall/gjson"
)

type setting struct {
	line Line
	text string
}

func (r *request) place(at string) (text string, by []Line) {
	var parts []string
	for _, one := range r.settings(at) {
		by = append(by, one.line)
		parts = append(parts, fmt.Sprintf("plugin %q %s", one.line.Plugin, one.text))
	}
	before, after := merge.At(r.Before, at), merge.At(r.After, at)
	isSame := same(before, after)
	name, value := dotted(at), shown(after)
	how := strings.Join(parts, ", then ")
	switch {
	case how == "" && isSame:
		return fmt.Sprintf("%s is %s, unchanged: no plugin changed it; %s.", name, value,
			asked(hookpoints.PreAPIRequest.Name, r.patch)), nil
	case how == "":
		return fmt.Sprintf("%s is %s instead of %s; the trace does not say which plugin changed it.", name,
			value, shown(before)), nil
	case isSame:
		return fmt.Sprintf("%s is %s, as it was before plugins: %s.", name, value, how), by
	}
	return fmt.Sprintf("%s is %s instead of %s: %s.", name, value, shown(before), how), by
}

// same reports whether two values are equal, or there is neither.
func same(a, b []byte) bool { return a == nil && b == nil || merge.Equal(a, b) }

const maxSettings = 20

func (r *request) settings(at string) (list []setting) {
	now := merge.At(r.Before, at)
	setters := r.setters(at)
	for i, l := range setters {
		if l.patch() == nil && i == len(setters)-1 { // its result is what was sent
			l.Options = r.After
		}
		var parts []string
		for _, path := range l.Changed {
			path = strings.TrimPrefix(path, "/request_body")
			if !overlap(path, at) {
				continue
			}
			text := l.set(path, at)
			if len(at) > len(path) && l.patch() != nil { // it changed a parent of the place
				next := merge.At(l.patch(), at)
				if same(now, next) {
					continue
				}
				now = next
			}
			if len(parts) < maxSettings {
				parts = append(parts, text+l.lostTo(path, at))
			}
		}
		if len(parts) > 0 {
			list = append(list, setting{l, strings.Join(parts, " and ")})
		}
		if next := merge.At(l.patch(), at); next != nil {
			now = next
		}
	}
	return list
}

// patch returns what a plugin answered for the body, without messages and tools if
// it was too large to keep them; nil if nothing is kept.
func (l Line) patch() []byte {
	if l.Answer == nil {
		return l.Options
	}
	return merge.At(l.Answer, "/request_body")
}

// lostTo returns which plugin replaced what another one set at a path, as far as a
// place is concerned.
func (l Line) lostTo(path, at string) string {
	for _, lost := range l.Lost {
		place := strings.TrimPrefix(lost.Path, "/request_body")
		switch {
		case !overlap(place, path) || !overlap(place, at):
		case len(place) <= len(path) || len(place) <= len(at):
			return fmt.Sprintf(", which plugin %q replaced", lost.Winner)
		default:
			return fmt.Sprintf(", and plugin %q replaced %s", lost.Winner, dotted(place))
		}
	}
	return ""
}

func (l Line) set(path, at string) string {
	if len(path) < len(at) {
		path = at
	}
	value := merge.At(l.patch(), path)
	what := "it"
	if path != at {
		what = dotted(path)
	}
	switch {
	case l.patch() == nil:
		return "set " + what + " to " + notKept
	case value == nil || string(value) == "null":
		return "removed " + what
	}
	return "set " + what + " to " + shown(withoutNulls(value))
}

// withoutNulls returns what a merge patch makes of a new value.
func withoutNulls(value []byte) []byte {
	if value[0] != '{' {
		return value
	}
	made, err := merge.Patch([]byte("{}"), value)
	if err != nil {
		return value
	}
	return made
}

func (r *request) alreadyThere(at string) (texts []string) {
	if r.patch == nil {
		return nil
	}
	for _, l := range r.patch.lines {
		answered := merge.At(l.patch(), at)
		isObject := answered != nil && answered[0] == '{'
		if answered == nil || isObject || l.changes(at) {
			continue
		}
		texts = append(texts, fmt.Sprintf("The answer of plugin %q for %s was already there and changed nothing.",
			l.Plugin, dotted(at)))
	}
	return texts
}

func (l Line) changes(at string) bool {
	return slices.ContainsFunc(l.Changed, func(path string) bool { return overlap(path, "/request_body"+at) })
}

const notKept = "(not kept in the trace)"

const longestShown = 300

func shown(value []byte) string {
	switch {
	case value == nil:
		return "not sent"
	case string(value) == `"`+leftOutMark+`"`:
		return notKept
	case value[0] == '"' && (strings.Contains(string(value), redacted) || strings.Contains(string(value), removedMark)):
		return notKept
	}
	return term.Clip(gjson.ParseBytes(value).Raw, longestShown)
}
