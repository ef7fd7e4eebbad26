package plugin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
)

// noteUnknown looks for fields that the point does not know. What a plugin said may have
// been a block in other words, so where blocking is possible it is said, once a
// run, and for a plugin whose failure blocks it is a failure.
func (d *dispatch) noteUnknown(r *reply) {
	unknown := d.unknown(r)
	if len(unknown) == 0 {
		return
	}
	why := d.unknownText(unknown)
	switch {
	case !d.info.CanBlock() || d.refuses(r):
		r.remark(why)
	case d.refusedBecause(r, why):
		d.failed(r, errors.New(why))
	default:
		r.remark(why)
		if d.host.once(r.plugin.Name, d.info.Name, why) {
			r.notices = append(r.notices, why+"; ignored")
		}
	}
}

// unknown lists the fields of an answer that the point does not know and that
// could mean something: "block": false says at most what silence says.
func (d *dispatch) unknown(r *reply) (names []string) {
	gjson.ParseBytes(r.body).ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if !d.knows(name) && !(name == "block" && value.Type == gjson.False) {
			names = append(names, name)
		}
		return len(names) < maxUnknown
	})
	return names
}

// maxUnknown bounds how many unknown fields are named.
const maxUnknown = 10

func (d *dispatch) knows(field string) bool { return slices.Contains(d.fields(), field) }

// fields lists the fields of the point's answer.
func (d *dispatch) fields() (names []string) {
	for _, f := range d.info.Fields {
		names = append(names, f.Name)
	}
	return names
}

// unknownText says which fields the point does not know, and what was meant
// perhaps: the form of another agent, or a field of a similar name.
func (d *dispatch) unknownText(unknown []string) string {
	fields := "field"
	if len(unknown) > 1 {
		fields = "fields"
	}
	text := fmt.Sprintf("%s has no %s %s", d.info.Name, fields, quoted(unknown))
	agent, near := "", ""
	for _, name := range unknown {
		if agent == "" {
			agent = agentOf(name)
		}
		if near == "" {
			near = strictjson.Nearest(name, d.fields())
		}
	}
	switch {
	case agent == "" && near != "":
		return fmt.Sprintf("%s (did you mean %q?)", text, near)
	case agent != "":
		text += fmt.Sprintf(", which is how answers for %s are written", agent)
	}
	if len(d.info.Fields) > 0 {
		text += "; it has " + quoted(d.fields())
	}
	if agent != "" && d.info.CanBlock() {
		text += `; to block, answer {"block": true, "message": "why"}`
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

// agentOf is the agent whose hooks answer a field of this name.
func agentOf(field string) string {
	for _, form := range [...]struct{ agent, fields string }{
		{"Claude Code", "decision permissionDecision permissionDecisionReason hookSpecificOutput continue stopReason suppressOutput systemMessage updatedInput additionalContext"},
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
	return ""
}
