package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
	"github.com/tidwall/gjson"
)

func (all *facts) addRequests() {
	tools := all.merged(all.offering(), func(r *request) []fact {
		return slices.Concat(r.missing(), r.uselessFilters(), r.toolChanges())
	})
	messages := all.merged(all.requests, (*request).messageChanges)
	places := all.merged(all.requests, func(r *request) (list []fact) {
		places := r.changedPlaces()
		for i, at := range places {
			if i == maxPlaces {
				return append(list, fact{text: fmt.Sprintf("%d more places in the request were changed.", len(places)-i),
					about: []Subject{pointOf(hookpoints.PreAPIRequest.Name)}})
			}
			text, by := r.place(at)
			list = append(list, fact{text: text, about: with(pluginsOf(by), pointOf(hookpoints.PreAPIRequest.Name))})
		}
		return list
	})
	all.list = slices.Concat(all.list, tools, messages, places)
}

const maxPlaces = 100

func (s *arranged) offering() (list []*request) {
	for _, r := range s.requests {
		if len(r.Tools) > 0 || r.For == "" {
			list = append(list, r)
		}
	}
	return list
}

// merged returns the facts of several requests. Those that are not true of all
// requests say of which.
func (s *arranged) merged(requests []*request, of func(*request) []fact) (list []fact) {
	in := map[string][]*request{}
	for _, r := range requests {
		for _, f := range of(r) {
			if in[f.text] == nil {
				list = append(list, f)
			}
			if !slices.Contains(in[f.text], r) {
				in[f.text] = append(in[f.text], r)
			}
		}
	}
	for i, f := range list {
		if len(in[f.text]) < len(requests) {
			list[i].text = s.nameOf(in[f.text]) + ": " + uncapitalized(f.text)
		}
	}
	return list
}

