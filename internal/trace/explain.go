package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/merge"
	"github.com/chibi-host/chibi/plugin"
	"github.com/dustin/go-humanize/english"
	"github.com/tidwall/gjson"
)

// Explain says in sentences what plugins and the configuration did to a turn:
// why a tool was blocked, is missing from a request, or why a parameter has its
// value. about names a tool or a parameter; "" is all that is worth a word.
func (t Turn) Explain(about string) []string {
	e := explainer{about: about}
	for _, l := range t.Lines {
		switch {
		case l.Record != nil:
			e.recent = append(e.recent, *l.Record)
			e.trouble(*l.Record)
		case l.Step.Request != nil:
			e.request(*l.Step.Request)
			e.recent = nil
		case l.Step.Call != nil:
			e.call(*l.Step.Call)
			e.recent = nil
		case l.Step.Kind == agent.StepError:
			e.say("", "The prompt was not answered: "+l.Step.Text)
		}
	}
	return e.sentences
}

// explainer collects sentences; recent are the records since the last step that
// used them.
type explainer struct {
	about     string
	recent    []plugin.Record
	sentences []string
}

// say adds a sentence about something, once.
func (e *explainer) say(about, sentence string) {
	if (e.about == "" || e.about == about) && !slices.Contains(e.sentences, sentence) {
		e.sentences = append(e.sentences, sentence)
	}
}

// trouble tells of failures, ignored answers and what was changed in prompts.
func (e *explainer) trouble(r plugin.Record) {
	about := gjson.GetBytes(r.Payload, "tool_name").String()
	where := string(r.Point)
	if r.Event != "" {
		where = r.Event
	}
	switch {
	case r.Result == plugin.Failed:
		e.say(about, fmt.Sprintf("Plugin %q failed at %s: %s.", r.Plugin, where, r.Why))
	case r.Result == plugin.Ignored:
		e.say(about, fmt.Sprintf("What plugin %q answered at %s had no effect: %s.", r.Plugin, where,
			strings.Join(r.Notes, "; ")))
	case r.Result == plugin.Skipped:
		e.say(about, fmt.Sprintf("Plugin %q was not asked at %s: %s.", r.Plugin, where, r.Why))
	case r.Result == plugin.Changed && didWhat(r) != "":
		e.say(about, fmt.Sprintf("Plugin %q %s.", r.Plugin, didWhat(r)))
	case r.Result == plugin.Claimed:
		e.say(about, fmt.Sprintf("Plugin %q delivered a message itself.", r.Plugin))
	case r.Point == hookpoints.PreMessage.Name && r.Result == plugin.Blocked:
		e.say("", fmt.Sprintf("Plugin %q refused the prompt: %s.", r.Plugin, r.Why))
	case r.Point == hookpoints.PreMessage.Name && r.Result == plugin.Changed:
		e.say("", fmt.Sprintf("Plugin %q changed the prompt.", r.Plugin))
	case r.Point == hookpoints.PreToolOutput.Name && r.Result == plugin.Changed:
		e.say(about, fmt.Sprintf("Plugin %q changed the output of the tool %s.", r.Plugin, about))
	case r.Point == hookpoints.PreToolOutput.Name && r.Result == plugin.Blocked:
		e.say(about, fmt.Sprintf("Plugin %q withheld the output of the tool %s: %s.", r.Plugin, about, r.Why))
	}
}

// didWhat says what a plugin did at a point that adds to the conversation.
func didWhat(r plugin.Record) string {
	has := func(field string) bool { return gjson.GetBytes(r.Answer, field).Exists() }
	switch r.Point {
	case hookpoints.PreSystemPrompt.Name, hookpoints.PostSystemPrompt.Name:
		return "added to the system prompt"
	case hookpoints.PreCacheOutput.Name:
		return "summarized a large output of the tool " + gjson.GetBytes(r.Payload, "tool_name").String()
	case hookpoints.PostTurn.Name, hookpoints.PreStop.Name:
		switch {
		case has("messages"):
			return "replaced the conversation"
		case has("recipe"):
			return "had the recipe " + gjson.GetBytes(r.Answer, "recipe").String() + " run on the conversation"
		case has("follow_up_messages"):
			return fmt.Sprintf("continued the turn: %s", gjson.GetBytes(r.Answer, "follow_up_messages").Raw)
		}
	}
	return ""
}

// request tells which tools are missing, and why parameters have their values.
func (e *explainer) request(r agent.RequestStep) {
	e.missing(r)
	for _, d := range merge.Diff(r.Before, r.After) {
		name := strings.TrimPrefix(d.Path, "/")
		e.say(name, e.parameter(r, d.Path, name))
	}
	if e.about == "" || len(e.sentences) > 0 || slices.Contains(r.Tools, e.about) {
		return
	}
	after := gjson.GetBytes(r.After, strings.ReplaceAll(e.about, "/", "."))
	if after.Exists() || slices.Contains(strings.Fields(parameterNames), e.about) {
		e.say(e.about, fmt.Sprintf("%s is %s, as configured; no plugin changed it.", e.about, orMissing(after)))
	}
}

