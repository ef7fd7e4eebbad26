package plugin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// noteUnknown looks for fields that the point does not know.
func (r *reply) noteUnknown() {
	info := r.dispatch.info
	if unknown := unknownIn(info, r.body); len(unknown) > 0 {
		r.doubt(unknownText(info, unknown))
	}
}

// doubt handles parts of an answer that have no meaning at the point; why describes them.
// They may have been meant as a block: at a point that can block, a notice says so once per
// run, and for a plugin whose failure blocks there they are a failure.
func (r *reply) doubt(why string) {
	switch {
	case why == "" || r.record.Result == Failed:
	case !r.dispatch.info.CanBlock() || r.refuses():
		r.remark(why)
	case refusedBecause(r, why):
		r.failed(errors.New(why))
	default:
		r.remark(why)
		if text := r.dispatch.host.said.once(sayer{r.plugin.Name, r.record.Point}, why+"; ignored"); text != "" {
			r.notices = append(r.notices, text)
		}
	}
}

// unknownIn lists the fields of an answer that the point does not know, at most
// maxUnknown. It omits what asks for nothing.
func unknownIn(info hookpoints.Info, answer []byte) (names []string) {
	known := knownIn(info)
	gjson.ParseBytes(answer).ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if !slices.Contains(known, name) && !hookpoints.IsNoOpinion(name, value.Raw) {
			names = append(names, name)
		}
		return len(names) < maxUnknown
	})
	return names
}

// maxUnknown bounds how many unknown fields are named.
const maxUnknown = 10

// fieldsOf lists the fields of a point's answer.
func fieldsOf(info hookpoints.Info) (names []string) {
	for _, f := range info.Fields {
		names = append(names, f.Name)
	}
	return names
}

// unknownText returns which fields the point does not know, and how a block is written if they
// belong to another agent or another point.
func unknownText(info hookpoints.Info, unknown []string) string {
	text := UnknownFields(string(info.Name), unknown, fieldsOf(info))
	if agentOf(unknown) != "" && info.CanBlock() {
		text += "; to block, answer " + HowToBlock(info)
	}
	return text
}

// HowToBlock returns the answer that blocks at a point, as people write it, such as
// {"block": true, "message": "why"}.
func HowToBlock(info hookpoints.Info) string {
	spaced := strings.NewReplacer(`":`, `": `, `,"`, `, "`)
	return spaced.Replace(string(info.Refusal("why")))
}

// UnknownFields returns a sentence about unknown fields of an answer. where names the point,
// or the event of another protocol, and fields are the fields that it knows. The sentence says
// what the plugin probably meant: the form of another agent, or a field with a similar name.
func UnknownFields(where string, unknown, fields []string) string {
	noun := "field"
	if len(unknown) > 1 {
		noun = "fields"
	}
	text := fmt.Sprintf("%s has no %s %s", where, noun, quoted(unknown))
	agent := agentOf(unknown)
	if agent != "" {
		text += fmt.Sprintf(", which is how answers for %s are written", agent)
	} else {
		for _, name := range unknown {
			if near := strictjson.Nearest(name, fields); near != "" {
				return fmt.Sprintf("%s (did you mean %q?)", text, near)
			}
		}
	}
	if len(fields) > 0 {
		text += "; it has " + quoted(fields)
	}
	return text
}

func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%.40q", name)
	}
	return strings.Join(list, ", ")
}

// agentOf returns the agent whose hooks answer one of these fields, "" if there is none.
func agentOf(fields []string) string {
	for _, field := range fields {
		for _, form := range [...]struct{ agent, fields string }{
			{"Claude Code", "decision permissionDecision permissionDecisionReason hookSpecificOutput continue stopReason " +
				"suppressOutput systemMessage updatedInput additionalContext"},
			{"Kodelet", "blocked reason input callback callback_args"},
			{"Kode", "replace_prompt replace_tool_input annotation"},
			{"Cursor", "permission userMessage agentMessage user_message agent_message"},
			{"Copilot", "modifiedArgs modifiedResult"},
			{"Crush", "updated_input"},
		} {
			if slices.Contains(strings.Fields(form.fields), field) {
				return form.agent
			}
		}
	}
	return ""
}
