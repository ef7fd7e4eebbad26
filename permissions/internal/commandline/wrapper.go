package commandline

import (
	"path"
	"slices"
	"strings"
)

type wrapper struct {
	flags    string   // letters of options without a value
	values   string   // letters of options with a value
	long     []string // long options without a value
	longs    []string // long options with a value
	operands int      // arguments before the command
	assigns  bool     // NAME=VALUE before the command sets a variable
	moves    string   // options that change the directory
	renames  string   // options that tell the command another name than its own
	writes   string   // options that write a file
	prints   string   // letters of options with which it runs nothing
	more     bool     // it does more than running the command
}

func wrapperOf(name string) (wrapper, bool) {
	switch name {
	case "env":
		return wrapper{flags: "i0v", values: "uCa", long: []string{"ignore-environment", "null", "debug"},
			longs: []string{"unset", "chdir", "argv0"}, assigns: true, moves: "C",
			renames: "a"}, true
	case "--": // what mvdan.cc/sh makes of "time -- A=b command", where time is a word of bash
		return wrapper{assigns: true}, true
	case "command":
		return wrapper{flags: "p", prints: "vV"}, true
	case "builtin", "nohup", "chronic", "eatmydata", "catchsegv", "torsocks",
		"-", "nocorrect", "noglob": // of zsh
		return wrapper{}, true
	case "exec":
		return wrapper{flags: "cl", values: "a", renames: "a"}, true
	case "nice":
		return wrapper{flags: "0123456789", values: "n", longs: []string{"adjustment"}}, true
	case "timeout":
		return wrapper{flags: "vfp", values: "ks", long: []string{"foreground", "preserve-status", "verbose"},
			longs: []string{"kill-after", "signal"}, operands: 1}, true
	case "time":
		return wrapper{flags: "pvaqV", values: "fo", long: []string{"portability", "verbose", "append", "quiet"},
			longs: []string{"format", "output"}, writes: "o"}, true
	case "stdbuf":
		return wrapper{values: "ioe", longs: []string{"input", "output", "error"}}, true
	case "setsid":
		return wrapper{flags: "cfw", long: []string{"ctty", "fork", "wait"}}, true
	case "ionice":
		return wrapper{flags: "t", values: "cn", long: []string{"ignore"}, longs: []string{"class", "classdata"}}, true
	case "caffeinate":
		return wrapper{flags: "disum", values: "tw"}, true
	case "unbuffer":
		return wrapper{flags: "p"}, true
	}
	return privileged(name)
}

// privileged returns how commands run others that do more than running them.
func privileged(name string) (wrapper, bool) {
	switch name {
	case "sudo":
		return wrapper{flags: "AbBEHknPSN", values: "CDghpRrTtuU", assigns: true, moves: "D", prints: "lvKV",
			long: []string{"askpass", "background", "bell", "preserve-env", "set-home", "reset-timestamp",
				"non-interactive", "preserve-groups", "stdin", "no-update"},
			longs: []string{"close-from", "chdir", "group", "host", "prompt", "chroot", "role", "command-timeout", "type",
				"user", "other-user"}, more: true}, true
	case "doas":
		return wrapper{flags: "nL", values: "uC", more: true}, true
	case "busybox", "toybox", "fakeroot", "linux32", "linux64", "xvfb-run", "rlwrap", "proxychains",
		"proxychains4":
		return wrapper{more: true}, true
	case "chrt", "taskset", "chroot", "faketime", "flock":
		return wrapper{flags: "abfioprsnuxv", values: "wETPDC", operands: 1, more: true}, true
	case "strace", "ltrace":
		return wrapper{flags: "fFqrtTvxyCckiDhwzZ", values: "eopsSuPOIabEX", more: true}, true
	}
	return wrapper{}, false
}

func (f *finder) wrapper(c *Command, w wrapper, input *Word) {
	c.Runs = true
	rest, assigns, why := w.command(c.Words[1:])
	if why == prints {
		return
	}
	if why != "" {
		c.Opaque = why
	}
	options := c.Words[1 : len(c.Words)-len(rest)]
	if first := firstSplit(options); first >= 0 {
		f.inside(c, Command{Assigns: assigns, Words: c.Words[1+first:]}, input)
	}
	moves, renames := given(options, w.moves, "--chdir"), given(options, w.renames, "--argv0")
	f.Lost = f.Lost || moves
	if renames {
		c.Opaque = "it tells the command another name, and some do something else then"
	}
	switch {
	case len(rest) == 0 && len(assigns) == 0:
		return
	case len(rest) > 1 && (rest[0].Text == "-c" || rest[0].Text == "--command"): // flock FILE -c LINE
		f.script(c, rest[1])
		return
	}
	f.inside(c, Command{Assigns: assigns, Words: rest}, input)
	writes := given(options, w.writes, "--output")
	c.Transparent = len(rest) > 0 && why == "" && !w.more && !moves && !writes && isUsual(c.Words[0])
}

