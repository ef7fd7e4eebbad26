package cmdline

import "slices"

// Flag describes a flag. It also keeps what the flag is given, so that each run
// makes its own.
type Flag struct {
	// Name is the long name; a flag without one is asked for by its Command only.
	Name string
	// Letters are its short names, Aliases other long ones.
	Letters string
	Aliases []string
	Takes   []Value
	// Repeats says that the flag may be given several times.
	Repeats bool
	// About is what help says of it.
	About string
	// Part is the part of --help that lists the flag; "": none.
	Part string
	// Command is the command of --json-config that does the same. Several flags may
	// have the same one: the members that are given decide which of them is meant.
	Command *Command
	// Members are the members of --json-config's object that say the same, such as
	// flags.verbose.
	Members []string
	// Beside says that the flag counts beside --json-config, On that it is then given
	// unless its member is false.
	Beside, On bool
	// Into receives each value, or "true" or "false" if the flag takes none; nil:
	// nobody does.
	Into func(value string)

	given Given
}

// Command describes a command of --json-config beyond its members, which are what its
// flags take.
type Command struct {
	Names []string // the first one names what it answers, too
	// Answers says what it prints, for documentation; "": a result. Data lists the
	// members of the result.
	Answers, Data string
}

// Word is what a flag takes that takes one word, as help shows it.
func Word(word string, kind Kind) []Value { return []Value{{Word: word, Kind: kind}} }

// Switch keeps whether a flag is given that takes no value.
func Switch(into *bool) func(string) { return func(value string) { *into = value == "true" } }

// Last keeps the last value of a flag.
func Last(into *string) func(string) { return func(value string) { *into = value } }

// List keeps all values of a flag.
func List(into *[]string) func(string) { return func(value string) { *into = append(*into, value) } }

// Given is what a flag was given.
type Given struct {
	Times  int      // how often; 0: not at all
	Values []string // the words that it takes
	Rest   []string // the words that are left, if it takes them
}

// Given returns what the flag was given so far.
func (f *Flag) Given() Given { return f.given }

// Give gives the flag the words that it takes, and those that are left.
func (f *Flag) Give(values, rest []string) {
	if takes(f) == 0 {
		values = []string{"true"}
	}
	for _, value := range values {
		f.take(value)
	}
	f.given.Rest = rest
}

// take takes one value.
func (f *Flag) take(value string) {
	switch {
	case takes(f) > 0:
		f.given.Values = append(f.given.Values, value)
		f.given.Times = len(f.given.Values) / takes(f)
	case value == "true":
		f.given.Times++
	default:
		f.given.Times = 0
	}
	if f.Into != nil {
		f.Into(value)
	}
}

// names lists all names of the flag, the long one first.
func (f *Flag) names() []string {
	if f.Name == "" {
		return nil
	}
	list := []string{f.Name}
	for _, letter := range f.Letters {
		list = append(list, string(letter))
	}
	return append(list, f.Aliases...)
}

// Written is the flag as a person writes it: with its first letter if it has one.
func (f *Flag) Written() string {
	switch {
	case f.Letters != "":
		return "-" + f.Letters[:1]
	case f.Name != "":
		return "--" + f.Name
	}
	return f.Command.Names[0]
}

// dashed is a name with its dashes.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// Twice names the first flag that was given several times and may not be; "" if
// there is none.
func Twice(flags []*Flag) string {
	i := slices.IndexFunc(flags, func(f *Flag) bool { return takes(f) > 0 && f.given.Times > 1 && !f.Repeats })
	if i < 0 {
		return ""
	}
	return "--" + flags[i].Name
}
