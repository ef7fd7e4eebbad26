package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
)

// Answer has sentences about what happened to a subject in a turn.
type Answer struct {
	Subject
	Sentences []string `json:"sentences"`
}

// Explain returns sentences about what plugins and the configuration changed,
// blocked and left out in the turn, and what failed.
func (t Turn) Explain() (sentences []string) {
	for _, f := range factsOf(t).list {
		if !f.quiet {
			sentences = addName(sentences, f.text)
		}
	}
	if len(sentences) == 0 {
		return []string{"No plugin changed or blocked anything in this turn."}
	}
	return sentences
}

// ExplainAbout returns what happened to everything that a name can mean: a plugin,
// a tool, a hook point, a place in the request, the prompt, the system prompt, a
// context. If it means nothing in the turn there are no answers, and near has
// similar names.
func (t Turn) ExplainAbout(name string) (answers []Answer, near []string) {
	all := factsOf(t)
	known := vocabulary{all}
	for _, subject := range known.subjects(name) {
		answers = append(answers, Answer{subject, explanation{all}.about(subject)})
	}
	if len(answers) == 0 {
		near = known.near(name)
	}
	return answers, near
}

// Names returns names for which [Turn.ExplainAbout] has answers.
func (t Turn) Names() []string {
	v := vocabulary{factsOf(t)}
	names := slices.Concat(v.plugins(), v.tools(), v.contexts(), v.places(), hookpoints.Names(),
		[]string{"prompt", "system_prompt", "context"})
	slices.Sort(names)
	return slices.Compact(names)
}

type explanation struct{ *facts }

func (e explanation) about(subject Subject) []string {
	switch subject.Kind {
	case KindPlugin:
		return e.aboutPlugin(subject)
	case KindTool:
		return e.aboutTool(subject)
	case KindPoint:
		return e.aboutPoint(subject)
	case KindRequest:
		return e.aboutPlace(subject)
	case KindPrompt:
		return e.aboutText(subject, "The prompt is", hookpoints.PreMessage.Name)
	case KindSystemPrompt:
		return e.aboutText(subject, "The system prompt is", hookpoints.PreSystemPrompt.Name,
			hookpoints.PostSystemPrompt.Name)
	case KindContext:
		return e.aboutContext(subject)
	}
	return nil
}

func (e explanation) aboutPlugin(subject Subject) []string {
	texts := e.sentences(subject)
	var idle []string
	for _, point := range e.pointsOf(subject.Name) {
		count, isIdle := 0, true
		for _, f := range e.firings {
			for _, l := range f.lines {
				if f.point == point && l.Plugin == subject.Name {
					count++
					isIdle = isIdle && l.Result == plugin.NoOpinion
				}
			}
		}
		if isIdle {
			idle = append(idle, fmt.Sprintf("%s%s", point, times(count)))
		}
	}
	switch {
	case len(idle) > 0 && len(texts) == 0:
		return []string{fmt.Sprintf("Plugin %q changed nothing: chibi asked it at %s.", subject.Name,
			english.WordSeries(idle, "and"))}
	case len(idle) > 0:
		return append(texts, fmt.Sprintf("Plugin %q changed nothing at %s.", subject.Name, english.WordSeries(idle, "and")))
	case len(texts) == 0:
		return []string{e.notAsked(subject.Name)}
	}
	return texts
}

// times returns how often something happened, "" if only once.
func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", n)
}

func (e explanation) pointsOf(name string) (points []hookpoints.Name) {
	for _, f := range e.firings {
		for _, l := range f.lines {
			if l.Plugin == name && !slices.Contains(points, f.point) {
				points = append(points, f.point)
			}
		}
	}
	return points
}

func (e explanation) notAsked(name string) string {
	for _, p := range e.loaded.Plugins {
		if p.Name != name {
			continue
		}
		points := make([]string, len(p.Points))
		for i, point := range p.Points {
			points[i] = string(point)
		}
		switch {
		case p.Skipped != "":
			return fmt.Sprintf("Plugin %q was left out: %s.", name, strings.TrimSuffix(p.Skipped, "."))
		case len(points) > 0:
			return fmt.Sprintf("chibi did not ask plugin %q: it has hooks at %s, which did not happen in this turn.", name,
				english.WordSeries(points, "and"))
		case len(p.Tools) > 0:
			return fmt.Sprintf("chibi did not ask plugin %q: it has no hooks in this run, only tools: %s.", name,
				strings.Join(p.Tools, ", "))
		}
	}
	return fmt.Sprintf("chibi did not ask plugin %q: it has no hooks in this run.", name)
}

func (e explanation) aboutPoint(subject Subject) []string {
	texts := e.sentences(subject)
	name := hookpoints.Name(subject.Name)
	fired := e.at(name)
	info, _ := hookpoints.Find(name)
	switch {
	case len(fired) == 0:
		return append(texts, e.silent(name))
	case info.Mode == hookpoints.Observe:
		return append(texts, fmt.Sprintf("At %s plugins only observe, nothing can be changed there; %s%s.", name,
			asked(name, fired...), times(len(fired))))
	case !slices.ContainsFunc(fired, (*firing).hadEffect):
		return append(texts, fmt.Sprintf("No plugin changed or blocked anything at %s; %s%s.", name, asked(name, fired...),
			times(len(fired))))
	}
	return append(texts, asked(name, fired...)+times(len(fired))+".")
}
