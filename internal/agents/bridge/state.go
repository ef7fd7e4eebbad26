package bridge

import (
	"path/filepath"

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
}

// phase is how far a session is: "" until it has begun.
type phase string

const (
	running phase = "running"
	ended   phase = "ended"
)

// maxState bounds the file of a session's state, in bytes.
const maxState = 1 << 20

// stateFile is the file of the session that keeps it.
func (r *run) stateFile() jsonfile.File {
	return jsonfile.File{Path: filepath.Join(r.bridge.Dir(r.session.Home), "session.json"), Max: maxState, Private: true}
}

// state returns what is remembered; nothing, if it cannot be read: whoever changes it says that.
func (r *run) state() state {
	s, _ := jsonfile.Read[state](r.stateFile())
	return s
}

// change changes what is remembered.
func (r *run) change(step func(*state)) error {
	return jsonfile.Update(r.stateFile(), func(s *state) error {
		step(s)
		return nil
	})
}

// enter notes that the session is in a phase, and reports whether it was in another one. Where that cannot
// be noted it was: something that fires twice is better than something that does not.
func (r *run) enter(now phase) (isNew bool) {
	err := r.change(func(s *state) { s.Phase, isNew = now, s.Phase != now })
	if err != nil {
		r.told.say("that the session begins or ends cannot be noted: " + err.Error())
	}
	return isNew || err != nil
}
