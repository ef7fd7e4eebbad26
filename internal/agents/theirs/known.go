package theirs

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/jsonfile"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
)

// KnownName is the name of the list, in a home, of the hooks that the configuration has settings for.
const KnownName = "agent-hooks.json"

// maxKnown bounds the list. The oldest hooks of projects leave it first, then the person's oldest.
const maxKnown = 1000

// known are the hooks that have settings, as they were when the person made the settings. A different hook can have
// the name later.
type known struct {
	Hooks []knownHook `json:"hooks"`
}

// knownHook is one of them.
type knownHook struct {
	// Name is its name in the configuration, which has the event in it.
	Name string `json:"name"`
	// Project is the directory of the project that the hook came with, "" for the person's own.
	Project string `json:"project,omitempty"`
	// Hash is the hash of its description with its variables. Does is the beginning of the description without
	// them.
	Hash string `json:"sha256"`
	Does string `json:"does"`
	// Since is when chibi first saw it with a setting.
	Since time.Time `json:"since"`
}

// fingerprint returns a hook as the list keeps it.
func (a *loader) fingerprint(h hook) knownHook {
	k := knownHook{Name: h.name, Hash: fmt.Sprintf("%x", sha256.Sum256([]byte(foreign.Describe(*h.Handler)))),
		Does:  term.Clip(term.Line(foreign.When(*h.Handler)), 200),
		Since: time.Now().UTC().Truncate(time.Second)}
	if h.file.isProject {
		k.Project = a.Project.Dir
	}
	return k
}

// recognise compares the hooks that have settings with the list, and adds those that it sees with settings for the
// first time.
func (a *loader) recognise(list []hook) []hook {
	if !slices.ContainsFunc(list, func(h hook) bool { return h.isSet }) {
		return list
	}
	all, err := jsonfile.Read[known](knownIn(a.Home))
	var first []knownHook
	for i, h := range list {
		if !h.isSet || h.file.untrusted != nil {
			continue
		}
		now := a.fingerprint(h)
		was, keep := all.under(h.name), "chibi plugin enable "+term.ShellWord(h.name)
		same := slices.IndexFunc(was, func(k knownHook) bool { return k.Hash == now.Hash })
		switch {
		case err != nil:
			list[i].other = fmt.Sprintf("chibi cannot read for which hook the settings of [plugins.%q] are: %v; %s "+
				"begins the list anew", h.name, err, keep)
		case len(was) == 0:
			first, list[i].known = append(first, now), now
		case same >= 0:
			list[i].known = was[same]
		default:
			list[i].known, list[i].other = was[0], fmt.Sprintf("the settings of [plugins.%q] are for a different hook "+
				"(%s); %s keeps them for this one", h.name, was[0].about(), keep)
		}
	}
	if err := remember(a.Home, first); err != nil {
		a.Notices = append(a.Notices, plugin.Notice{Plugin: a.dialect.Name,
			Text: "chibi cannot remember which hooks have settings: " + err.Error()})
	}
	return list
}

// under returns the hooks with a name, in any project: a hook of a different project can have the same name.
func (k known) under(name string) (found []knownHook) {
	for _, one := range k.Hooks {
		if one.Name == name {
			found = append(found, one)
		}
	}
	return found
}

// about describes a hook of the list.
func (k knownHook) about() string {
	if k.Project == "" {
		return k.Does
	}
	return k.Does + ", of " + term.Name(k.Project)
}

// remember adds hooks to the list.
func remember(home string, hooks []knownHook) error {
	if len(hooks) == 0 {
		return nil
	}
	return jsonfile.Update(knownIn(home), func(all *known) error {
		all.Hooks = append(all.Hooks, hooks...)
		for len(all.Hooks) > maxKnown {
			oldest := max(0, slices.IndexFunc(all.Hooks, func(k knownHook) bool { return k.Project != "" }))
			all.Hooks = slices.Delete(all.Hooks, oldest, oldest+1)
		}
		return nil
	})
}

func knownIn(home string) jsonfile.File { return jsonfile.File{Path: filepath.Join(home, KnownName)} }

// Keep makes the settings under a name valid for the hook that has the name now. It does nothing if no agent's hook
// has it.
func Keep(o Options, name string) error {
	overrides := maps.Clone(o.Overrides())
	if overrides == nil {
		overrides = map[string]plugin.Override{}
	}
	if _, isSet := overrides[name]; !isSet {
		overrides[name] = plugin.Override{} // a hook has the name under which it has settings
	}
	o.Overrides = func() map[string]plugin.Override { return overrides }
	for _, a := range loadersOf(o) {
		for _, h := range a.list() {
			if h.name == name {
				return a.keep(a.fingerprint(h))
			}
		}
	}
	return nil
}

// keep puts a hook in the place of the hooks with its name from this project or the person's files. Hooks of other
// projects keep their settings.
func (a *loader) keep(now knownHook) error {
	return jsonfile.Update(knownIn(a.Home), func(all *known) error {
		all.Hooks = append(slices.DeleteFunc(all.Hooks, func(k knownHook) bool {
			return k.Name == now.Name && (k.Project == "" || k.Project == a.Project.Dir)
		}), now)
		return nil
	})
}

// aboutKnown says since when a hook has settings, and its fingerprint.
func (h hook) aboutKnown() string {
	if h.known.Hash == "" {
		return ""
	}
	return fmt.Sprintf("; has settings since %s (%.8s)", h.known.Since.Format("2006-01-02"), h.known.Hash)
}
