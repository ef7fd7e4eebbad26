package term

import (
	"strconv"
	"strings"
)

// SGR codes with a special treatment.
const (
	conceal         = 8
	foreground      = 38 // the codes after it belong to it
	background      = 48
	underlineColour = 58
)

// safeColours returns the parameters of an SGR sequence without those that hide text;
// false: nothing is left.
func safeColours(parameters string) (codes string, ok bool) {
	if parameters == "" {
		return "", true // reset
	}
	if len(parameters) > maxSequence || strings.Trim(parameters, "0123456789:;") != "" {
		return "", false
	}
	var kept []string
	list := strings.Split(parameters, ";")
	for len(list) > 0 {
		n := 1
		code, valid := codeOf(list[0])
		if !strings.Contains(list[0], ":") && takesCodes(code) {
			n = codesOf(list)
			// A terminal that does not support underline colours interprets the
			// codes that follow on their own.
			valid = valid && n > 1 && code != underlineColour
		}
		if valid && code != conceal {
			kept = append(kept, list[:n]...)
		}
		list = list[n:]
	}
	return strings.Join(kept, ";"), len(kept) > 0
}

func takesCodes(code int) bool {
	return code == foreground || code == background || code == underlineColour
}

// codesOf returns how many codes at the beginning of a list form one colour; 1 if they are
// incomplete.
func codesOf(list []string) int {
	n := 1
	if len(list) > 1 {
		n = map[string]int{"5": 3, "2": 5}[list[1]]
	}
	if n == 0 || n > len(list) {
		return 1
	}
	for _, text := range list[1:n] {
		if _, valid := codeOf(text); !valid || strings.Contains(text, ":") {
			return 1
		}
	}
	return n
}

// codeOf returns the number of one code, which may have subparameters after colons; an
// empty code is 0.
func codeOf(text string) (code int, valid bool) {
	number, _, _ := strings.Cut(text, ":")
	if number == "" {
		return 0, text == ""
	}
	code, err := strconv.Atoi(number)
	return code, err == nil && code <= 255
}
