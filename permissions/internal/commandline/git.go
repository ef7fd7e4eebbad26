package commandline

import (
	"slices"
	"strings"
)

// git finds the subcommand of git behind its options, and the commands that it runs.
func (f *finder) git(c *Command, args []Word) {
	c.Runs = true
	rest, why := gitSubcommand(args)
	if why != "" {
		c.Opaque = why
	}
	if len(rest) == 0 {
		return
	}
	if len(rest) < len(args) {
		c.Forms = append(c.Forms, renamed("git", rest))
	}
	f.gitOptions(c, rest)
	switch rest[0].Text {
	case "submodule", "submodule--helper":
		if at := index(rest, "foreach"); at > 0 {
			f.gitScript(c, withoutFlags(rest[at+1:]))
		}
	case "bisect":
		if len(rest) > 2 {
			for _, words := range bisected(rest[1].Text, rest[2:]) {
				f.inside(c, Command{Words: words}, nil)
			}
		}
	case "merge-index":
		if words := withoutFlags(rest[1:]); len(words) > 0 {
			f.inside(c, Command{Words: []Word{words[0], hole()}}, nil)
		}
	case "config":
		if changesSetting(rest[1:]) {
			c.Opaque = gitSetting
		}
	case "filter-branch", "difftool", "mergetool", "for-each-repo", "instaweb", "web--browse", "shell", "remote-ext":
		c.Opaque = "which commands it runs is only known when it runs"
	}
}

// bisected returns what git bisect runs: a command, or, to view, a program of git or a subcommand.
func bisected(action string, words []Word) [][]Word {
	switch action {
	case "run":
		return [][]Word{words}
	case "visualize", "view":
		return [][]Word{words, renamed("git", words)}
	}
	return nil
}

// gitSetting is why it is not known what git runs.
const gitSetting = "it changes a setting of git, which can run a command"

// gitSubcommand returns what follows git's options, and why that is not all that runs.
func gitSubcommand(words []Word) (rest []Word, why string) {
	for i := 0; i < len(words); i++ {
		text := words[i].Text
		switch {
		case words[i].Splits:
			return words[i:], "its arguments are only known when it runs"
		case text == "-c" || text == "--config-env":
			if i++; i < len(words) && !isHarmlessSetting(words[i].Text) {
				why = gitSetting
			}
		case strings.HasPrefix(text, "--config-env="), strings.HasPrefix(text, "--exec-path="):
			why = gitSetting
		case takesValue(text):
			i++
		case !strings.HasPrefix(text, "-"):
			return words[i:], why
		}
	}
	return nil, why
}

// takesValue reports whether the next word is the value of an option of git.
func takesValue(text string) bool {
	switch text {
	case "-C", "--shallow-file", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source":
		return true
	}
	return false
}

// isHarmlessSetting reports whether a setting of git names no command and no file.
func isHarmlessSetting(text string) bool {
	key, _, _ := strings.Cut(strings.ToLower(text), "=")
	switch section, _, _ := strings.Cut(key, "."); section {
	case "user", "color", "advice", "log":
		return Word{Text: key}.IsStatic()
	}
	switch key {
	case "core.quotepath", "core.autocrlf", "commit.gpgsign", "init.defaultbranch", "safe.directory":
		return true
	}
	return false
}

// changesSetting reports whether arguments of git config may change a setting that matters.
func changesSetting(words []Word) bool {
	for i, w := range words {
		switch text := w.Text; {
		case i > 0 && hasConfigValue(words[i-1].Text): // a file, and not a key
		case !w.IsStatic(), isPartOf(text, "--edit"), text == "-e", text == "edit", isPartOf(text, "--rename-section"),
			text == "rename-section":
			return true
		case strings.HasPrefix(text, "--get"), strings.HasPrefix(text, "--unset"), text == "--list", text == "-l",
			text == "get", text == "list", text == "unset":
			return false
		case !strings.HasPrefix(text, "-") && strings.Contains(text, "."):
			return !isHarmlessSetting(text)
		}
	}
	return false
}

// hasConfigValue reports whether the word behind an option of git config is its value.
func hasConfigValue(option string) bool {
	switch option {
	case "-f", "--file", "--blob", "--type", "-t", "--default", "--comment", "--value", "--url":
		return true
	}
	return false
}

func index(words []Word, text string) int {
	return slices.IndexFunc(words, func(w Word) bool { return w.Text == text })
}

func withoutFlags(words []Word) []Word {
	for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
		words = words[1:]
	}
	return words
}

// gitScript examines a command line that git passes to a shell, or a command with its
// arguments.
func (f *finder) gitScript(c *Command, words []Word) {
	switch len(words) {
	case 0:
	case 1:
		f.script(c, words[0])
	default:
		f.inside(c, Command{Words: words}, nil)
	}
}
