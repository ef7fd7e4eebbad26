package agents_test

import (
	"embed"
	"testing"

	"github.com/chibi-host/chibi/internal/agents"
	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/fuzztest"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// The payloads are in the tests' binary: a campaign runs it elsewhere.
//
//go:embed claude/testdata/*.json
var payloads embed.FS

// FuzzMoment holds that every payload is read or refused at each event, and that what was read
// can be written.
func FuzzMoment(f *testing.F) {
	const dir = "claude/testdata"
	files, err := payloads.ReadDir(dir)
	if err != nil || len(files) == 0 {
		f.Fatal("there are no payloads", err)
	}
	for _, file := range files {
		text, err := payloads.ReadFile(dir + "/" + file.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		fuzztest.Memory(t)
		for _, d := range agents.Bridges() {
			for _, e := range d.Events {
				m, err := d.Moment(e, payload)
				if err != nil {
					continue
				}
				d.Matched(e, m)
				d.Variables(e, m)
				if again, err := d.Payload(e, m); err == nil && !strictjson.Valid(again) {
					t.Errorf("%s %s: %s is written as %s", d.Name, e.Name, payload, again)
				}
			}
		}
	})
}

// FuzzEffect holds that every end of a hook means something, and that chibi can write it for the agent as one JSON
// object or nothing.
func FuzzEffect(f *testing.F) {
	f.Add([]byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","updatedInput":{}}}`),
		"oh", 2)
	f.Add([]byte(`"{\"decision\":\"deny\",\"reason\":7}"`), "", 0)
	f.Add([]byte(`{"continue":false,"hookSpecificOutput":[{"toolConfig":{}}]}`), "", 1)
	f.Fuzz(func(t *testing.T, stdout []byte, stderr string, exit int) {
		fuzztest.Memory(t)
		for _, d := range agents.Bridges() {
			for _, e := range d.Events {
				out := engine.Outcome{Stdout: stdout, Stderr: stderr, Exit: exit}
				answer := d.Output(e, engine.Moment{}, d.Effect(e, out)).Stdout
				if len(answer) > 0 && !strictjson.Valid(answer) {
					t.Errorf("%s %s: %s", d.Name, e.Name, answer)
				}
			}
			hooks.Foreign(d, d.Events[0], engine.Outcome{Stdout: stdout}, agents.All)
		}
	})
}

// FuzzMatches holds that a matcher is compared or refused.
func FuzzMatches(f *testing.F) {
	f.Add(`^(?!mcp__)(?=.*Ba)[(|]?\).*$`, "Bash")
	f.Add("Edit|Write, Bash", "Edit")
	f.Add(`^(?!a(`, "")
	f.Fuzz(func(t *testing.T, matcher, value string) {
		fuzztest.Memory(t)
		for _, d := range agents.Bridges() {
			for _, e := range d.Events {
				matches, err := d.Matches(e, matcher)
				if matches(value) && err != nil && !d.Matcher.Literal && e.Matches != "" {
					t.Errorf("%s: the refused matcher %q matches %q", d.Name, matcher, value)
				}
			}
		}
	})
}
