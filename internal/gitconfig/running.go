package gitconfig

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// running lists the settings that make git, or one of the programs that come with it, run a
// program or take settings from another file, from git's documentation. A * stands for any
// subsection, or for any name.
func running() []string {
	return []string{
		"core.fsmonitor", "core.hookspath", "core.sshcommand", "core.pager", "core.editor", "core.askpass",
		"core.gitproxy", "core.attributesfile", "core.alternaterefscommand", "core.virtualfilesystem",
		"sequence.editor", "pager.*", "alias.*", "alias.*.command", "hook.*.command",
		"filter.*.clean", "filter.*.smudge", "filter.*.process",
		"diff.external", "diff.*.command", "diff.*.textconv", "merge.*.driver", "interactive.difffilter",
		"difftool.*.cmd", "difftool.*.path", "mergetool.*.cmd", "mergetool.*.path", "guitool.*.cmd",
		"credential.helper", "credential.*.helper", "include.path", "includeif.*.path", "init.templatedir",
		"gpg.program", "gpg.*.program", "gpg.*.defaultkeycommand", "gpg.*.allowedsignersfile",
		"gpg.*.revocationfile",
		"uploadpack.packobjectshook", "gc.recentobjectshook", "remote.*.uploadpack", "remote.*.receivepack",
		"remote.*.vcs", "url.*.insteadof", "url.*.pushinsteadof", "protocol.allow", "protocol.*.allow",
		"submodule.*.update", "trailer.*.cmd", "trailer.*.command", "tar.*.command", "imap.tunnel", "svn.authorsprog",
		"sendemail.tocmd", "sendemail.cccmd", "sendemail.headercmd", "sendemail.sendmailcmd", "sendemail.smtpserver",
		"sendemail.*.tocmd", "sendemail.*.cccmd", "sendemail.*.headercmd", "sendemail.*.sendmailcmd",
		"sendemail.*.smtpserver",
		"man.*.cmd", "man.*.path", "browser.*.cmd", "browser.*.path", "web.browser", "help.browser", "instaweb.httpd",
		"instaweb.browser", "lfs.*.path", "lfs.*.clean", "lfs.*.smudge", "lfs.standalonetransferagent",
	}
}

// Runs reports whether a setting makes git run a program or take settings from another file.
func (s Setting) Runs() bool {
	section, rest, _ := strings.Cut(s.Name, ".")
	key := rest[strings.LastIndexByte(rest, '.')+1:]
	subsection := "."
	if key != rest {
		subsection = ".*."
	}
	list := running()
	if !slices.Contains(list, section+subsection+key) && (key != rest || !slices.Contains(list, section+".*")) {
		return false
	}
	switch section {
	case "alias":
		return aliasRuns(s.Value)
	case "submodule":
		return strings.HasPrefix(s.Value, "!")
	case "pager":
		return !isBool(s.Value)
	case "core":
		return key != "fsmonitor" || !isBool(s.Value) // git has a monitor of its own
	}
	return true
}

// isBool reports whether git takes a value for yes or no.
func isBool(value string) bool {
	_, err := strconv.Atoi(value)
	return err == nil || slices.Contains([]string{"", "true", "false", "yes", "no", "on", "off"}, strings.ToLower(value))
}

// aliasRuns reports whether an alias may run a program: as a line for a shell, as another command than those
// that people ordinarily give other names, or by what its arguments say.
func aliasRuns(value string) bool {
	words := strings.Fields(strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(value))
	if len(words) == 0 {
		return false
	}
	if !slices.Contains(ordinaryCommands(), words[0]) {
		return true
	}
	for _, word := range words[1:] {
		letters, isShort := strings.CutPrefix(word, "-")
		if long, _, _ := strings.Cut(letters, "="); isShort && strings.HasPrefix(letters, "-") {
			isBeginning := func(option string) bool { return strings.HasPrefix(option, long) } // git takes it for the option
			if len(long) > 1 && slices.ContainsFunc(runningOptions(), isBeginning) {
				return true
			}
			continue
		}
		switch words[0] {
		case "bisect", "submodule":
			if word == "run" || word == "foreach" {
				return true
			}
		case "rebase", "grep":
			if isShort && strings.Contains(letters, map[string]string{"rebase": "x", "grep": "O"}[words[0]]) {
				return true
			}
		}
	}
	return false
}

// runningOptions are the options of ordinary commands that run a program, or write a file anywhere.
func runningOptions() []string {
	return []string{"-exec", "-extcmd", "-upload-pack", "-receive-pack", "-open-files-in-pager", "-output"}
}

// ordinaryCommands are parts of git, which no alias can have the name of.
func ordinaryCommands() []string {
	return []string{"add", "am", "bisect", "blame", "branch", "cat-file", "checkout", "cherry", "cherry-pick", "clean",
		"commit", "count-objects", "describe", "diff", "diff-tree", "fetch", "for-each-ref", "fsck", "gc", "grep", "log",
		"ls-files", "ls-remote", "ls-tree", "merge", "merge-base", "mv", "name-rev", "notes", "pull", "push", "range-diff",
		"rebase", "reflog", "remote", "reset", "restore", "rev-list", "rev-parse", "revert", "rm", "shortlog", "show",
		"show-branch", "show-ref", "sparse-checkout", "stash", "status", "submodule", "switch", "symbolic-ref", "tag",
		"whatchanged", "worktree"}
}

// Running returns those settings of a list that make git run a program or take settings from
// another file.
func Running(list []Setting) (running []Setting) {
	for _, s := range list {
		if s.Runs() {
			running = append(running, s)
		}
	}
	return running
}

func byName(list []Setting) map[string][]Setting {
	groups := map[string][]Setting{}
	for _, s := range list {
		groups[s.Name] = append(groups[s.Name], s)
	}
	return groups
}

// Difference lists the names whose values differ between two lists of settings, sorted.
func Difference(a, b []Setting) (names []string) {
	before, after := byName(a), byName(b)
	for name, values := range before {
		if !sameValues(values, after[name]) {
			names = append(names, name)
		}
		delete(after, name)
	}
	return slices.Sorted(slices.Values(slices.AppendSeq(names, maps.Keys(after))))
}

func sameValues(a, b []Setting) bool {
	return slices.EqualFunc(a, b, func(a, b Setting) bool { return a.Value == b.Value })
}
