package theirs

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// named gives hooks the names under which the configuration has settings for them. A name that
// stays, such as claude:PreToolUse:guard.py, has the agent's name for the hook, or else its script. A name with a
// number changes when the person adds or moves hooks. Names of a project's hooks begin with ./
func (a *loader) named(list []hook) []hook {
	count := map[string]int{}
	for i, h := range list {
		_, list[i].isSet = a.override[h.name]
		stays := h.staying(a.dialect.Name)
		if stays == "" {
			continue
		}
		if count[stays]++; count[stays] > 1 {
			stays += fmt.Sprintf(":%d", count[stays])
		}
		list[i].stays = stays
		if _, isSet := a.override[stays]; isSet {
			list[i].name, list[i].isSet = stays, true
		}
	}
	return list
}

// Names returns the name that a hook has now, and the name for its settings: the name that stays, unless the
// configuration has settings under its number. Both are empty if no agent's hook has the name.
func Names(o Options, name string) (now, inSettings string) {
	for _, a := range loadersOf(o) {
		for _, h := range a.list() {
			switch {
			case h.name != name && h.stays != name:
			case h.isSet || h.stays == "":
				return h.name, h.name
			default:
				return h.name, h.stays
			}
		}
	}
	return "", ""
}

// staying returns the hook's name that stays, "" if it has none.
func (h hook) staying(agent string) string {
	name := cmp.Or(h.Name, script(h.Command))
	if _, err := strconv.Atoi(name); name == "" || err == nil {
		return "" // a different hook has the number
	}
	if h.file.isProject {
		name = "./" + name // so that it never takes the place of the person's hook
	}
	return agent + ":" + h.Event + ":" + name
}

// script returns the file that a command runs, without its directory: the first word with a directory, the first
// word behind an interpreter with an extension, or else the first word.
func script(command string) string {
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n\"'", r) })
	for i, word := range words {
		isSystems := strings.HasPrefix(word, "/bin/") || strings.HasPrefix(word, "/usr/bin/")
		if strings.Contains(word, "/") && !isSystems || i > 0 && path.Ext(word) != "" {
			return path.Base(word)
		}
	}
	if len(words) > 0 {
		return path.Base(words[0])
	}
	return ""
}

// aboutName says which name stays, for a hook that has settings under its number.
func (h hook) aboutName() string {
	if !h.isSet || h.stays == "" || h.stays == h.name {
		return ""
	}
	return fmt.Sprintf("; [plugins.%q] names it by its number, which changes with the hooks before it; %q stays", h.name,
		h.stays)
}