// firstSplit returns where a word stands in front of a command that may be several words when the
// line runs, and so the command itself; -1: nowhere.
func firstSplit(options []Word) int {
	return slices.IndexFunc(options, func(w Word) bool {
		return w.Splits || strings.ContainsAny(w.Text, string([]rune{Star, One, Set}))
	})
}

// isUsual reports whether the name of a command is the plain one, or the path of the system's
// program: another program of that name, as in ./env, may do anything.
func isUsual(name Word) bool {
	dir, base := path.Split(name.Text)
	return name.IsStatic() && base == strings.ToLower(base) && (dir == "" || dir == "/bin/" || dir == "/usr/bin/")
}

// given reports whether options in front of a command have one of the letters, or the long
// option. It says so too often rather than too seldom.
func given(options []Word, letters, long string) bool {
	return letters != "" && slices.ContainsFunc(options, func(w Word) bool {
		if strings.HasPrefix(w.Text, "--") {
			return strings.HasPrefix(w.Text, long)
		}
		return strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, letters)
	})
}

// prints is the reason of a wrapper that only prints.
const prints = "it prints"

// unknownOption is why the command that a wrapper runs is not certain.
const unknownOption = "the beginning of the command that it runs is not certain"

// command returns the command that a wrapper runs, the variables that it sets for it, and
// why that is not certain.
func (w wrapper) command(words []Word) (rest []Word, assigns []Assign, why string) {
	operands := w.operands
	for i := 0; i < len(words); i++ {
		text := words[i].Text
		name, value, isAssign := strings.Cut(text, "=")
		switch {
		case words[i].Splits || strings.ContainsRune(text, Hole) && strings.HasPrefix(text, "-"):
			why = unknownOption
		case text == "--":
			words, i = words[i+1:], -1
			return w.afterOptions(words, assigns, operands, why)
		case text == "-" && w.assigns:
		case strings.HasPrefix(text, "--"):
			skip, known := w.longOption(text[2:])
			i += skip
			if !known {
				why = unknownOption
			}
		case len(text) > 1 && text[0] == '-':
			skip, reason := w.letters(text[1:])
			if reason == prints {
				return nil, nil, prints
			}
			i += skip
			if reason != "" {
				why = reason
			}
		case w.assigns && isAssign: // env takes one without a name too
			assigns = append(assigns, Assign{Name: name, Value: Word{Text: value, Source: words[i].Source}, Exported: true})
		default:
			return w.afterOptions(words[i:], assigns, operands, why)
		}
	}
	return nil, assigns, why
}

// afterOptions takes the operands, and further variables, from before the command.
func (w wrapper) afterOptions(words []Word, assigns []Assign, operands int, why string) ([]Word, []Assign, string) {
	for len(words) > 0 && operands > 0 {
		words, operands = words[1:], operands-1
	}
	for w.assigns && len(words) > 0 {
		name, value, isAssign := strings.Cut(words[0].Text, "=")
		if !isAssign {
			break
		}
		assigns = append(assigns, Assign{Name: name, Value: Word{Text: value, Source: words[0].Source}, Exported: true})
		words = words[1:]
	}
	return words, assigns, why
}

// longOption returns how many further words a long option takes, and whether it is known.
func (w wrapper) longOption(text string) (int, bool) {
	name, _, hasValue := strings.Cut(text, "=")
	switch {
	case slices.Contains(w.long, name):
		return 0, true
	case slices.Contains(w.longs, name) && hasValue:
		return 0, true
	case slices.Contains(w.longs, name):
		return 1, true
	}
	return 0, false
}

// letters returns how many further words the options in one word take, and why what the
// command runs is not certain.
func (w wrapper) letters(text string) (int, string) {
	for i, r := range text {
		switch {
		case strings.ContainsRune(w.prints, r):
			return 0, prints
		case strings.ContainsRune(w.values, r):
			if i+1 < len(text) {
				return 0, ""
			}
			return 1, ""
		case !strings.ContainsRune(w.flags, r):
			return 0, unknownOption
		}
	}
	return 0, ""
}
