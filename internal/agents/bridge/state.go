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

// state is what chibi remembers of an agent's session, because each event is a separate process.
type state struct {
	followUps
	// Submits says that the agent names the prompt that a person submitted. A prompt without that is then the
	// agent's own.
	Submits bool `json:"submits,omitzero"`
	// Phase says how far the session is.
	Phase phase `json:"phase,omitzero"`
	// Hooks are what the hooks of other agents leave for later events, by the agents' names.
	Hooks map[string]hooks.Remembered `json:"hooks,omitzero"`
	// Foreign are the agents whose entries the agent starts too. Verdicts are what one entry leaves for another.
	Foreign  []string  `json:"foreign,omitzero"`
	Verdicts []verdict `json:"verdicts,omitzero"`
}

// phase says how far a session is: "" until it has begun.
type phase string

const (
	running phase = "running"
	ended   phase = "ended"
)

// errEnded means that chibi no longer keeps anything for a session.
var errEnded = errors.New("the session has ended")

// maxState bounds the file of a session's state, in bytes.
const maxState = 16 << 20

// stateName is the name of the file in the session's directory that keeps it.
const stateName = "session.json"

// stateFile is that file. A process waits for its lock only as long as the event allows: the agent does not wait
// for a late answer.
func (r *run) stateFile() jsonfile.File {
	patience := min(jsonfile.DefaultPatience, max(time.Millisecond, time.Until(r.bridge.Until)/4))
	return jsonfile.File{Path: filepath.Join(r.bridge.Dir(r.session.Home), stateName), Max: maxState, Private: true,
		Patience: patience}
}

// state returns what chibi remembers; nothing, if it cannot read the file. The next change then reports why.
func (r *run) state() state {
	if r.unusable != nil {
		return state{}
	}
	s, _ := jsonfile.Read[state](r.stateFile())
	return s
}

// change changes what chibi remembers, unless the step fails. It removes old verdicts.
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

// enter notes that the session is in a phase, and reports whether that is new. It also returns true if it cannot
// note the phase: a point that fires twice is better than a point that does not fire.
func (r *run) enter(now phase) (isNew bool) {
	if r.bridge.Run == noSession {
		return true
	}
	err := r.change(func(s *state) error {
		s.Phase, isNew = now, s.Phase != now
		return nil
	})
	if err != nil {
		r.told.say("chibi cannot note that the session begins or ends: " + err.Error())
	}
	return isNew || err != nil
}
