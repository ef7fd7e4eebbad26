package theirs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/foreign"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/tools"
	"github.com/dustin/go-humanize/english"
)

// UnusedSettings is a settings file of an agent whose hooks the configuration does not turn on.
type UnusedSettings struct {
	// Agent and Title are the agent's names for configuration and for people.
	Agent, Title string
	// Path is the file, Hooks is how many hooks it has.
	Path  string
	Hooks int
	// Key is the key of the configuration that turns them on, such as "foreign.claude.user".
	Key string
}

// String names the hooks and the key that turns them on.
func (u UnusedSettings) String() string {
	table, key := u.Key[:strings.LastIndexByte(u.Key, '.')], u.Key[strings.LastIndexByte(u.Key, '.')+1:]
	return fmt.Sprintf("%s of %s in %s %s not used in chibi; [%s] %s = true turns %s on",
		english.Plural(u.Hooks, "hook", ""), u.Title, term.Name(u.Path), english.PluralWord(u.Hooks, "is", "are"), table, key,
		english.PluralWord(u.Hooks, "it", "them"))
}

// Unused looks for hooks of agents that are not turned on.
func Unused(o Options) (list []UnusedSettings) {
	if o.Off {
		return nil
	}
	for _, d := range agents.All() {
		set, own := o.Agents[d.Name], lookerOf(o).Own(d)
		unused := func(candidates []foreign.Candidate, key string) {
			files, _ := foreign.ReadAll(d, candidates)
			for _, f := range files {
				if count := f.Count(); count > 0 {
					list = append(list, UnusedSettings{d.Name, d.Title, f.Path, count, "foreign." + d.Name + "." + key})
				}
			}
		}
		if !set.User {
			unused(own, "user")
		}
		if !set.Project && !o.Project.Own {
			unused(FilesOf(o.Project).Candidates(d), "project")
		}
	}
	return list
}

// Finding is something about a hook of an agent that is probably a mistake.
type Finding struct{ Name, Text, Fix string }

// Check looks for mistakes in the hooks of agents that are turned on. set has the tools that chibi offers to the
// model.
func Check(o Options, set *tools.Set) (found []Finding) {
	for _, a := range loadAgents(o) {
		found = append(found, a.unused()...)
		for _, h := range a.ready {
			found = append(found, checkHook(a, h, set)...)
		}
	}
	return found
}

// unused finds the hooks that do not run here. Hooks of one file with the same reason are one finding.
func (a *loader) unused() (found []Finding) {
	type cause struct{ path, reason string }
	of := map[cause][]plugin.SkippedPlugin{}
	var order []cause
	for _, skipped := range a.Skipped {
		if !isUnused(skipped) {
			continue
		}
		c := cause{skipped.Origin.Path, skipped.Reason}
		if of[c] == nil {
			order = append(order, c)
		}
		of[c] = append(of[c], skipped)
	}
	for _, c := range order {
		first, text, it := of[c][0], "does not run here: "+c.reason, "it"
		if more := len(of[c]) - 1; more > 0 {
			text, it = fmt.Sprintf("%s; nor do %d more of that file", text, more), "them"
		}
		found = append(found, Finding{first.Name, text, fmt.Sprintf("remove %s from %s if %s does not need %s either", it,
			place(c.path, first.Origin.Line), a.dialect.Title, it)})
	}
	return found
}

// checkHook looks for mistakes in one hook.
func checkHook(a *loader, h hook, set *tools.Set) (found []Finding) {
	where := place(h.file.Path, h.Line)
	if why := scriptProblem(a, h); why != "" {
		found = append(found, Finding{h.name, why, "correct " + where})
	}
	if a.dialect.Shape.Unit == time.Millisecond && h.Kind == engine.CommandHandler && h.Timeout > 0 &&
		h.Timeout < time.Second {
		found = append(found, Finding{h.name, fmt.Sprintf("its timeout of %d counts milliseconds in %s; are seconds "+
			"meant?", h.Timeout.Milliseconds(), a.dialect.Title), "correct " + where})
	}
	event, _ := a.dialect.Event(h.Event)
	if event.Matches == engine.ToolName && h.Matcher != "" && !matchesAny(a.dialect, event, h, set) {
		found = append(found, Finding{h.name, fmt.Sprintf("its matcher %q matches none of the tools that chibi offers",
			clipped(h.Matcher)), "see their names: chibi tool list; [tools] coding = true in config.toml offers tools for " +
			"files and commands"})
	}
	return found
}

// scriptProblem says that the script that a hook starts is missing or not executable.
func scriptProblem(a *loader, h hook) string {
	path, isProgram := foreign.Script(*h.Handler, a.rootOf(h.file), a.dirOf(h))
	if path == "" {
		return ""
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Sprintf("there is no %s, which its command names", term.Name(path))
	case isProgram && info.Mode()&0o111 == 0 && filepath.Ext(path) != ".exe":
		return fmt.Sprintf("%s is not executable; run chmod +x %s", term.Name(path), term.ShellWord(path))
	}
	return ""
}

// matchesAny reports whether a hook matches any of the tools.
func matchesAny(d engine.Dialect, e engine.Event, h hook, set *tools.Set) bool {
	matches, err := d.Matches(e, h.Matcher)
	if err != nil {
		return true // loading the hook reports that
	}
	return slices.ContainsFunc(set.Specs(), func(spec tools.Spec) bool {
		m := engine.Moment{Kind: e.Kind, Values: map[engine.Value]json.RawMessage{
			engine.ToolName: strictjson.Quote(spec.Name), engine.ToolCategory: strictjson.Quote(string(spec.Category)),
			engine.ToolSubject: strictjson.Quote(spec.Subject), engine.ToolInput: json.RawMessage("{}"),
		}}
		return matches(d.Matched(e, m))
	})
}
