package cmdline

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// Flags returns the flags for the parser. Those without a name are left out.
func Flags(flags []*Flag) (list []cli.Flag) {
	for _, f := range flags {
		if f.Name != "" {
			list = append(list, f)
		}
	}
	return list
}

// String returns the flag as the help of a command shows it.
func (f *Flag) String() string {
	words := ""
	for _, value := range f.Takes {
		words += " " + value.Word
	}
	return dashed(f.Name) + words + "\t" + f.About
}

// IsVisible makes the help of a command show the flag.
func (f *Flag) IsVisible() bool { return true }

// Apply registers the flag with the parser, by its long name: [Split] has replaced
// the others.
func (f *Flag) Apply(set *flag.FlagSet) error {
	set.Var(parsed{f}, f.Name, "")
	return nil
}

// Names returns the flag's long name only, as the parser would set the flag again
// for every other name.
func (f *Flag) Names() []string { return []string{f.Name} }

// IsSet reports whether the flag was given.
func (f *Flag) IsSet() bool { return f.given.Times > 0 }

// parsed lets the parser set a flag. Unlike the parser's own lists it does not
// split values at commas.
type parsed struct{ flag *Flag }

func (p parsed) Set(value string) error {
	if p.IsBoolFlag() {
		given, err := strconv.ParseBool(value)
		if err != nil {
			return errors.New("parse error")
		}
		value = strconv.FormatBool(given)
	}
	p.flag.take(value)
	return nil
}

// String returns the text that the parser compares with "true" to know whether help
// is wanted.
func (p parsed) String() string { return strconv.FormatBool(p.flag != nil && p.flag.IsSet()) }

func (p parsed) IsBoolFlag() bool { return takes(p.flag) == 0 }

func names(f cli.Flag) []string {
	if own, ok := f.(*Flag); ok {
		return own.names()
	}
	return f.Names()
}

// NamesOf lists all names of flags as they are written.
func NamesOf(flags []cli.Flag) (list []string) {
	for _, f := range flags {
		for _, name := range names(f) {
			list = append(list, dashed(name))
		}
	}
	return list
}

// Values returns the words that a flag takes; the last one is of the kind [Rest] if
// it takes all remaining words.
func Values(f cli.Flag) []Value {
	switch f := f.(type) {
	case *cli.BoolFlag:
		return nil
	case *Flag:
		return f.Takes
	}
	return []Value{{Kind: Text}}
}

// takes returns how many words a flag takes, not counting the rest of the line.
func takes(f cli.Flag) int {
	if own, ok := f.(*Flag); ok && own.takesRest() {
		return len(own.Takes) - 1
	}
	return len(Values(f))
}

func (f *Flag) takesRest() bool { return len(f.Takes) > 0 && f.Takes[len(f.Takes)-1].Kind == Rest }

// lineError is an error about flags and words, which help lists.
type lineError struct {
	text       string
	mayBeWords bool // it may belong to a prompt
}

func (e lineError) Error() string { return e.text }

func unknownFlag(name string) error {
	return lineError{noFlag + name, true}
}

const noFlag = "there is no flag "

func missingValue(f cli.Flag, name string) error {
	if takes(f) > 1 {
		return lineError{fmt.Sprintf("flag needs %d arguments: %s", takes(f), name), false}
	}
	return lineError{"flag needs an argument: " + name, false}
}

// SeeHelp adds to an error about flags or words which help lists them: the help of chibi, or of one
// of its commands. Other errors are returned unchanged.
func SeeHelp(err error, commands ...string) error {
	var wrong lineError
	if !errors.As(err, &wrong) {
		return err
	}
	otherwise := ""
	if wrong.mayBeWords && len(commands) == 0 {
		otherwise = ", or put -- before a prompt that begins with a dash"
	} else if wrong.mayBeWords {
		otherwise = ", or put -- before " + commands[0] + " if it is a prompt"
	}
	if flag := strings.TrimPrefix(wrong.text, noFlag); len(commands) > 0 && (flag == "-C" || flag == "-c") {
		return fmt.Errorf("%s behind a command: chibi %s CONTEXT %s%s", wrong.text, flag,
			strings.Join(commands, " "), otherwise)
	}
	return fmt.Errorf("%s; see %s --help%s", wrong.text, strings.Join(append([]string{"chibi"}, commands...), " "),
		otherwise)
}

// ParserError rewords an error of the flag parser.
func ParserError(err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		return SeeHelp(unknownFlag("-" + name))
	}
	if rest, ok := strings.CutPrefix(text, "invalid boolean value "); ok {
		value, name, _ := strings.Cut(strings.TrimSuffix(rest, ": parse error"), " for ")
		return fmt.Errorf("-%s takes no value; it got %s", name, value)
	}
	if rest, ok := strings.CutPrefix(text, "invalid value "); ok {
		value, name, _ := strings.Cut(strings.TrimSuffix(rest, ": parse error"), " for flag ")
		return fmt.Errorf("-%s takes a whole number; it got %s", name, value)
	}
	return fmt.Errorf("%s; see chibi --help", text)
}

// explained is the column at which help says what a flag or a command does.
const explained = 37

// Help lists the flags of one part of --help, a line each.
func Help(flags []*Flag, part string) string {
	var b strings.Builder
	for _, f := range flags {
		if f.Part == part && f.Name != "" {
			b.WriteString(f.helpLine())
		}
	}
	return b.String()
}

// HelpLine returns a line of --help: what a person types, and what it does.
func HelpLine(typed, about string) string {
	line := "   " + typed
	if about == "" {
		return line + "\n"
	}
	return line + strings.Repeat(" ", max(2, explained-len(line))) + about + "\n"
}

func (f *Flag) helpLine() string {
	line := ""
	for _, letter := range f.Letters {
		line += dashed(string(letter)) + ", "
	}
	line += dashed(f.Name)
	for _, value := range f.Takes {
		line += " " + value.Word
	}
	return HelpLine(line, f.About)
}
