package bridge

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/hooks"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// state is what chibi remembers of an agent's session: each event is a process of its own.
type state struct {
	followUps
	// Submits says that the agent has told which prompt a person submitted: what it calls a prompt without
	// that is its own then.
	Submits bool `json:"submits,omitzero"`
	// Phase says how far the session is.
	Phase phase `json:"phase,omitzero"`
	// Hooks are what the hooks of other agents leave for later events, by the agents' names.
	Hooks map[string]hooks.Remembered `json:"hooks,omitzero"`
	// Foreign are the agents whose entries the agent starts too, Verdicts what one entry leaves for another.
	Foreign  []string  `json:"foreign,omitzero"`
	Verdicts []verdict `json:"verdicts,omitzero"`
}

// phase is how far a session is: "" until it has begun.
type phase string

const (
	running phase = "running"
	ended   phase = "ended"
)

// errEnded means that nothing is kept for a session any more.
var errEnded = errors.New("the session has ended")

// maxState bounds the file of a session's state, in bytes.
const maxState = 16 << 20

// stateName is the name of the file in the session's directory that keeps it.
const stateName = "session.json"

// stateFile is that file. Its lock is waited for as long as the event allows: the agent goes on without an
// answer that comes too late.
func (r *run) stateFile() jsonfile.File {
	patience := min(jsonfile.DefaultPatience, max(time.Millisecond, time.Until(r.bridge.Until)/4))
	return jsonfile.File{Path: filepath.Join(r.bridge.Dir(r.session.Home), stateName), Max: maxState, Private: true,
		Patience: patience}
}

// state returns what is remembered; nothing, if it cannot be read: whoever changes it says that.
func (r *run) state() state {
	if r.unusable != nil {
		return state{}
	}
	s, _ := jsonfile.Read[state](r.stateFile())
	return s
}

// change changes what is remembered, unless the step fails. Verdicts that nobody waits for any more go.
func (r *run) change(step func(*state) error) error {
	if r.unusable != nil {
		return r.unusable
	}
	return jsonfile.Update(r.stateFile(), func(s *state) error {
		if _, err := os.Lstat(r.job); r.job != "" && err != nil {
			return errEnded
		}
		s.Verdicts = slices.DeleteFunc(s.Verdicts, verdict.isOver)
		return step(s)
	})
}

// enter notes that the session is in a phase, and reports whether it was in another one. Where that cannot
// be noted it was: something that fires twice is better than something that does not.
func (r *run) enter(now phase) (isNew bool) {
	if r.bridge.Run == noSession {
		return true
	}
	err := r.change(func(s *state) error {
		s.Phase, isNew = now, s.Phase != now
		return nil
	})
	if err != nil {
		r.told.say("that the session begins or ends cannot be noted: " + err.Error())
	}
	return isNew || err != nil
}
