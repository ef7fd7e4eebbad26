package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
)

// followUps is what chibi notes in a session so that an agent does not go on for ever: agents say
// that hooks have made them go on, but not how often.
type followUps struct {
	// Count is how often chibi has made the agent go on since the last prompt of a person.
	Count int `json:"count,omitzero"`
	// Given is the hash of the text by which it does, At is when. Some agents take that for a prompt.
	Given string    `json:"given,omitzero"`
	At    time.Time `json:"at,omitzero"`
}

// isGiven reports whether a prompt is the text by which chibi makes the agent go on.
func (f followUps) isGiven(prompt string) bool { return f.Given != "" && f.Given == hashOf(prompt) }

// isOwn reports whether what an agent calls a prompt is its own: by it the turn goes on. In doubt it is a
// person's. So is a text that a person could have typed since the agent was told to go on by it.
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

// begin notes that a turn begins by a prompt, if it is certain that a person gave it.
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

// turnEnds notes that the agent does not go on: a prompt that comes now is a person's, whatever it
// says. That a sub-agent ends means nothing.
func (r *run) turnEnds(before followUps) {
	if before.Given != "" && !r.moment.Has(engine.AgentID) {
		r.note(func(s *state) { s.Given = "" })
	}
}

// note changes what is noted, and reports whether that was possible; that it was not is said.
func (r *run) note(step func(*state)) bool {
	err := r.change(func(s *state) error {
		step(s)
		return nil
	})
	if err != nil {
		r.told.say(fmt.Sprintf("how often plugins make %s go on cannot be noted: %v", r.Agent.Title, err))
	}
	return err == nil
}

// follow notes that the agent goes on by a text. The error says why it must not. continued is how
// often the turn was continued so far.
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

// hashOf returns the hash of a prompt, which no file of chibi's keeps in plain.
func hashOf(prompt string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(prompt)))
	return hex.EncodeToString(sum[:16])
}
