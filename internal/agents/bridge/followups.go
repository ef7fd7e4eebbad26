package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/jsonfile"
)

// followUps is what chibi notes in a session so that an agent does not go on for ever: agents say
// that hooks have made them go on, but not how often.
type followUps struct {
	// Count is how often chibi has made the agent go on since the last prompt of a person.
	Count int `json:"count"`
	// Given is the hash of the text by which it does. Some agents take that for a prompt.
	Given string `json:"given,omitempty"`
}

// followUpsFile is the file of the session that keeps them.
func (r *run) followUpsFile() jsonfile.File {
	return jsonfile.File{Path: filepath.Join(r.bridge.Dir(r.session.Home), "followups.json"), Private: true}
}

// followUps returns those that were noted; none, if they cannot be read: follow says that.
func (r *run) followUps() followUps {
	f, _ := jsonfile.Read[followUps](r.followUpsFile())
	return f
}

// isPersons reports whether a prompt comes from a person: the agent does not tell otherwise, it is not
// from a sub-agent, and not the text by which chibi makes the agent go on. A turn of theirs begins.
func (r *run) isPersons(prompt string) bool {
	before := r.followUps()
	isGiven := before.Given != "" && before.Given == hashOf(prompt)
	isPersons := !isGiven && !r.moment.Has(engine.AgentID) && r.moment.Kind != engine.Never
	switch {
	case isGiven:
		r.note(taken)
	case isPersons && before != (followUps{}):
		r.note(func(f *followUps) { *f = followUps{} })
	}
	return isPersons
}

// turnEnds notes that the agent does not go on: a prompt that comes now is a person's, whatever it
// says. That a sub-agent ends means nothing.
func (r *run) turnEnds(before followUps) {
	if before.Given != "" && !r.moment.Has(engine.AgentID) {
		r.note(taken)
	}
}

// taken notes that no prompt is the given text any more.
func taken(f *followUps) { f.Given = "" }

// note changes what is noted.
func (r *run) note(change func(*followUps)) {
	err := jsonfile.Update(r.followUpsFile(), func(f *followUps) error {
		change(f)
		return nil
	})
	if err != nil {
		r.told.say(fmt.Sprintf("how often plugins make %s go on cannot be noted: %v", r.Agent.Title, err))
	}
}

// follow notes that the agent goes on by a text. The error says why it must not. continued is how
// often the turn was continued so far.
func (r *run) follow(text string, continued int) error {
	most := r.session.Agent.Settings.MaxFollowUps
	return jsonfile.Update(r.followUpsFile(), func(f *followUps) error {
		if max(f.Count, continued) >= most {
			return fmt.Errorf("the turn has been continued %d times, as max_follow_ups allows; further follow-up messages "+
				"are ignored", most)
		}
		f.Count, f.Given = f.Count+1, hashOf(text)
		return nil
	})
}

// hashOf returns the hash of a prompt, which no file of chibi's keeps in plain.
func hashOf(prompt string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(prompt)))
	return hex.EncodeToString(sum[:16])
}
