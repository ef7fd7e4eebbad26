package commandline

import (
	"slices"
	"strings"
)

// evaluated is why what counts as a number runs commands.
const evaluated = "shells run the commands in subscripts of variables, and in values that count as numbers"

// setsNumber reports whether a variable that is a number in some shell gets a text, which that
// shell takes for an expression.
func setsNumber(list []Assign) bool {
	return slices.ContainsFunc(list, func(a Assign) bool {
		switch a.Name {
		case "BASHPID", "COLUMNS", "EGID", "EPOCHSECONDS", "ERRNO", "EUID", "FUNCNEST", "GID", "HISTCMD", "HISTSIZE",
			"KEYTIMEOUT", "KSHEGID", "KSHGID", "KSHUID", "LINENO", "LINES", "LISTMAX", "MAILCHECK", "OPTIND", "PGRP",
			"PIPESTATUS", "PPID", "RANDOM", "SAVEHIST", "SECONDS", "SHLVL", "SRANDOM", "TMOUT", "UID", "USER_ID":
			return strings.Trim(a.Value.Text, "0123456789") != ""
		}
		return false
	})
}

// evaluates reports whether bash may take an argument of a command for a variable with a
// subscript, or its value for an expression: there it runs the commands in subscripts.
func evaluates(name string, args []Word) bool {
	switch name {
	case "test", "[":
		return slices.ContainsFunc(args, func(w Word) bool { return w.Splits || w.Text == "-v" || w.Text == "-R" }) ||
			comparesNames(args)
	case "declare", "typeset", "local", "export", "readonly":
		return slices.ContainsFunc(args, isEvaluated) || slices.ContainsFunc(args, makesNumber)
	case "printf", "wait":
		return slices.ContainsFunc(args, func(w Word) bool { return strings.HasPrefix(w.Text, "-") || w.Splits }) &&
			slices.ContainsFunc(args, isEvaluated)
	case "integer", "float", "nameref": // declare in ksh
		return true
	case "shift", "ulimit":
		return slices.ContainsFunc(args, func(w Word) bool { return !w.IsStatic() || isName(w) && w.Text != "unlimited" })
	case "set":
		return index(args, "-A") >= 0 && slices.ContainsFunc(args, isEvaluated) ||
			index(args, "+A") >= 0 && slices.ContainsFunc(args, isEvaluated)
	case "read", "unset", "getopts", "mapfile", "readarray", "let":
		return name == "let" || slices.ContainsFunc(args, isEvaluated)
	}
	return false
}

// comparesNames reports whether test compares numbers, and one of them is the name of a variable:
// mksh takes its value for an expression.
func comparesNames(args []Word) bool {
	for i, w := range args {
		switch w.Text {
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			if isName(args[max(0, i-1)]) || isName(args[min(i+1, len(args)-1)]) {
				return true
			}
		}
	}
	return false
}

func isName(w Word) bool {
	return w.IsStatic() && w.Text != "" && !strings.HasPrefix(w.Text, "-") && strings.Trim(w.Text, "0123456789+ ") != ""
}

// isEvaluated reports whether an argument is a variable with a subscript, or may be one.
func isEvaluated(w Word) bool {
	name, _, _ := strings.Cut(w.Text, "=")
	return strings.ContainsAny(name, "[\x01\x04")
}

// makesNumber reports whether an option of declare makes a variable a number, or another
// name for one that may have a subscript.
func makesNumber(w Word) bool {
	return (strings.HasPrefix(w.Text, "-") || strings.HasPrefix(w.Text, "+")) && strings.ContainsAny(w.Text, "inA")
}
