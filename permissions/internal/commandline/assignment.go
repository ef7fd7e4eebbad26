package commandline

import (
	"slices"
	"strings"
)

// Assign is a variable that a command line sets.
type Assign struct {
	Name  string
	Value Word
	// Exported says that programs see it, not only the shell.
	Exported bool
}

// setBy returns the variables that a command of the shell sets when it runs.
func setBy(name string, args []Word) (list []Assign) {
	switch name {
	case "export", "readonly", "declare", "typeset", "local":
		return declared(name, args)
	case "printf":
		if len(args) > 1 && strings.HasPrefix(args[0].Text, string(Hole)) { // it may be -v
			return []Assign{{Name: args[1].Text, Value: hole()}}
		}
		return named(args, "", "v")
	case "read":
		return named(args, "dinNptu", "a")
	case "mapfile", "readarray":
		return named(args, "dnOsucC", "")
	case "set": // an array, in ksh
		return named(args, "", "A")
	case "getopts":
		if len(args) > 1 {
			return []Assign{{Name: args[1].Text, Value: hole()}}
		}
	}
	return nil
}

// declared returns the variables of export and the like. A name without a value is set if that
// gives it to programs.
func declared(name string, args []Word) (list []Assign) {
	exports := name == "export" || slices.ContainsFunc(args, func(w Word) bool {
		return strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "x")
	})
	for _, w := range args {
		variable, value, hasValue := strings.Cut(w.Text, "=")
		if !hasValue && (!exports || strings.HasPrefix(w.Text, "-")) {
			continue
		}
		list = append(list, Assign{strings.TrimSuffix(variable, "+"), Word{Text: value, Source: w.Source}, exports})
	}
	return list
}

// named returns the variables that options name, and, where there are options with other values,
// the operands. Nobody knows their values.
func named(args []Word, values, names string) (list []Assign) {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		at := strings.IndexAny(text, values+names)
		if values == "" && strings.HasPrefix(text, "+") { // set +A
			text = "-" + text[1:]
		}
		switch {
		case !strings.HasPrefix(text, "-") && values == "":
			return list
		case !strings.HasPrefix(text, "-"):
			list = append(list, Assign{Name: text, Value: hole()})
			continue
		case at < 0:
			continue
		}
		value, isOther := text[at+1:], false
		if value == "" && i+1 < len(args) {
			i++
			value = args[i].Text
			isOther = isVariable(value) // to zsh and mksh some of these options have no value
		}
		if isOther || strings.IndexByte(names, text[at]) >= 0 {
			list = append(list, Assign{Name: value, Value: hole()})
		}
	}
	return list
}

func isVariable(text string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	return strings.Trim(text, letters+"0123456789") == "" && strings.IndexAny(text, letters) == 0
}

// movesHome reports whether a variable decides where cd and ~ lead.
func movesHome(list []Assign) bool {
	return slices.ContainsFunc(list, func(a Assign) bool { return a.Name == "HOME" || a.Name == "CDPATH" })
}

// setsCommand reports whether one of the variables names a command, or a file of commands,
// for a shell or another program.
func setsCommand(list []Assign) bool {
	for _, a := range list {
		switch a.Name {
		case "BASH_ENV", "ENV", "PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "SHELL",
			"VISUAL", "BROWSER", "LESSOPEN", "LESSCLOSE", "IFS":
			return true
		}
		for _, part := range []string{"PAGER", "EDITOR", "_RSH", "_SSH", "GIT_", "_COMMAND", "_ASKPASS", "BASH_FUNC_"} {
			if strings.Contains(a.Name, part) {
				return true
			}
		}
	}
	return false
}
