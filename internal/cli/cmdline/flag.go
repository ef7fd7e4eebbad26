// Package cmdline describes each flag once. From the descriptions it makes the
// parser of a command line, the text of --help, and the reader and the schema of
// the JSON that can take the place of flags.
//
// What it promises:
//
//   - It runs nothing, prints nothing and reads only its arguments: the value of a
//     flag goes where its description says.
//   - Words after the flags, after "--" and after a flag that takes the rest of the
//     line are never touched.
package cmdline

import "slices"

// Flag describes a flag. It also holds the flag's values, so each run makes its
// own.
type Flag struct {
	// Name is the long name; a flag without one can be given only as its Command.
	Name string
	// Letters are its short names, Aliases other long ones.
	Letters string
	Aliases []string
	Takes   []Value
	// Repeats is true if the flag may be given several times.
	Repeats bool
	// About is its description in --help.
	About string
	// Part is the part of --help that lists the flag; "": none.
	Part string
	// Command is the command of --json-config that does the same. Several flags may
	// have the same command: the given members select the flag.
	Command *Command
	// Members are the members of --json-config's object that set the flag, such as
	// flags.verbose.
	Members []string
	// Beside is true if the flag may be combined with --json-config; On is true if
	// it is then set unless its member is false.
	Beside, On bool
	// Into receives each value, or "true" or "false" if the flag takes none; nil
	// discards them.
	Into func(value string)

	given Given
}

// Command describes a command of --json-config. Its members are the values that its
// flags take.
type Command struct {
	Names []string // the first one is also in its result
	// Answers describes what it prints, for the documentation; "": a result. Data
	// lists the members of the result.
	Answers, Data string
}

// Word returns the values of a flag that takes one word, as help shows it.
func Word(word string, kind Kind) []Value { return []Value{{Word: word, Kind: kind}} }

// Switch stores whether a flag without a value was given.
func Switch(into *bool) func(string) { return func(value string) { *into = value == "true" } }

// Last stores the last value of a flag.
func Last(into *string) func(string) { return func(value string) { *into = value } }

// List stores all values of a flag.
func List(into *[]string) func(string) { return func(value string) { *into = append(*into, value) } }

// Given is how a flag was given.
type Given struct {
	Times  int      // how often; 0: not at all
	Values []string // the words that it takes
	Rest   []string // the remaining words, if it takes them
}

// Given returns what the flag was given so far.
func (f *Flag) Given() Given { return f.given }

// Give gives the flag its values, and the remaining words.
func (f *Flag) Give(values, rest []string) {
	if takes(f) == 0 {
		values = []string{"true"}
	}
	for _, value := range values {
		f.take(value)
	}
	f.given.Rest = rest
}

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

// Written returns the flag as a person writes it: by its first letter if it has
// one.
func (f *Flag) Written() string {
	switch {
	case f.Letters != "":
		return "-" + f.Letters[:1]
	case f.Name != "":
		return "--" + f.Name
	}
	return f.Command.Names[0]
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// Twice returns the first flag that was given several times and may not be; "" if
// there is none.
func Twice(flags []*Flag) string {
	i := slices.IndexFunc(flags, func(f *Flag) bool { return takes(f) > 0 && f.given.Times > 1 && !f.Repeats })
	if i < 0 {
		return ""
	}
	return "--" + flags[i].Name
}

// Kind is a kind of word that a flag takes.
type Kind int

// The kinds of words.
const (
	Text Kind = iota
	Number
	File
	Context
	NewContext // a context, existing or new
	Tool
	PluginOrTool
	Thing // a text or a configuration key that can be shown
	Setting
	DebugKey
	Recipe
	Argument // NAME=VALUE
	Payload
	Plugin
	Point
	Rest // all remaining words of the line: they are not for chibi
)

// Value is a word that a flag takes.
type Value struct {
	Word   string // as --help shows it, such as NAME
	Kind   Kind
	Member string // its name in the object of the flag's command of --json-config
	// Known lists the known words, for completion; nil: the kind determines them.
	Known func() []string
}