// parameterNames are those that a request may have and that are known by name.
const parameterNames = "model temperature max_tokens top_p stop tool_choice parallel_tool_calls frequency_penalty " +
	"presence_penalty seed response_format reasoning stream"

// missing tells which tools a request lacks, those with the same reason at once.
func (e *explainer) missing(r agent.RequestStep) {
	var reasons []string
	tools := map[string][]string{} // by reason
	for _, tool := range r.Tools {
		reason := ""
		switch {
		case slices.Contains(r.Offered, tool):
			if e.about == tool {
				e.say(tool, fmt.Sprintf("The tool %s is in the request.", tool))
			}
			continue
		case !slices.Contains(r.Configured, tool):
			reason = "tools.include or tools.exclude of the configuration leave it out, or the recipe does"
		default:
			reason = e.filteredBy(tool)
		}
		if e.about != "" && e.about != tool {
			continue
		}
		if tools[reason] == nil {
			reasons = append(reasons, reason)
		}
		tools[reason] = append(tools[reason], tool)
	}
	for _, reason := range reasons {
		text := fmt.Sprintf("The tool %s is not in the request: %s.", tools[reason][0], reason)
		if names := tools[reason]; len(names) > 1 {
			text = fmt.Sprintf("The tools %s are not in the request: %s.", strings.Join(names, ", "), reason)
		}
		e.say(e.about, text)
	}
}

// filteredBy names the plugins that left a tool out, in order.
func (e *explainer) filteredBy(tool string) string {
	var by []string
	for _, r := range e.recent {
		if r.Point != hookpoints.PreAPITools.Name {
			continue
		}
		names := func(field string) (list []string, given bool) {
			v := gjson.GetBytes(r.Answer, field)
			for _, name := range v.Array() {
				list = append(list, name.String())
			}
			return list, v.IsArray()
		}
		if list, given := names("exclude"); given && slices.Contains(list, tool) {
			by = append(by, fmt.Sprintf("plugin %q excludes it", r.Plugin))
		}
		if list, given := names("include"); given && !slices.Contains(list, tool) {
			by = append(by, fmt.Sprintf("plugin %q includes only %s", r.Plugin, orNone(list)))
		}
	}
	if len(by) == 0 {
		return "plugins left it out, and the trace does not hold what they answered"
	}
	return strings.Join(by, ", and ")
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

// parameter tells how a parameter got its value.
func (e *explainer) parameter(r agent.RequestStep, path, name string) string {
	var by []string
	for _, record := range e.recent {
		if record.Point != hookpoints.PreAPIRequest.Name || !slices.Contains(record.Changed, "/request_body"+path) {
			continue
		}
		set := gjson.GetBytes(record.Answer, "request_body."+strings.ReplaceAll(name, "/", "."))
		by = append(by, fmt.Sprintf("plugin %q set it to %s", record.Plugin, orMissing(set)))
	}
	value := func(doc []byte) string { return orMissing(gjson.GetBytes(doc, strings.ReplaceAll(name, "/", "."))) }
	return fmt.Sprintf("%s is %s instead of %s: %s.", name, value(r.After), value(r.Before), strings.Join(by, ", then "))
}

func orMissing(v gjson.Result) string {
	if !v.Exists() || v.Type == gjson.Null {
		return "not sent"
	}
	return v.Raw
}

// call tells why a call did not run, and who changed its arguments.
func (e *explainer) call(c agent.CallStep) {
	var asked, changed []string
	for _, r := range e.recent {
		if r.Point != hookpoints.PreTool.Name || gjson.GetBytes(r.Payload,
			"tool_call_id").String() != c.ID && r.Payload != nil {
			continue
		}
		asked = append(asked, r.Plugin)
		switch r.Result {
		case plugin.Changed:
			changed = append(changed, fmt.Sprintf("%q", r.Plugin))
		case plugin.Blocked, plugin.Failed:
			if !c.Ran {
				e.say(c.Tool, fmt.Sprintf("The call of %s (%s) was blocked by plugin %q, asked as number %d: %s.", c.Tool, c.ID,
					r.Plugin, len(asked), strings.TrimSuffix(r.Why, ".")))
				return
			}
		}
	}
	if len(changed) > 0 {
		e.say(c.Tool, fmt.Sprintf("The arguments of the call of %s (%s) were changed by plugin %s.", c.Tool, c.ID,
			strings.Join(changed, ", then ")))
	}
	switch {
	case !c.Ran:
		e.say(c.Tool, fmt.Sprintf("The call of %s (%s) did not run: %s.", c.Tool, c.ID,
			strings.TrimSuffix(strings.TrimPrefix(c.Why, "Error: "), ".")))
	case c.Exit != 0:
		e.say(c.Tool, fmt.Sprintf("The call of %s (%s) failed with exit status %d.", c.Tool, c.ID, c.Exit))
	case e.about == c.Tool:
		e.say(c.Tool, fmt.Sprintf("The call of %s (%s) ran; %s asked before.", c.Tool, c.ID,
			english.Plural(len(asked), "plugin was", "plugins were")))
	}
}
