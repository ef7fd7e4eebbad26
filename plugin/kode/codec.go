package kode

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/toolnames"
	"github.com/tidwall/gjson"
)

// event is one of Kode's events.
type event struct {
	name  string
	point hookpoints.Name
}

// events are all that the configuration can name, in the order in which they
// happen.
func events() []event {
	return []event{
		{"session_start", hookpoints.OnStart.Name}, {"user_prompt_submit", hookpoints.PreMessage.Name},
		{"tool_call_pre", hookpoints.PreTool.Name}, {"tool_call_post", hookpoints.PreToolOutput.Name},
		{"session_end", hookpoints.OnEnd.Name},
	}
}

// Events lists the names of Kode's events, with the hook point of each.
func Events() map[string]hookpoints.Name {
	all := map[string]hookpoints.Name{}
	for _, e := range events() {
		all[e.name] = e.point
	}
	return all
}

// codec implements Kode's protocol for one hook.
type codec struct {
	opts  Options
	event event
	path  string
	args  []string
	// strict treats unreadable output and unknown keys as a failure.
	strict bool
	// warned holds the unknown keys that were already reported.
	warned *sync.Map
}

// Encode passes the event on standard input and in Kode's variables.
func (c codec) Encode(ev plugin.Event) (process.Command, error) {
	stdin, err := c.payload(ev)
	if err != nil {
		return process.Command{}, fmt.Errorf("payload of %s: %w", c.event.name, err)
	}
	return process.Command{
		Path: c.path, Args: c.args, Dir: c.opts.WorkDir, Stdin: stdin,
		Env: []string{"KODE_HOOK_EVENT=" + c.event.name, "KODE_SESSION_ID=" + c.opts.Session,
			"KODE_WORK_DIR=" + c.opts.WorkDir},
	}, nil
}

// base are the fields of every event.
type base struct {
	Event     string `json:"event"`
	SessionID string `json:"session_id"`
}

// payload is the event's JSON as Kode sends it.
func (c codec) payload(ev plugin.Event) ([]byte, error) {
	head := base{c.event.name, c.opts.Session}
	switch c.event.name {
	case "session_start":
		return plugin.Translate(ev, func(p hookpoints.OnStartPayload) any {
			return struct {
				base
				WorkDir  string `json:"work_dir"`
				Provider string `json:"provider"`
				Model    string `json:"model"`
			}{head, c.opts.WorkDir, p.Provider, p.Model}
		})
	case "user_prompt_submit":
		return plugin.Translate(ev, func(p hookpoints.PreMessagePayload) any {
			return struct {
				base
				Prompt      string     `json:"prompt"`
				Attachments []struct{} `json:"attachments"` // chibi has none
			}{head, p.Prompt, []struct{}{}}
		})
	case "tool_call_pre":
		return plugin.Translate(ev, func(p hookpoints.PreToolPayload) any {
			name, input := toolnames.Kode().There(toolnames.CallOf(p))
			return struct {
				base
				Tool        string          `json:"tool"`
				Input       json.RawMessage `json:"input"`
				AutoApprove bool            `json:"auto_approve"`
			}{head, name, input, c.opts.TrustTools}
		})
	case "tool_call_post":
		return plugin.Translate(ev, func(p hookpoints.PreToolOutputPayload) any {
			name, _ := toolnames.Kode().There(toolnames.Ended(p))
			return afterCall{head, name, codeOf(p), outputOf(p), p.DurationMS, p.Status}
		})
	}
	return plugin.Translate(ev, func(p hookpoints.OnEndPayload) any {
		return struct {
			base
			Reason string `json:"reason"`
			Turns  int    `json:"turns"`
		}{head, p.Reason, p.Turns}
	})
}

// afterCall is tool_call_post. For a call that did not run it has neither an exit
// code nor an output; Status, which chibi adds, says why.
type afterCall struct {
	base
	Tool       string                `json:"tool"`
	ExitCode   *int                  `json:"exit_code,omitempty"`
	Output     *string               `json:"output,omitempty"`
	DurationMS int64                 `json:"duration_ms"`
	Status     hookpoints.CallStatus `json:"status,omitempty"`
}

func codeOf(p hookpoints.PreToolOutputPayload) *int {
	if p.Status != "" && !p.Status.DidRun() {
		return nil
	}
	return &p.ExitCode
}

// outputOf is the tool's own output, without what chibi put before it.
func outputOf(p hookpoints.PreToolOutputPayload) *string {
	if p.Status != "" && !p.Status.DidRun() {
		return nil
	}
	own := strings.TrimPrefix(p.Output, p.Preface)
	return &own
}

