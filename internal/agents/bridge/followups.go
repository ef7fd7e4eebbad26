package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// followUps is what chibi notes in a session so that an agent does not go on for ever. Agents say that hooks have
// made them go on, but not how often.
type followUps struct {
	// Count is how often chibi has made the agent go on since the last prompt of a person.
	Count int `json:"count,omitzero"`
	// Given is the hash of the text that made it go on, At is the time. Some agents take such a text for a prompt.
	Given string    `json:"given,omitzero"`
	At    time.Time `json:"at,omitzero"`
}

// isGiven reports whether a prompt is the text by which chibi makes the agent go on.
func (f followUps) isGiven(prompt string) bool { return f.Given != "" && f.Given == hashOf(prompt) }

// isOwn reports whether a prompt is the agent's own: the turn goes on by it. In doubt the prompt is the person's,
// and so is a text that the person could have typed since chibi gave it to the agent.
func (r *run) isOwn(prompt string) (isOwn bool) {
	before, submits := r.state(), len(r.event.Needs) > 0
	switch {
	case r.moment.Has(engine.AgentID):
		return false
	case submits && r.moment.Kind == engine.Never:
		return before.Submits
	case submits && !before.Submits:
		r.note(func(s *state) { s.Submits = true })
	case r.event.Repeats && before.isGiven(prompt):
		isNoted := r.note(func(s *state) { // of two such prompts one is the agent's
			isOwn = s.isGiven(prompt) && time.Since(s.At) < Limit
			s.Given = ""
		})
		return isNoted && isOwn
	}
	return false
}

// begin notes that a turn begins with a prompt, if a person certainly gave it.
func (r *run) begin(prompt string) {
	before := r.state()
	isCertain := !before.isGiven(prompt) && !r.moment.Has(engine.AgentID) && r.moment.Kind != engine.Never
	isOver := before.Phase == ended // the agent has not said that it goes on
	if !isOver && (!isCertain || before.followUps == (followUps{})) {
		return
	}
	r.note(func(s *state) {
		if isOver {
			s.Phase = ""
		}
		if isCertain {
			s.followUps = followUps{}
		}
	})
}

// turnEnds notes that the agent does not go on: a prompt that comes now is a person's, whatever its text. The end
// of a sub-agent means nothing.
func (r *run) turnEnds(before followUps) {
	if before.Given != "" && !r.moment.Has(engine.AgentID) {
		r.note(func(s *state) { s.Given = "" })
	}
}

// note changes the notes, and reports whether it could. It tells the person if it could not.
func (r *run) note(step func(*state)) bool {
	err := r.change(func(s *state) error {
		step(s)
		return nil
	})
	if err != nil {
		r.told.say(fmt.Sprintf("chibi cannot note how often plugins make %s go on: %v", r.Agent.Title, err))
	}
	return err == nil
}

// follow notes that the agent goes on with a text. The error says why it must not. continued is how often the turn
// has gone on so far.
func (r *run) follow(text string, continued int) error {
	most := r.session.Agent.Settings.MaxFollowUps
	return r.change(func(s *state) error {
		if max(s.Count, continued) >= most {
			return fmt.Errorf("the turn has been continued %d times, as max_follow_ups allows; further follow-up messages "+
				"are ignored", most)
		}
		s.followUps = followUps{s.Count + 1, hashOf(text), time.Now()}
		return nil
	})
}

// hashOf returns the hash of a prompt: chibi's files never have the prompt itself here.
func hashOf(prompt string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(prompt)))
	return hex.EncodeToString(sum[:16])
}
