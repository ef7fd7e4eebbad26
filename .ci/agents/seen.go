package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// reply is what a hook answers, to see what the agent makes of it.
type reply struct {
	event          string
	status         int
	stdout, stderr string
}

// String is the reply as a line.
func (r reply) String() string {
	line := fmt.Sprintf("%s, status %d", r.event, r.status)
	if r.stdout != "" {
		line += ", stdout " + r.stdout
	}
	if r.stderr != "" {
		line += ", stderr " + r.stderr
	}
	return line
}

// seeAll writes for each reply of an agent how it ended, what the command wrote, and which
// part of the reply its model received.
func seeAll(o options, a agent, path string) error {
	var b strings.Builder
	for _, r := range a.replies {
		text, err := see(o, a, r)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", a.Name, r)
		b.WriteString("# " + r.String() + "\n" + text + "\n")
	}
	if b.Len() == 0 {
		return nil
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// see runs the agent with one hook that replies so, and a model that calls the shell.
func see(o options, a agent, r reply) (string, error) {
	h, err := newHome(o, a, nil)
	if err != nil {
		return "", err
	}
	defer h.done(o)
	h.script(shell("echo original > out.txt")(a.call, h.project))
	dir, self := filepath.Join(h.dir, "recorded"), h.notes()[0]
	if err := os.MkdirAll(filepath.Join(dir, "answers"), 0o755); err != nil {
		return "", err
	}
	answer := fmt.Sprintf("%d\n%s\n--\n%s", r.status, r.stdout, r.stderr)
	if err := os.WriteFile(filepath.Join(dir, "answers", r.event), []byte(answer), 0o644); err != nil {
		return "", err
	}
	recorder := func(event string) string { return self + " record " + dir + " " + event }
	if err := a.hooks(h, recorder); err != nil {
		return "", err
	}
	args := a.with("Please do what is to be done.")
	said, err := run(h.project, h.env(a), cmp.Or(a.limit, time.Minute), a.path(o), args...)
	if err != nil {
		return "", err
	}
	out, _ := os.ReadFile(filepath.Join(h.project, "out.txt"))
	asked, told := h.told()
	return fmt.Sprintf("status %d, %d requests, out.txt %q\n%s", said.status, asked, out, told), nil
}

// told counts the requests of the conversation, and lists the first of each text in them
// that is from a reply: those have the number 4711.
func (h *home) told() (asked int, list string) {
	known := map[string]bool{}
	for _, r := range h.model.Requests() {
		if !r.Main {
			continue
		}
		asked++
		for text := range strings.SplitSeq(texts(r.Body), "\n") {
			text = h.settled(strings.TrimSpace(text))
			if strings.Contains(text, "4711") && !known[text] {
				list += fmt.Sprintf("  request %d: %s\n", asked, text)
			}
			known[text] = true
		}
	}
	return asked, list
}

// claudeReplies are answers in the form that Claude Code made known, which others read too.
func claudeReplies(name string) []reply {
	special := func(event, members string) string {
		return fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,%s}}`, event, members)
	}
	decide := func(word, more string) string {
		return special("PreToolUse", `"permissionDecision":"`+word+`","permissionDecisionReason":"rule 4711"`+more)
	}
	output := `"updatedToolOutput":{"stdout":"output 4711","stderr":"","interrupted":false,"isImage":false}`
	input := `"updatedInput":{"command":"echo rewritten > out.txt","description":"Do it"}`
	switch name {
	case "codex":
		input = `"updatedInput":{"command":"echo rewritten > out.txt"}`
	case "qwen":
		input = `"updatedInput":{"command":"echo rewritten > out.txt","is_background":false}`
	}
	return []reply{
		{event: "PreToolUse", stdout: decide("deny", "")},
		{event: "PreToolUse", stdout: decide("deny", `,"additionalContext":"hint 4711"`)},
		{event: "PreToolUse", status: 2, stderr: "rule 4711"},
		{event: "PreToolUse", stdout: `{"decision":"block","reason":"rule 4711"}`},
		{event: "PreToolUse", stdout: decide("ask", "")},
		{event: "PreToolUse", stdout: special("PreToolUse", input)},
		{event: "PreToolUse", stdout: special("PreToolUse", `"permissionDecision":"allow",`+input)},
		{event: "PreToolUse", stdout: special("PreToolUse", `"permissionDecision":"allow"`)},
		{event: "PreToolUse", stdout: special("PreToolUse", `"additionalContext":"hint 4711"`)},
		{event: "PreToolUse", stdout: `{"continue":false,"stopReason":"stop 4711"}`},
		{event: "PreToolUse", stdout: `{"systemMessage":"message 4711"}`},
		{event: "PreToolUse", status: 3, stderr: "error 4711"},
		{event: "UserPromptSubmit", stdout: special("UserPromptSubmit", `"additionalContext":"hint 4711"`)},
		{event: "UserPromptSubmit", stdout: `{"decision":"block","reason":"rule 4711"}`},
		{event: "UserPromptSubmit", stdout: `{"continue":false,"stopReason":"stop 4711"}`},
		{event: "SessionStart", stdout: special("SessionStart", `"additionalContext":"hint 4711"`)},
		{event: "PostToolUse", stdout: `{"decision":"block","reason":"rule 4711"}`},
		{event: "PostToolUse", stdout: special("PostToolUse", `"additionalContext":"hint 4711"`)},
		{event: "PostToolUse", stdout: special("PostToolUse", output)},
		{event: "PostToolUse", stdout: `{"continue":false,"stopReason":"stop 4711"}`},
		{event: "Stop", stdout: `{"continue":false,"stopReason":"stop 4711"}`},
		{event: "Stop", stdout: `{"systemMessage":"message 4711"}`},
	}
}

// texts joins all strings of a document, so that a text is found however it is escaped.
func texts(document json.RawMessage) string {
	var value any
	if json.Unmarshal(document, &value) != nil {
		return string(document)
	}
	var list []string
	var collect func(any)
	collect = func(value any) {
		switch value := value.(type) {
		case string:
			list = append(list, value)
			var inner any // arguments and results are often JSON in a string
			if strings.ContainsAny(value, "{[") && json.Unmarshal([]byte(value), &inner) == nil {
				collect(inner)
			}
		case []any:
			for _, v := range value {
				collect(v)
			}
		case map[string]any:
			for _, v := range value {
				collect(v)
			}
		}
	}
	collect(value)
	return strings.Join(list, "\n")
}
