package engine

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Run has the facts about the run in which something happens.
type Run struct {
	// Session and Prompt are the UUIDs of the conversation and of the prompt, "" outside of
	// one; Transcript is the path of the transcript view, "" if there is none.
	Session, Prompt, Transcript string
	// Cwd is the person's working directory, Project where the session began, Home the
	// person's home directory.
	Cwd, Project, Home string
	// Version is the version that an agent with one gives its hooks.
	Version string
	// Mode is "run", or "chat" for a conversation at a terminal.
	Mode string
	// Model is the model's name, Effort its effort of reasoning; "" if it is not set.
	Model, Effort string
	// Trusted says that tools run without a question to the person.
	Trusted bool
	// Source says how the conversation began: "startup", "resume", "clear" or "compact".
	Source string
	// Now is the time; the zero value is not written.
	Now time.Time
}

// values returns the facts as values of a moment.
func (r Run) values() map[Value]json.RawMessage {
	values := map[Value]json.RawMessage{PermissionMode: json.RawMessage(`"default"`)}
	if r.Trusted {
		values[PermissionMode] = json.RawMessage(`"trusted"`)
	}
	for value, text := range map[Value]string{
		Session: r.Session, PromptID: r.Prompt, Transcript: r.Transcript, Cwd: r.Cwd, Model: r.Model, Effort: r.Effort,
		Source: r.Source, Project: r.Project, Home: r.Home, AgentVersion: r.Version, Mode: r.Mode,
	} {
		if text != "" {
			values[value] = strictjson.Quote(text)
		}
	}
	if r.Transcript != "" {
		values[PlansDir] = strictjson.Quote(filepath.Join(filepath.Dir(r.Transcript), "plans"))
	}
	if !r.Now.IsZero() {
		values[Time] = strictjson.Quote(r.Now.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	return values
}
