package plugins

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/agents/theirs"
	"github.com/chibi-host/chibi/internal/app"
	"github.com/chibi-host/chibi/internal/term"
	"github.com/chibi-host/chibi/internal/workbench/check"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/native"
)

// listedPlugin describes one plugin. docs/JSON.md describes its members.
type listedPlugin struct {
	Name      string            `json:"name"`
	State     string            `json:"state"`
	Reason    string            `json:"reason,omitempty"`
	Untrusted bool              `json:"untrusted,omitempty"`
	Protocol  string            `json:"protocol"`
	File      string            `json:"file,omitempty"`
	Line      int               `json:"line,omitempty"`
	Order     int               `json:"order,omitempty"`
	OnFailure plugin.Failure    `json:"on_failure,omitempty"`
	Pure      bool              `json:"pure,omitempty"`
	Tools     []string          `json:"tools"`
	Hooks     []listedHook      `json:"hooks"`
	Guards    []hookpoints.Name `json:"guards"`
	Notes     []string          `json:"notes"`
}

// listedHook is a hook of a listed plugin. Event is what the plugin's protocol
// calls it, if that has a name of its own.
type listedHook struct {
	Point     hookpoints.Name `json:"point"`
	Event     string          `json:"event,omitempty"`
	OnFailure plugin.Failure  `json:"on_failure"`
	Async     bool            `json:"async,omitempty"`
}

// The states of a listed plugin.
const (
	stateLoaded  = "loaded"
	stateLeftOut = "left out"
	stateNotUsed = "not used"
)

// listAll lists the plugins, and the settings files of agents whose hooks are not turned on.
func listAll(s *app.Session) []listedPlugin {
	all := listOf(s.Loaded)
	for _, u := range theirs.Unused(app.HooksOf(s)) {
		one := emptyListed(u.Path, plugin.Origin{Protocol: u.Agent, Path: u.Path})
		one.State, one.Reason = stateNotUsed, u.String()
		all = append(all, one)
	}
	return all
}

// listOf lists the plugins. Those that were left out stand behind the others of their protocol;
// chibi's own are in the order of their names, whether they were loaded or not.
func listOf(loaded plugin.Loaded) []listedPlugin {
	of := map[string][]listedPlugin{}
	var protocols []string
	add := func(one listedPlugin) {
		if of[one.Protocol] == nil {
			protocols = append(protocols, one.Protocol)
		}
		of[one.Protocol] = append(of[one.Protocol], one)
	}
	for i := range loaded.Plugins {
		one := listedAsLoaded(&loaded.Plugins[i], loaded.Notices)
		one.Order = i + 1
		add(one)
	}
	for _, s := range loaded.Skipped {
		one := emptyListed(s.Name, s.Origin)
		one.State, one.Reason, one.Untrusted = stateLeftOut, s.Reason, s.Untrusted
		if s.Note != "" {
			one.Notes = append(one.Notes, s.Note)
		}
		add(one)
	}
	slices.SortStableFunc(of[native.Protocol], func(a, b listedPlugin) int { return strings.Compare(a.Name, b.Name) })
	if i := slices.Index(protocols, native.Protocol); i > 0 {
		protocols = slices.Insert(slices.Delete(protocols, i, i+1), 0, native.Protocol)
	}
	list := []listedPlugin{}
	for _, protocol := range protocols {
		list = append(list, of[protocol]...)
	}
	return list
}

// emptyListed describes a plugin of which nothing but its place is known.
func emptyListed(name string, origin plugin.Origin) listedPlugin {
	return listedPlugin{Name: name, Protocol: origin.Protocol, File: origin.Path, Line: origin.Line,
		Tools: []string{}, Hooks: []listedHook{}, Guards: []hookpoints.Name{}, Notes: []string{}}
}

func listedAsLoaded(p *plugin.Plugin, notices []plugin.Notice) listedPlugin {
	one := emptyListed(p.Name, p.Origin)
	one.State, one.OnFailure, one.Pure = stateLoaded, effective(p.OnFailure), p.Pure
	for _, t := range p.Tools {
		one.Tools = append(one.Tools, t.Spec().Name)
	}
	for _, name := range p.Hooks {
		one.Hooks = append(one.Hooks, listedHook{name, p.Events[name], effective(p.FailureAt(name)), p.AsyncAt(name)})
		if p.GuardsAt(name) {
			one.Guards = append(one.Guards, name)
		}
	}
	if p.Note != "" {
		one.Notes = append(one.Notes, p.Note)
	}
	if p.Resident {
		one.Notes = append(one.Notes, "resident: started once per session")
	}
	one.Notes = append(one.Notes, check.UnusableParameters(p)...)
	for _, n := range notices {
		if n.Plugin == p.Name {
			one.Notes = append(one.Notes, n.Text)
		}
	}
	return one
}

// effective is what a failure means where no setting says it.
func effective(f plugin.Failure) plugin.Failure { return cmp.Or(f, plugin.Ignore) }

func (p *listedPlugin) state() string {
	if p.State == stateLeftOut {
		return "left out: " + whyLeftOut(p.Reason, p.Untrusted)
	}
	if p.State == stateNotUsed {
		return "not used: " + p.Reason
	}
	text := "ok"
	if p.Pure {
		text += ", pure"
	}
	if p.OnFailure == plugin.Block {
		text += ", blocks when it fails"
	}
	return text
}

func (p *listedPlugin) hookText(h listedHook) string {
	text := string(h.Point)
	if h.Event != "" {
		text = fmt.Sprintf("%s (here %s)", h.Event, h.Point)
	}
	if slices.Contains(p.Guards, h.Point) {
		text += " (guard)"
	}
	if h.Async {
		text += " (chibi does not wait)"
	}
	switch {
	case h.OnFailure == p.OnFailure:
	case h.OnFailure == plugin.Block:
		text += " (blocks when it fails)"
	default:
		text += " (does not block when it fails)"
	}
	return text
}

func (p *listedPlugin) place() string {
	if p.Line == 0 {
		return term.Name(p.File)
	}
	return fmt.Sprintf("%s:%d", term.Name(p.File), p.Line)
}

func (p *listedPlugin) print(w io.Writer, loaded int) {
	fmt.Fprintf(w, "%s: %s\n", term.Name(p.Name), term.Line(p.state()))
	order := ""
	if p.Order > 0 {
		order = fmt.Sprintf("%d of %d", p.Order, loaded)
	}
	var hooks []string
	for _, h := range p.Hooks {
		hooks = append(hooks, p.hookText(h))
	}
	names := strings.Join(p.Tools, ", ")
	if names == "" && p.State == stateLoaded && p.Protocol == native.Protocol {
		names = "none, it only has hooks"
	}
	for _, f := range []struct{ name, value string }{{"from", p.Protocol}, {"file", p.place()}, {"order", order},
		{"tools", names}, {"hooks", strings.Join(hooks, ", ")}} {
		if f.value != "" {
			fmt.Fprintf(w, "  %-6s %s\n", f.name, f.value)
		}
	}
	for _, note := range p.Notes {
		fmt.Fprintf(w, "  %-6s %s\n", "note", term.Line(note))
	}
}
