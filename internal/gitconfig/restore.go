package gitconfig

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Changed lists the settings that make git run a program or take settings from another file and
// differ between two contents of a file. A file that cannot be read says nothing to git either: the
// error names it.
func Changed(before, now []byte) (names []string, err error) {
	was, err := Parse(before)
	if err != nil {
		return nil, fmt.Errorf("before: %w", err)
	}
	is, err := Parse(now)
	if err != nil {
		return nil, err
	}
	return Difference(Running(was), Running(is)), nil
}

// Restore returns the content of a file with those settings of the content before that make git run
// a program or take settings from another file; all other settings are as they are now. It is
// the content before where nothing else has changed, or where either cannot be read.
func Restore(before, now []byte) []byte {
	was, err := Parse(before)
	is, err2 := Parse(now)
	if err != nil || err2 != nil {
		return before
	}
	wasByName, isByName := byName(was), byName(is)
	changed := Difference(Running(was), Running(is))
	isAsNow := func(list []Setting) bool { return isSubset(Difference(list, is), changed) }
	if isAsNow(was) {
		return before
	}
	e := edit{data: now}
	for _, name := range changed {
		e.restore(wasByName[name], isByName[name])
	}
	data := e.apply()
	again, err := Parse(data)
	if err != nil || len(Difference(Running(was), Running(again))) > 0 || !isAsNow(again) {
		return before
	}
	return data
}

// isSubset reports whether all of some names are among others. Both are sorted.
func isSubset(names, others []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		_, found := slices.BinarySearch(others, name)
		return !found
	})
}

// edit is a list of changes of a file.
type edit struct {
	data    []byte
	changes []change
	added   []byte
}

// change replaces bytes.
type change struct {
	start, end int
	text       string
}

// restore changes the settings of one name back: those that were added go, the others get their
// values again, and missing ones are added.
func (e *edit) restore(was, is []Setting) {
	if left, found := without(is, was); found {
		for _, s := range left {
			e.remove(s)
		}
		return
	}
	for i, s := range is {
		if i >= len(was) {
			e.remove(s)
		} else if s.Value != was[i].Value {
			e.changes = append(e.changes, change{s.start, s.end, line(was[i])})
		}
	}
	for _, s := range was[min(len(is), len(was)):] {
		section, rest, _ := strings.Cut(s.Name, ".")
		head := "[" + section + "]"
		if at := strings.LastIndexByte(rest, '.'); at >= 0 {
			head = fmt.Sprintf("[%s \"%s\"]", section, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(rest[:at]))
		}
		e.added = append(e.added, head+"\n\t"+line(s)+"\n"...)
	}
}

// without returns a list without the items of another one, which are in it in the same order; false:
// they are not.
func without(list, those []Setting) (left []Setting, found bool) {
	for _, s := range list {
		if len(those) > 0 && those[0].Value == s.Value {
			those = those[1:]
		} else {
			left = append(left, s)
		}
	}
	return left, len(those) == 0
}

func line(s Setting) string {
	key := s.Name[strings.LastIndexByte(s.Name, '.')+1:]
	value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(s.Value)
	return key + ` = "` + value + `"`
}

func (e *edit) remove(s Setting) {
	start, end := s.start, s.end
	begin := 1 + bytes.LastIndexByte(e.data[:start], '\n')
	if len(bytes.TrimSpace(e.data[begin:start])) == 0 {
		start = begin
		if at := bytes.IndexByte(e.data[end:], '\n'); at >= 0 {
			end += at + 1
		}
	}
	e.changes = append(e.changes, change{start, end, ""})
}

func (e *edit) apply() []byte {
	slices.SortFunc(e.changes, func(a, b change) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, c := range e.changes {
		out = append(append(out, e.data[at:c.start]...), c.text...)
		at = c.end
	}
	out = append(out, e.data[at:]...)
	if len(e.added) > 0 && len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(out, e.added...)
}
