package commandline

import (
	"slices"
	"strings"
)

// gitOption is an option of a subcommand of git whose value is a command line, or names what git
// runs in another way.
type gitOption struct {
	letter   byte   // 0: it has none
	long     string // without the --
	optional bool   // a value stands in the same word, or there is none
	setting  bool   // its value is a setting, or a directory with hooks
}

// runningOptions are the options of git's manual pages whose value runs.
func runningOptions(subcommand string) []gitOption {
	upload := gitOption{long: "upload-pack"}
	switch subcommand {
	case "grep":
		return []gitOption{{letter: 'O', long: "open-files-in-pager", optional: true}}
	case "rebase":
		return []gitOption{{letter: 'x', long: "exec"}}
	case "clone":
		return []gitOption{{letter: 'u', long: "upload-pack"}, {letter: 'c', long: "config", setting: true},
			{long: "template", setting: true}}
	case "init", "init-db":
		return []gitOption{{long: "template", setting: true}}
	case "fetch", "pull", "clone-pack":
		return []gitOption{upload}
	case "ls-remote", "peek-remote", "fetch-pack":
		return []gitOption{upload, {long: "exec"}}
	case "push", "send-pack":
		return []gitOption{{long: "receive-pack"}, {long: "exec"}}
	case "archive":
		return []gitOption{{long: "exec"}}
	case "difftool":
		return []gitOption{{letter: 'x', long: "extcmd"}}
	case "send-email":
		return []gitOption{{long: "sendmail-cmd"}, {long: "smtp-server"}, {long: "to-cmd"}, {long: "cc-cmd"},
			{long: "header-cmd"}}
	case "daemon":
		return []gitOption{{long: "access-hook"}}
	case "svn":
		return []gitOption{{long: "authors-prog"}}
	}
	return nil
}

// gitValues are the letters of options with another value: the rest of a word after them is not an option.
func gitValues(subcommand string) string {
	switch subcommand {
	case "grep":
		return "ABCefm"
	case "rebase":
		return "CsXS"
	case "clone":
		return "bojS"
	case "difftool":
		return "tGSUlO"
	}
	return ""
}

// gitOptions examines what options of a subcommand run, and the addresses that are commands.
func (f *finder) gitOptions(c *Command, words []Word) {
	options := runningOptions(words[0].Text)
	for i, w := range words[1:] {
		if strings.HasPrefix(w.Text, "ext::") || strings.Contains(w.Text, "=ext::") {
			c.Opaque = "it runs the command that is an address"
		}
		if w.Text == "--" && !mayTake(gitValues(words[0].Text), words[i].Text) {
			options = nil
		}
		if len(options) > 0 && strings.HasPrefix(w.Source, "$'") {
			c.Opaque = "an argument may be an option whose value it runs"
		}
		option, value, ok := findGitOption(options, gitValues(words[0].Text), w)
		switch {
		case !ok:
			continue
		case value == "" && option.optional:
			continue // the pager
		case value == "" && i+2 < len(words):
			w = words[i+2]
			value = w.Text
		}
		f.gitOption(c, option, Word{Text: value, Source: w.Source, Splits: w.Splits})
	}
}

func mayTake(values, text string) bool {
	if strings.HasPrefix(text, "--") {
		return !strings.Contains(text, "=")
	}
	return strings.HasPrefix(text, "-") && values != "" && strings.IndexAny(text, values) == len(text)-1
}

func (f *finder) gitOption(c *Command, o gitOption, value Word) {
	isHost := o.long == "smtp-server" && value.IsStatic() && !strings.HasPrefix(value.Text, "/")
	switch {
	case isHost, o.long == "config" && isHarmlessSetting(value.Text):
	case o.setting:
		c.Opaque = gitSetting
	default:
		f.script(c, value)
	}
}

// findGitOption returns the option that a word is, with the value in the same word.
func findGitOption(options []gitOption, values string, w Word) (option gitOption, value string, ok bool) {
	if !strings.HasPrefix(w.Text, "-") || len(options) == 0 {
		return option, "", false
	}
	if strings.HasPrefix(w.Text, "--") {
		name, value, _ := strings.Cut(w.Text, "=")
		at := slices.IndexFunc(options, func(o gitOption) bool { return isPartOf(name, "--"+o.long) })
		if at < 0 || name == "--to" || name == "--cc" { // these exist, and are beginnings of others
			return option, "", false
		}
		return options[at], value, true
	}
	for i := 1; i < len(w.Text); i++ {
		at := slices.IndexFunc(options, func(o gitOption) bool { return o.letter == w.Text[i] })
		if at >= 0 {
			return options[at], w.Text[i+1:], true
		}
		if strings.IndexByte(values, w.Text[i]) >= 0 {
			return option, "", false
		}
	}
	return option, "", false
}

// isPartOf reports whether git takes a text for a long option: it takes the beginning of one too.
func isPartOf(text, option string) bool {
	return len(text) > len("--") && strings.HasPrefix(option, text)
}