// uncapitalized returns a sentence for use in the middle of another one.
func uncapitalized(text string) string {
	if first, _, _ := strings.Cut(text, " "); first == "The" || first == "Plugin" {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

// nameOf names requests by their numbers among the requests of the conversation, or by
// their purpose.
func (s *arranged) nameOf(requests []*request) string {
	var numbers, others []string
	count := 0
	for _, r := range s.requests {
		if r.For == "" {
			count++
		}
		switch {
		case !slices.Contains(requests, r):
		case r.For == "":
			numbers = append(numbers, fmt.Sprint(count))
		default:
			others = addName(others, "the request for the "+r.For)
		}
	}
	switch {
	case len(numbers) == 0:
	case len(numbers) == count && count > 1:
		others = slices.Insert(others, 0, "all requests of the conversation")
	case count == 1:
		others = slices.Insert(others, 0, "the request of the conversation")
	case len(numbers) == 1:
		others = slices.Insert(others, 0, fmt.Sprintf("request %s of %d", numbers[0], count))
	default:
		others = slices.Insert(others, 0, fmt.Sprintf("requests %s of %d", english.WordSeries(numbers, "and"), count))
	}
	return "In " + english.WordSeries(others, "and")
}

func (r *request) missing() (list []fact) {
	var reasons []string
	tools, filters := map[string][]string{}, map[string][]Line{}
	for _, tool := range r.Tools {
		if slices.Contains(r.Offered, tool) {
			continue
		}
		reason, by := r.leftOut(tool)
		filters[reason] = by
		reasons = addName(reasons, reason)
		tools[reason] = append(tools[reason], tool)
	}
	for _, reason := range reasons {
		about := pluginsOf(filters[reason])
		if len(about) > 0 {
			about = append(about, pointOf(hookpoints.PreAPITools.Name))
		}
		list = append(list, fact{text: notInRequest(tools[reason], reason), about: about})
	}
	return list
}

func notInRequest(tools []string, reason string) string {
	if len(tools) > 1 {
		return fmt.Sprintf("The tools %s are not in the request: %s.", strings.Join(tools, ", "), reason)
	}
	return fmt.Sprintf("The tool %s is not in the request: %s.", tools[0], reason)
}

// leftOut returns why a tool is not offered, and which plugins excluded it; "" if
// the tool is offered or does not exist.
func (r *request) leftOut(tool string) (reason string, filters []Line) {
	switch {
	case slices.Contains(r.Offered, tool) || !slices.Contains(r.Tools, tool):
		return "", nil
	case r.Unoffered[tool] != "":
		return r.Unoffered[tool], nil
	case !slices.Contains(r.Configured, tool): // an older trace, which does not say why
		return "tools.include or tools.exclude of the configuration exclude it, or the recipe does", nil
	}
	var by []string
	for _, l := range r.filter.did(plugin.Changed) {
		exclude, include := r.names(l, "exclude"), r.names(l, "include")
		switch {
		case l.Answer == nil:
			by = append(by, fmt.Sprintf("plugin %q filters, but its answer is not in the trace", l.Plugin))
		case slices.Contains(exclude, tool):
			by = append(by, fmt.Sprintf("plugin %q excludes it", l.Plugin))
		case include != nil && !slices.Contains(include, tool):
			by = append(by, fmt.Sprintf("plugin %q includes only %s", l.Plugin, orNone(include)))
		default:
			continue
		}
		filters = append(filters, l)
	}
	if len(by) == 0 {
		return "plugins excluded it, but their answers are not in the trace", nil
	}
	return strings.Join(by, ", and "), filters
}

// names returns a list of tools in an answer, by the names that they are listed under; nil if
// there is none.
func (r *request) names(l Line, field string) (list []string) {
	v := gjson.GetBytes(l.Answer, field)
	if !v.IsArray() {
		return nil
	}
	list = []string{}
	for _, name := range v.Array() {
		list = append(list, name.String())
	}
	return merge.Listed(list, r.Tools)
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

func (r *request) uselessFilters() (list []fact) {
	for _, l := range r.filter.did(plugin.Changed) {
		exclude, include := r.names(l, "exclude"), r.names(l, "include")
		isUseful := slices.ContainsFunc(r.Configured, func(tool string) bool {
			return slices.Contains(exclude, tool) || include != nil && !slices.Contains(include, tool)
		})
		if l.Answer != nil && !isUseful {
			list = append(list, fact{quiet: true, about: []Subject{{KindPlugin, l.Plugin},
				pointOf(hookpoints.PreAPITools.Name)},
				text: fmt.Sprintf("The answer of plugin %q at %s excluded no tool.", l.Plugin, l.where())})
		}
	}
	return list
}

func (r *request) toolChanges() (list []fact) {
	for _, l := range r.setters("/tools") {
		about := []Subject{{KindPlugin, l.Plugin}, pointOf(hookpoints.PreAPIRequest.Name),
			{KindRequest, "/tools"}}
		list = append(list, fact{about: about, text: fmt.Sprintf("Plugin %q changed the tools of the request at %s; "+
			"now they are %s.", l.Plugin, l.where(), orNone(r.sentTools()))})
	}
	return list
}

func (r *request) sentTools() []string {
	if r.Sent != nil {
		return r.Sent
	}
	return r.Offered
}

func (r *request) messageChanges() (list []fact) {
	for _, l := range r.setters("/messages") {
		about := []Subject{{KindPlugin, l.Plugin}, pointOf(hookpoints.PreAPIRequest.Name),
			{KindRequest, "/messages"}}
		text := "the trace does not say which ones"
		if l.Messages != nil {
			text = messageNames(l.Messages)
		}
		of := func(is func(MessageChange) bool) bool {
			return l.Messages == nil || slices.ContainsFunc(l.Messages, is)
		}
		if of(func(m MessageChange) bool { return m.Latest }) {
			about = append(about, Subject{Kind: KindPrompt})
		}
		if of(func(m MessageChange) bool { return m.Role == "system" }) {
			about = append(about, Subject{Kind: KindSystemPrompt})
		}
		list = append(list, fact{about: about, text: fmt.Sprintf("Plugin %q changed messages of the request: %s.", l.Plugin,
			text)})
	}
	return list
}

func messageNames(changes []MessageChange) string {
	var words []string
	for _, m := range changes {
		name := fmt.Sprintf("message %d (%s)", m.Index+1, m.Role)
		switch {
		case m.Role == "system" && m.Index == 0:
			name = "the system prompt"
		case m.Latest:
			name = "the latest prompt"
		}
		words = append(words, name+" was "+m.How)
	}
	if len(words) == maxMessages {
		words = append(words, "perhaps more")
	}
	return strings.Join(words, ", ")
}

func (r *request) setters(at string) (lines []Line) {
	if r.patch == nil {
		return nil
	}
	for _, l := range r.patch.lines {
		if l.changes(at) {
			lines = append(lines, l)
		}
	}
	return lines
}

// changedPlaces returns the places other than messages and tools that plugins
// changed, even if another plugin changed them back.
func (r *request) changedPlaces() (list []string) {
	for _, d := range merge.Diff(r.Before, r.After) {
		list = append(list, d.Path)
	}
	for _, l := range r.setters("") {
		for _, path := range l.Changed {
			at, ok := strings.CutPrefix(path, "/request_body")
			isKnown := slices.ContainsFunc(list, func(known string) bool { return overlap(known, at) })
			if ok && at != "" && !isKnown && !overlap(at, "/messages") && !overlap(at, "/tools") {
				list = append(list, at)
			}
		}
	}
	slices.Sort(list)
	return list
}
