package trace

import (
	"path"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/merge"
	"github.com/tidwall/gjson"
)

// parameterNames are the members of a request that are known by name.
const parameterNames = "model messages tools stream stream_options temperature max_tokens top_p stop tool_choice " +
	"parallel_tool_calls frequency_penalty presence_penalty seed response_format reasoning reasoning.effort " +
	"reasoning.max_tokens reasoning.exclude reasoning.enabled"

type vocabulary struct{ *facts }

func (v vocabulary) subjects(name string) []Subject {
	name = strings.Join(strings.Fields(name), " ")
	kind, rest, _ := strings.Cut(name, " ")
	if list := v.known(name); len(list) > 0 || rest == "" {
		return list
	}
	meant := map[string]Kind{"plugin": KindPlugin, "tool": KindTool, "hook": KindPoint, "point": KindPoint,
		"request": KindRequest, "parameter": KindRequest, "context": KindContext}[kind]
	return slices.DeleteFunc(v.known(rest), func(k Subject) bool { return k.Kind != meant })
}

func (v vocabulary) known(name string) (list []Subject) {
	add := func(kind Kind, names ...string) {
		for _, n := range names {
			if one := (Subject{kind, n}); !slices.Contains(list, one) {
				list = append(list, one)
			}
		}
	}
	for _, p := range v.plugins() {
		if p == name || shortName(p) == name {
			add(KindPlugin, p)
		}
	}
	if slices.Contains(v.tools(), name) {
		add(KindTool, name)
		add(KindPlugin, v.pluginsWith(name)...)
	}
	add(KindPoint, v.points(name)...)
	switch strings.ToLower(name) {
	case "prompt", "the prompt":
		add(KindPrompt, "")
	case "system prompt", "the system prompt", "system_prompt", "system-prompt", "system":
		add(KindSystemPrompt, "")
	case "context", "conversation":
		add(KindContext, v.turn.Context)
	}
	if slices.Contains(v.contexts(), name) {
		add(KindContext, name)
	}
	for _, at := range pointers(name) {
		if v.isPlace(at) {
			add(KindRequest, at)
			break
		}
	}
	return list
}

func shortName(name string) string {
	name = strings.TrimPrefix(name[strings.LastIndexByte(name, ':')+1:], "./")
	return strings.TrimSuffix(name, path.Ext(name))
}

func (v vocabulary) near(name string) (list []string) {
	all := slices.Concat(v.plugins(), v.tools(), v.contexts(), []string{"prompt", "system prompt"}, hookpoints.Names(),
		v.places())
	for _, prefix := range []string{"api.", "request_body."} {
		name = strings.TrimPrefix(name, prefix)
	}
	if one := strictjson.Nearest(name, all); one != "" && strictjson.Distance(name, one) <= max(2, len(name)/3) {
		list = append(list, one)
	}
	for _, one := range all {
		if len(list) < maxNear && len(name) > 2 && strings.Contains(one, name) && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

const maxNear = 5

func (v vocabulary) plugins() (names []string) {
	for _, p := range v.loaded.Plugins {
		names = addName(names, p.Name)
	}
	for _, f := range v.firings {
		for _, l := range f.lines {
			names = addName(names, l.Plugin)
		}
	}
	return names
}

func (v vocabulary) tools() (names []string) {
	names = addName(names, v.loaded.Tools...)
	for _, r := range v.requests {
		names = addName(addName(names, r.Tools...), r.Sent...)
	}
	for _, c := range v.calls {
		names = addName(names, c.Tool)
	}
	return names
}

// points returns the hook points of a name: the name of a point, or of an event in another protocol.
func (v vocabulary) points(name string) (list []string) {
	if info, ok := hookpoints.Find(hookpoints.Name(name)); ok {
		return []string{string(info.Name)}
	}
	for _, f := range v.firings {
		for _, l := range f.lines {
			if l.Event == name || string(f.point) == name {
				list = addName(list, string(f.point))
			}
		}
	}
	for _, p := range v.loaded.Plugins {
		for _, point := range p.Points {
			if p.Events[point] == name {
				list = addName(list, string(point))
			}
		}
	}
	return list
}

func (v vocabulary) contexts() []string {
	names := []string{v.turn.Context}
	for _, f := range v.list {
		for _, about := range f.about {
			if about.Kind == KindContext {
				names = addName(names, about.Name)
			}
		}
	}
	return names
}

func (v vocabulary) isPlace(at string) bool {
	if slices.Contains(strings.Fields(parameterNames), dotted(at)) || strings.HasPrefix(at, "/messages/") ||
		strings.HasPrefix(at, "/tools/") {
		return true
	}
	for _, r := range v.requests {
		if at != "/" && (merge.At(r.Before, at) != nil || merge.At(r.After, at) != nil || len(r.setters(at)) > 0) {
			return true
		}
	}
	return false
}

func (v vocabulary) places() []string {
	names := strings.Fields(parameterNames)
	for _, r := range v.requests {
		for _, doc := range [][]byte{r.Before, r.After} {
			gjson.ParseBytes(doc).ForEach(func(key, _ gjson.Result) bool {
				names = addName(names, key.String())
				return true
			})
		}
	}
	return names
}