// Decode reads the exit status of a hook, then its output.
func (c codec) Decode(ev plugin.Event, out process.Outcome) (plugin.Answer, error) {
	if err := out.Err(); err != nil {
		return c.refused(out, err)
	}
	body := strictjson.Trim(out.Stdout)
	if len(body) == 0 {
		return plugin.Answer{}, nil
	}
	plain, err := strictjson.Normalize(body)
	if err != nil || plain[0] != '{' {
		text := fmt.Sprintf("KODE-HOOK-003: %s: its output is not a JSON object: it begins with %.60q", c.path, body)
		if c.strict {
			return plugin.Answer{Unreadable: text}, nil
		}
		return plugin.Answer{Notes: []string{text + "; ignored, as its exit status is 0"}}, nil
	}
	block := gjson.GetBytes(plain, "block")
	if c.strict && block.Exists() && !block.IsBool() && block.Type != gjson.Null {
		return plugin.Answer{Unreadable: fmt.Sprintf(`KODE-HOOK-003: %s: "block" is %.40s, want true or false`,
			c.path, block.Raw)}, nil
	}
	answer := c.answer(ev, plain)
	if block.Type == gjson.True && c.event.point == hookpoints.OnStart.Name {
		return plugin.Answer{}, c.refusal(strings.Join(append(answer.Notes, "it answered \"block\""), ", "))
	}
	return answer, nil
}

// refusal is the error of a hook that refuses to let the run start.
func (c codec) refusal(reason string) error {
	return &plugin.Refusal{Err: fmt.Errorf("KODE-HOOK-002: %s: %s", c.path, reason)}
}

// refused is the answer of a hook whose exit status is not 0.
func (c codec) refused(out process.Outcome, err error) (plugin.Answer, error) {
	if c.event.point == hookpoints.OnStart.Name {
		return plugin.Answer{}, c.refusal(err.Error())
	}
	message := cmp.Or(strings.TrimSpace(out.Stderr), fmt.Sprintf("refused by the hook %s: %v", c.path, err))
	return plugin.Answer{
		Body:  c.blocking(message),
		Notes: []string{fmt.Sprintf("KODE-HOOK-002: %s: %v", c.path, err)},
	}, nil
}

// blocking returns the answer that blocks, nil for events that cannot be blocked.
func (c codec) blocking(message string) json.RawMessage {
	if c.event.point == hookpoints.OnStart.Name || c.event.point == hookpoints.OnEnd.Name {
		return nil
	}
	body, _ := plugin.JSON(map[string]any{"block": true, "message": message})
	return body
}

// answer translates a hook's JSON to the answer of our hook point.
func (c codec) answer(ev plugin.Event, body []byte) plugin.Answer {
	var answer plugin.Answer
	fields := map[string]json.RawMessage{}
	var unknown []string
	gjson.ParseBytes(body).ForEach(func(key, value gjson.Result) bool {
		if c.strict && value.Type != gjson.Null && !slices.Contains(keys(), key.String()) {
			unknown = append(unknown, key.String())
			return true
		}
		note := c.take(key.String(), value, fields)
		if note != "" {
			answer.Notes = append(answer.Notes, note)
		}
		return true
	})
	if fields["block"] != nil && fields["message"] == nil {
		text := fmt.Sprintf("refused by the hook %s", c.path)
		if note := gjson.GetBytes(body, "annotation"); note.Type == gjson.String && note.Str != "" {
			text = note.Str
		}
		fields["message"], _ = plugin.JSON(text)
	}
	if input := fields["arguments"]; input != nil {
		arguments, notes := toolnames.Kode().Rewritten(ev.Payload, input)
		fields["arguments"], answer.Notes = arguments, append(answer.Notes, notes...)
	}
	answer.Body, _ = plugin.JSON(fields)
	if c.strict && len(unknown) > 0 {
		answer.Doubt = plugin.UnknownFields(c.event.name, unknown[:min(len(unknown), maxUnknown)], keys())
	}
	return answer
}

// maxUnknown bounds how many unknown keys are named.
const maxUnknown = 10

// keys lists the keys that a hook may write.
func keys() []string { return []string{"block", "annotation", "replace_prompt", "replace_tool_input"} }

// take translates one key of a hook's JSON to our fields, or returns a note about it.
func (c codec) take(key string, value gjson.Result, fields map[string]json.RawMessage) (note string) {
	if value.Type == gjson.Null {
		return ""
	}
	switch key {
	case "annotation":
		return value.String()
	case "block":
		switch {
		case value.Type == gjson.True && c.event.point == hookpoints.OnStart.Name:
			return "" // see Decode
		case value.Type == gjson.True && c.blocking("") == nil:
			return c.event.name + " cannot be refused; ignored"
		case value.Type == gjson.True:
			fields["block"] = json.RawMessage("true")
		case value.Type != gjson.False:
			return fmt.Sprintf(`"block" is %s, want true or false; ignored`, value.Raw)
		}
		return ""
	case "replace_prompt":
		if c.event.name != "user_prompt_submit" {
			return `"replace_prompt" applies to user_prompt_submit only; ignored`
		}
		if value.Type != gjson.String {
			return `"replace_prompt" is not a string; ignored`
		}
		fields["prompt"] = json.RawMessage(value.Raw)
		return ""
	case "replace_tool_input":
		if c.event.name != "tool_call_pre" {
			return `"replace_tool_input" applies to tool_call_pre only; ignored`
		}
		if !value.IsObject() {
			return `"replace_tool_input" is not an object; ignored`
		}
		fields["arguments"] = json.RawMessage(value.Raw)
		return ""
	}
	if _, before := c.warned.LoadOrStore(key, true); before {
		return ""
	}
	return fmt.Sprintf("unknown key %q; ignored", key)
}
