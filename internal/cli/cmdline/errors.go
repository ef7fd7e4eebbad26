package cmdline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

type flagError struct {
	text       string
	mayBeWords bool // it may belong to a prompt
}

func (e flagError) Error() string { return e.text }

func unknownFlag(name string) error {
	return flagError{"there is no flag " + name, true}
}

func missingValue(f cli.Flag, name string) error {
	if takes(f) > 1 {
		return flagError{fmt.Sprintf("flag needs %d arguments: %s", takes(f), name), false}
	}
	return flagError{"flag needs an argument: " + name, false}
}

// SeeHelp adds to an error about a flag which help lists the flags: that of chibi,
// or of one of its commands. Other errors are returned unchanged.
func SeeHelp(err error, commands ...string) error {
	var wrong flagError
	if !errors.As(err, &wrong) {
		return err
	}
	otherwise := ""
	if wrong.mayBeWords && len(commands) == 0 {
		otherwise = ", or put -- before a prompt that begins with a dash"
	} else if wrong.mayBeWords {
		otherwise = ", or put -- before " + commands[0] + " if it is a prompt"
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
