package cmdline

import "strings"

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
