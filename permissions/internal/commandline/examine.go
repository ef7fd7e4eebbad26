package commandline

import (
	"slices"
	"strings"
)

// examine finds what a simple command is known as and what it runs. input is the
// here-document that it reads, nil if there is none.
func (f *finder) examine(c Command, input *Word) Command {
	name, ok := "", true
	if len(c.Words) > 0 {
		name, ok = programName(c.Words[0])
		c.Sets = setBy(name, c.Words[1:])
	}
	if setsCommand(c.Assigns) || setsCommand(c.Sets) {
		c.Opaque = setting
	}
	if setsNumber(c.Assigns) || setsNumber(c.Sets) {
		c.Opaque = evaluated
		f.hide(evaluated)
	}
	f.Lost = f.Lost || movesHome(c.Assigns) || movesHome(c.Sets)
	if len(c.Words) == 0 {
		return c
	}
	if !ok {
		c.Opaque = "its name is only known when it runs"
	}
	c.Forms = spellings(c.Words, name)
	c.Guesses = withoutOptions(name, c.Words)
	switch {
	case isShell(name):
		f.shell(&c, input)
	case name == "git":
		f.git(&c, c.Words[1:])
	case strings.HasPrefix(name, "git-"):
		f.git(&c, append([]Word{{Text: strings.TrimPrefix(name, "git-")}}, c.Words[1:]...))
	case name == "find":
		f.find(&c)
	case name == "xargs":
		f.xargs(&c)
	case name == "cd" || name == "chdir":
		f.cd(c.Words[1:])
	case name == "pushd" || name == "popd":
		f.Lost = true
	default:
		f.run(&c, name, input)
	}
	return c
}

// setting is why it is not known what a command runs that sets variables.
const setting = "it sets a variable whose value other programs run"

// run examines commands that run others in a way that needs no function of its own.
func (f *finder) run(c *Command, name string, input *Word) {
	if w, ok := wrapperOf(name); ok {
		f.wrapper(c, w, input)
		return
	}
	if why := opaque(name); why != "" {
		c.Opaque = why
	}
	if evaluates(name, c.Words[1:]) {
		f.hide(evaluated)
	}
	switch name {
	case "eval":
		f.script(c, joined(c.Words[1:]))
	case "trap":
		f.trap(c)
	case "watch", "su", "runuser", "script":
		f.scriptAfterOption(c)
	case "set", "shopt":
		f.Physical = f.Physical || isPhysical(c.Words[1:])
		if changesReading(c.Words[1:]) || mayChangeReading(c.Words[1:]) {
			f.hide(otherReading)
			f.Misread = true
		}
	}
}

// isPhysical reports whether options of a shell make cd take links for what they lead to.
func isPhysical(words []Word) bool {
	return slices.ContainsFunc(words, func(w Word) bool {
		return !w.IsStatic() || w.Text == "physical" || strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "P")
	})
}

// programName returns the name of the program that a word runs, in lower case as systems
// that do not distinguish letters find it, and whether it is known.
func programName(w Word) (string, bool) {
	name := w.Text[strings.LastIndexByte(w.Text, '/')+1:]
	known := Word{Text: name}.IsStatic() && !w.Splits && !strings.ContainsAny(w.Text, "\x01\x02\x03\x04")
	if !known && !(Word{Text: name}).IsStatic() {
		return "", false
	}
	name = strings.ToLower(name)
	for _, suffix := range []string{".exe", ".com", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name, known
}

// spellings returns the command with the plain name of its program.
func spellings(words []Word, name string) (forms [][]Word) {
	if name != "" && words[0].Text != name {
		forms = append(forms, renamed(name, words[1:]))
	}
	if rest, ok := strings.CutPrefix(name, "git-"); ok {
		forms = append(forms, append(renamed("git", []Word{{Text: rest}}), words[1:]...))
	}
	return forms
}

func renamed(name string, rest []Word) []Word {
	return append([]Word{{Text: name}}, rest...)
}

// How many words are skipped as options before a subcommand, and how many words after them
// are compared: a guess need not be exact.
const (
	maxSkipped = 8
	maxGuessed = 64
)

// withoutOptions returns what may be meant if options, with or without a value, stand
// before a subcommand: npm --prefix x publish.
func withoutOptions(name string, words []Word) (forms [][]Word) {
	for i := 1; i < len(words) && i < maxSkipped; i++ {
		if !strings.HasPrefix(words[i].Text, "-") && (i < 2 || !strings.HasPrefix(words[i-1].Text, "-")) {
			break
		}
		if i+1 < len(words) {
			forms = append(forms, renamed(name, words[i+1:min(len(words), i+1+maxGuessed)]))
		}
	}
	return forms
}

// cd notes the directory to which the line changes.
func (f *finder) cd(args []Word) {
	for len(args) > 0 && (args[0].Text == "--" || args[0].Text == "-P" || args[0].Text == "-L") {
		f.Physical = f.Physical || args[0].Text == "-P"
		args = args[1:]
	}
	if len(args) != 1 || strings.HasPrefix(args[0].Text, "-") || !isKnownPath(args[0].Text) {
		f.Lost = true
		return
	}
	f.Moves = append(f.Moves, args[0])
}

// isKnownPath reports whether a path is known before it is used, but for the home directory.
func isKnownPath(text string) bool {
	rest := strings.TrimPrefix(text, string(Tilde)+"/")
	return rest != "" && Word{Text: rest}.IsStatic()
}

// opaque returns why a command runs what is only known when it runs; "" if it does not.
func opaque(name string) string {
	switch name {
	case "eval":
		return "eval makes a command of its arguments when it runs"
	case ".", "source":
		return "it runs commands from a file"
	case "alias", "hash", "enable", "bind", "complete", "compgen", "mapfile", "readarray", "fc":
		return "it can give a command another name"
	case "ssh", "mosh":
		return "it runs commands on another computer"
	case "parallel", "at", "batch", "crontab", "unshare", "nsenter", "systemd-run", "su", "runuser", "script", "watch",
		"expect", "entr", "fish", "csh", "tcsh", "nu", "pwsh", "screen", "tmux", "bwrap", "capsh", "cgexec", "dbus-launch",
		"dbus-run-session", "direnv", "dumb-init", "firejail", "gdb", "gosu", "hyperfine", "numactl", "perf", "pkexec",
		"prlimit", "run0", "run-parts", "setarch", "setpriv", "sg", "ssh-agent", "start-stop-daemon", "su-exec", "tini",
		"valgrind", "zsh", "cmd", "powershell", "elvish", "xonsh", "osh", "ysh", "asciinema", "autossh", "concurrently",
		"dtach", "abduco", "flatpak-spawn", "ifne", "incrontab", "lldb", "machinectl", "nix-shell", "nodemon", "osascript",
		"pee", "proot", "reflex", "schroot", "sem", "socat", "sshpass", "systemd-nspawn", "ttyrec", "watchexec", "xterm",
		"zellij":
		return "which commands it runs is only known when it runs"
	}
	return ""
}
