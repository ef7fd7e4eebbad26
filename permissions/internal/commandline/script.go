package commandline

import (
	"path"
	"slices"
	"strings"
)

// isShell reports whether a program runs command lines as sh does.
func isShell(name string) bool {
	switch strings.TrimPrefix(name, "-") {
	case "sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "lksh", "oksh", "yash", "rbash", "rksh", "posh":
		return true
	}
	return false
}

// shell examines what a shell runs: the text after -c, or what it reads from a
// here-document.
func (f *finder) shell(c *Command, input *Word) {
	args, command, ok := shellOptions(c.Words[1:])
	if options := c.Words[1 : len(c.Words)-len(args)]; changesReading(options) {
		f.hide(otherReading)
		f.Misread = true
	}
	f.Physical = f.Physical || isPhysical(c.Words[1:len(c.Words)-len(args)])
	switch {
	case !ok:
		c.Runs = true
		c.Opaque = "its options are only known when it runs"
	case command && len(args) == 0:
	case command:
		c.Transparent = isUsual(c.Words[0])
		f.script(c, args[0])
	case len(args) > 0 && !isStream(args[0]):
		return // a script is a program like any other
	case input != nil && (len(args) == 0 || isStandardInput(args[0])):
		c.Transparent, c.Fed = isUsual(c.Words[0]), true
		f.script(c, *input)
	default:
		c.Runs = true
		c.Opaque = "it runs what it reads"
	}
}

// shellOptions returns the operands of a shell that are not arguments of what it reads, and
// whether the first is a command line. ok is false if that is not certain.
func shellOptions(words []Word) (operands []Word, command, ok bool) {
	reads := false
	for i := 0; i < len(words); i++ {
		text := words[i].Text
		switch {
		case command && !words[i].IsStatic():
			return words[i:], true, true
		case words[i].Splits || strings.HasPrefix(text, string(Hole)), isUnclearOption(text):
			return nil, false, false
		case text == "--" || text == "-":
			return operandsOf(words[i+1:], command, reads), command, true
		case text == "--init-file" || text == "--rcfile":
			return nil, false, false
		case strings.HasPrefix(text, "--"):
			continue
		case len(text) < 2 || text[0] != '-' && text[0] != '+':
			return operandsOf(words[i:], command, reads), command, true
		}
		reads = reads || text[0] == '-' && strings.Contains(text, "s")
		command = command || strings.Contains(text, "c") // with a + too
		if strings.ContainsAny(text, "oO") {
			i++
		}
	}
	return nil, command, true
}

// isUnclearOption reports whether a word of options may take other words for its values than the
// one behind it: of -oo two do, of mksh's -oerrexit none does, and of its -T one.
func isUnclearOption(text string) bool {
	if len(text) < 2 || text[0] != '-' && text[0] != '+' || strings.HasPrefix(text, "--") {
		return false
	}
	at := strings.IndexAny(text, "oO")
	return strings.ContainsAny(text, string(Hole)+"T") || at >= 0 && at < len(text)-1
}

// otherReading is why a shell may run other commands than the commands of a line.
const otherReading = "an option makes bash read ! and ^ as earlier commands, or any NAME=VALUE as a variable"

// changesReading reports whether options of a shell, or of set or shopt, do that.
func changesReading(words []Word) bool {
	for _, w := range words {
		switch text := w.Text; {
		case text == "--":
			return false
		case text == "history", text == "histexpand", text == "keyword",
			strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.ContainsAny(text, "Hk"):
			return true
		}
	}
	return false
}

// mayChangeReading reports whether options of set or shopt are not known.
func mayChangeReading(words []Word) bool {
	isName := false
	for _, w := range words {
		switch {
		case !w.IsStatic():
			return true
		case w.Text == "--", !isName && !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+"):
			return false
		}
		isName = strings.ContainsAny(w.Text, "so") // of -o and -s
	}
	return false
}

// operandsOf returns the operands unless they are arguments of what the shell reads.
func operandsOf(words []Word, command, reads bool) []Word {
	if reads && !command {
		return nil
	}
	return words
}

// isStream reports whether a file that is run is not on the disk.
func isStream(w Word) bool {
	file := path.Clean(w.Text)
	if strings.HasPrefix(file, "../") { // as if it led to the root
		file = "/" + strings.TrimLeft(file, "./")
	}
	return !w.IsStatic() || strings.HasPrefix(file, "/dev/") || strings.HasPrefix(file, "/proc/") || file == "stdin"
}

func isStandardInput(w Word) bool { return w.Text == "/dev/stdin" || w.Text == "/dev/fd/0" }

// joined is words as eval joins them.
func joined(words []Word) Word {
	var texts []string
	splits := false
	for _, w := range words {
		texts = append(texts, w.Text)
		splits = splits || w.Splits
	}
	return Word{Text: strings.Join(texts, " "), Splits: splits}
}

func (f *finder) script(c *Command, text Word) {
	c.Runs = true
	source := text.Text
	if !text.IsStatic() {
		c.Opaque = "a part of what it runs is only known when it runs"
		c.Transparent = false
		source = placeholders(source)
	}
	line, err := f.lineInside(source, f.depth+1)
	if err != nil {
		c.Opaque = "what it runs cannot be parsed: " + err.Error()
		c.Transparent, f.Misread = false, true
		return
	}
	if line.Hidden != "" {
		f.hide(line.Hidden)
	}
	f.Writes, f.Reads = join(f.Writes, line.Writes), join(f.Reads, line.Reads)
	f.Moves, f.Lost, f.Input = join(f.Moves, line.Moves), f.Lost || line.Lost, f.Input || line.Input
	f.Misread, f.Physical = f.Misread || line.Misread, f.Physical || line.Physical
	c.Inner = append(c.Inner, line.Commands...)
}

// placeholders puts a variable where a text is not known, and the pattern characters back.
func placeholders(text string) string {
	var b strings.Builder
	for _, r := range text {
		if literal, ok := Literal(r); ok {
			b.WriteRune(literal)
		} else {
			b.WriteString("${_}")
		}
	}
	return b.String()
}

func (f *finder) trap(c *Command) {
	args := c.Words[1:]
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) < 2 || args[0].Text == "-" || args[0].Text == "" {
		return
	}
	f.script(c, args[0])
}

// scriptAfterOption examines the command line of commands that take one after -c, or as
// their arguments.
func (f *finder) scriptAfterOption(c *Command) {
	at := slices.IndexFunc(c.Words, func(w Word) bool { return w.Text == "-c" || w.Text == "--command" })
	if at > 0 && at+1 < len(c.Words) {
		f.script(c, c.Words[at+1])
		return
	}
	rest := c.Words[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		rest = rest[1:]
		if len(rest) > 0 && strings.Trim(rest[0].Text, "0123456789.") == "" {
			rest = rest[1:]
		}
	}
	if len(rest) > 0 {
		f.script(c, joined(rest))
	}
}
