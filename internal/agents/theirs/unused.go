package theirs

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
)

// skip leaves a hook out.
func (a *loader) skip(h hook, why plugin.SkippedPlugin) {
	why.Name, why.Origin, why.Note = h.name, a.origin(h.file, h.Line), h.note()
	a.Skipped = append(a.Skipped, why)
}

// leftOut says why a hook does not run, as far as that does not depend on its matcher.
func (a *loader) leftOut(h hook, off switchedOff) plugin.SkippedPlugin {
	event, known := a.dialect.Event(h.Event)
	title := a.dialect.Title
	switch why := off.why(h); {
	case h.IsBridge():
		return plugin.SkippedPlugin{Reason: ofBridge + " for " + title + "; it does not run in chibi"}
	case why != "":
		return plugin.SkippedPlugin{Reason: why, Disabled: true}
	case a.override[h.name].Disabled && h.other == "":
		return plugin.SkippedPlugin{Disabled: true,
			Reason: fmt.Sprintf("disabled by enabled = false in [plugins.%q] of the configuration", h.name)}
	case !known:
		return plugin.SkippedPlugin{Reason: unknownEvent(a.dialect, h.Event)}
	case len(event.Points()) == 0:
		return plugin.SkippedPlugin{Reason: "chibi never fires " + event.Name}
	case h.Kind == "":
		return plugin.SkippedPlugin{Reason: fmt.Sprintf("%s has no handlers of type %q", title, clipped(h.Type))}
	case a.Ways.Lacks(h.Kind) != "":
		return plugin.SkippedPlugin{Reason: a.Ways.Lacks(h.Kind)}
	case h.Shell == "powershell" && runtime.GOOS != "windows":
		return plugin.SkippedPlugin{Reason: "it is for powershell, which runs on Windows only"}
	}
	return plugin.SkippedPlugin{}
}

// maxShown is how much of a name in a settings file messages show.
const maxShown = 60

func clipped(name string) string {
	if len(name) > maxShown {
		name = name[:maxShown] + "..."
	}
	return strings.ToValidUTF8(name, "?")
}

// reportUnused says in one line which hooks do not run here, although nobody turned them off.
func (a *loader) reportUnused() {
	count, reasons := 0, []string{}
	for _, s := range a.Skipped {
		if !isUnused(s) {
			continue
		}
		count++
		if !slices.Contains(reasons, s.Reason) {
			reasons = append(reasons, s.Reason)
		}
	}
	if count == 0 {
		return
	}
	const most = 4
	if more := len(reasons) - most; more > 0 {
		reasons = append(reasons[:most], fmt.Sprintf("%d reasons more", more))
	}
	misspelt := slices.ContainsFunc(a.hooks(), func(h hook) bool { return meant(a.dialect, h.Event) != "" })
	a.Notices = append(a.Notices, plugin.Notice{Plugin: a.dialect.Name, Once: !misspelt, Text: fmt.Sprintf(
		"%s of %s %s %s (%s); see chibi plugin list", english.Plural(count, "hook", ""), a.dialect.Title,
		english.PluralWord(count, "does", "do"), notHere, strings.Join(reasons, "; "))})
}

const notHere = "not run here"

// SaysUnused reports whether a notice says only that hooks do not run here, as [Check] does of each.
func SaysUnused(n plugin.Notice) bool { return strings.Contains(n.Text, notHere) }

// isUnused reports whether a hook does not run here although nobody turned it off and nothing
// is wrong with it.
func isUnused(s plugin.SkippedPlugin) bool {
	return !s.Reportable && !s.Disabled && !strings.HasPrefix(s.Reason, ofBridge)
}

// ofBridge begins the reason why chibi leaves out entries of chibi bridge.
const ofBridge = "chibi bridge wrote it"

// unknownEvent says that chibi knows no such event of the agent.
func unknownEvent(d engine.Dialect, name string) string {
	text := fmt.Sprintf("unknown event %q", clipped(name))
	if near := meant(d, name); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text
}

// meant returns the event whose name is nearest to a name that no event has, "" if none is near.
func meant(d engine.Dialect, name string) string {
	if _, known := d.Event(name); known {
		return ""
	}
	var known []string
	for _, e := range d.Events {
		known = append(known, e.Name)
	}
	return strictjson.Nearest(name, known)
}
