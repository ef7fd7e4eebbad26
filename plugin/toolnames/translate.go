package toolnames

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// shownMember is an argument as the other side sees it: its name there, "" if it is left
// out, and its value.
type shownMember struct {
	member
	there member
}

// shown translates arguments. It leaves out an argument that has the name of a translated one.
func shown(names []Argument, list []member) []shownMember {
	var taken []string
	for _, a := range names {
		if indexOf(list, a.Ours) >= 0 {
			taken = append(taken, a.Theirs)
		}
	}
	var all []shownMember
	for _, m := range list {
		s := shownMember{m, m}
		if i := slices.IndexFunc(names, func(a Argument) bool { return a.Ours == m.name }); i >= 0 {
			s.there = member{names[i].Theirs, times(m.value, names[i].Times)}
		} else if slices.Contains(taken, m.name) {
			s.there.name = ""
		}
		all = append(all, s)
	}
	return all
}

// translated returns the arguments as the other side sees them.
func translated(names []Argument, list []member) json.RawMessage {
	var there []member
	for _, s := range shown(names, list) {
		if s.there.name != "" {
			there = append(there, s.there)
		}
	}
	return object(there)
}

// back returns arguments after the other side turned the translated ones into theirs: what it
// did not change is as it was. unknown lists what it added that has no place here: its name is
// taken, in which case it is left out, or it has no other name here and has says no.
func back(names []Argument, before, theirs []member, has func(string) bool) (arguments json.RawMessage,
	unknown []string) {
	changed := map[string]json.RawMessage{}
	for _, m := range theirs {
		changed[m.name] = m.value
	}
	var after []member
	seen, taken := map[string]bool{}, map[string]bool{}
	keep := func(m member) { after, taken[m.name] = append(after, m), true }
	for _, s := range shown(names, before) {
		value, is := changed[s.there.name]
		seen[s.there.name] = true
		switch {
		case s.there.name == "" || is && string(value) == string(s.there.value):
			keep(s.member)
		case is:
			keep(member{s.name, reverse(names, member{s.there.name, value}).value})
		}
	}
	for _, m := range theirs {
		if seen[m.name] {
			continue
		}
		own := reverse(names, m)
		if taken[own.name] || !isNamed(names, m.name) && !has(m.name) {
			unknown = append(unknown, m.name)
		}
		if !taken[own.name] {
			keep(own)
		}
	}
	return object(after), unknown
}

func isNamed(names []Argument, theirs string) bool {
	return slices.ContainsFunc(names, func(a Argument) bool { return a.Theirs == theirs })
}

// reverse translates one argument of the other side.
func reverse(names []Argument, m member) member {
	for _, a := range names {
		if a.Theirs == m.name {
			return member{a.Ours, times(m.value, -a.Times)}
		}
	}
	return m
}

// reversed returns the names in the other direction.
func reversed(names []Argument) (list []Argument) {
	for _, a := range names {
		list = append(list, Argument{a.Theirs, a.Ours, -a.Times})
	}
	return list
}

// times multiplies a number; by a negative factor, it divides it and rounds up. Other values
// stay what they are.
func times(value json.RawMessage, factor int) json.RawMessage {
	number, err := strconv.ParseFloat(string(value), 64)
	switch {
	case factor == 0 || err != nil:
		return value
	case factor > 0:
		number *= float64(factor)
	default:
		number = math.Ceil(number / float64(-factor))
	}
	if math.Abs(number) > 1<<53 {
		return value
	}
	return strconv.AppendFloat(nil, number, 'f', -1, 64)
}
