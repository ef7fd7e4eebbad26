package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/dustin/go-humanize/english"
	"github.com/tidwall/gjson"
)

func (e explanation) aboutText(subject Subject, is string, points ...hookpoints.Name) []string {
	for _, point := range points {
		if slices.ContainsFunc(e.at(point), (*firing).hadEffect) {
			return e.sentences(subject)
		}
	}
	if subject.Kind == KindSystemPrompt && len(e.requests) == 0 {
		return append([]string{e.noRequest()}, e.sentences(subject)...)
	}
	return append([]string{fmt.Sprintf("%s unchanged: no plugin changed it; %s.", is, e.askedAt(points...))},
		e.sentences(subject)...)
}

func (e explanation) noRequest() string {
	if e.turn.Bridged {
		return fmt.Sprintf("The requests of %s are its own: they are not in the trace.", e.turn.Context)
	}
	return "No request was sent in this turn."
}

func (e explanation) aboutContext(subject Subject) (texts []string) {
	known := e.sentences(subject)
	if subject.Name != e.turn.Context {
		return append([]string{fmt.Sprintf("This turn was in context %q.", e.turn.Context)}, known...)
	}
	texts = []string{fmt.Sprintf("This turn was in context %q.", subject.Name)}
	isTouched := slices.ContainsFunc(e.turn.Lines, func(l Line) bool {
		change, contexts := changeOf(l.Step)
		return change != "" && change != agent.ContextSwitched && slices.Contains(contexts, subject.Name)
	})
	points := []hookpoints.Name{hookpoints.PostTurn.Name, hookpoints.PreStop.Name}
	for _, point := range points {
		isTouched = isTouched || slices.ContainsFunc(e.at(point), (*firing).hadEffect)
	}
	if !isTouched {
		texts = append(texts, fmt.Sprintf("Its conversation is unchanged: no plugin replaced, cleared or compacted it; %s.",
			e.askedAt(points...)))
	}
	return append(texts, known...)
}

func (e explanation) aboutTool(subject Subject) (texts []string) {
	offering := e.offering()
	for _, f := range e.merged(offering, func(r *request) []fact { return []fact{{text: r.offers(subject.Name)}} }) {
		texts = append(texts, f.text)
	}
	if len(offering) == 0 {
		texts = append(texts, e.noRequest())
	}
	if with := e.pluginsWith(subject.Name); len(with) > 0 && !slices.Contains(with, subject.Name) {
		texts = append(texts, fmt.Sprintf("The tool %s is provided by plugin %q.", subject.Name, with[0]))
	}
	texts = append(texts, e.sentences(subject)...)
	if !slices.ContainsFunc(e.calls, func(c *call) bool { return c.Tool == subject.Name }) {
		texts = append(texts, fmt.Sprintf("The model did not call %s.", subject.Name))
	}
	return texts
}

func (r *request) offers(tool string) string {
	isOffered, isSent := slices.Contains(r.Offered, tool), slices.Contains(r.sentTools(), tool)
	switch {
	case isOffered && isSent:
		return fmt.Sprintf("The tool %s is in the request, unchanged: no plugin excluded it; %s.", tool,
			asked(hookpoints.PreAPITools.Name, r.filter))
	case isOffered:
		return notInRequest([]string{tool}, r.removedBy(tool))
	case isSent:
		return fmt.Sprintf("The tool %s is in the request: put there at pre_api_request by %s.", tool,
			inOrder(r.setters("/tools")))
	case !slices.Contains(r.Tools, tool):
		return fmt.Sprintf("The tool %s is not in the request: there is no such tool.", tool)
	}
	reason, _ := r.leftOut(tool)
	return notInRequest([]string{tool}, reason)
}

func (r *request) removedBy(tool string) string {
	setters := r.setters("/tools")
	for _, l := range setters {
		left := gjson.GetBytes(l.Answer, "request_body.tools.#.function.name").Array()
		if l.Answer != nil && !slices.ContainsFunc(left, func(v gjson.Result) bool { return v.String() == tool }) {
			return fmt.Sprintf("plugin %q removed it at %s", l.Plugin, l.where())
		}
	}
	if len(setters) == 0 {
		return "the trace does not say which plugin removed it"
	}
	return "removed at pre_api_request by " + inOrder(setters)
}

func (e explanation) aboutPlace(subject Subject) (texts []string) {
	if len(e.requests) == 0 {
		return append([]string{e.noRequest()}, e.sentences(subject)...)
	}
	top, _, _ := strings.Cut(subject.Name[1:], "/")
	values := e.merged(e.requests, func(r *request) (list []fact) {
		if top != "messages" && top != "tools" {
			text, _ := r.place(subject.Name)
			list = append(list, fact{text: text})
		} else if len(r.setters("/"+top)) == 0 {
			list = append(list, fact{text: fmt.Sprintf("The %s of the request are unchanged: no plugin changed them at "+
				"pre_api_request; %s.", top, asked(hookpoints.PreAPIRequest.Name, r.patch))})
		}
		for _, text := range r.alreadyThere(subject.Name) {
			list = append(list, fact{text: text})
		}
		return list
	})
	for _, f := range values {
		texts = append(texts, f.text)
	}
	if top == "tools" {
		for _, f := range e.merged(e.offering(), (*request).missing) {
			texts = append(texts, f.text)
		}
	}
	return addName(texts, e.sentences(subject)...)
}

func (e explanation) silent(point hookpoints.Name) string {
	var names []string
	for _, p := range e.loaded.Plugins {
		if slices.Contains(p.Points, point) {
			names = append(names, strconv.Quote(p.Name))
		}
	}
	switch {
	case len(names) > 0:
		return fmt.Sprintf("%s did not happen in this turn; plugins with a hook there: %s.", point, strings.Join(names, ", "))
	case e.loaded.Plugins != nil:
		return fmt.Sprintf("chibi asked no plugin at %s: none has a hook there.", point)
	}
	return fmt.Sprintf("chibi asked no plugin at %s.", point)
}

func (e explanation) askedAt(points ...hookpoints.Name) string {
	const place = "\x00" // of the points
	at := map[string][]string{}
	var texts []string
	for _, point := range points {
		text := asked(place, e.at(point)...)
		texts = addName(texts, text)
		at[text] = append(at[text], string(point))
	}
	for i, text := range texts {
		where := english.WordSeries(at[text], "and")
		if strings.HasPrefix(text, "chibi asked no ") {
			where = strings.Join(at[text], " or ")
		}
		texts[i] = strings.Replace(text, place, where, 1)
	}
	return strings.Join(texts, "; ")
}
