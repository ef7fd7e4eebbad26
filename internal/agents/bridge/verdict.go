package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/chibi-host/chibi/internal/agents/engine"
	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
)

// The bounds of the verdicts that wait in a session for another entry: how many there are, and how large
// each is, in bytes. They wait as long as an entry may take.
const (
	maxVerdicts = 16
	maxVerdict  = 256 << 10
)

// verdict is the plugins' answer about an event, which one of several entries for the event leaves for the others.
type verdict struct {
	// Key is the hash of the event. Changed is the hash with the arguments that plugins changed.
	Key     string `json:"key"`
	Changed string `json:"changed,omitzero"`
	// By is the agent in whose settings the entry is. At is the time.
	By string    `json:"by"`
	At time.Time `json:"at"`
	// Effect is the effect as JSON, byte for byte.
	Effect string `json:"effect"`
}

// isOver reports whether the verdict is too old for another entry.
func (v verdict) isOver() bool {
	age := time.Since(v.At)
	return age < 0 || age > Limit
}

// judging is an event whose verdict other entries may share.
type judging struct{ *run }

// once asks plugins about an event once, although an agent starts several entries for it: its own and the entries
// of agents whose settings it reads. The first entry asks, the others return the same verdict. An entry that cannot
// have the verdict asks itself: in doubt, chibi asks plugins once too often.
func (r judging) once(ctx context.Context, ask func() (engine.Effect, error)) (engine.Effect, error) {
	if !r.isShared() || r.id() == "" {
		return ask()
	}
	key := r.keyWith(r.moment.There.Input)
	unlock, err := r.lock(ctx, key)
	if err != nil {
		return ask()
	}
	defer unlock()
	if effect, found := r.take(key); found {
		return effect, nil
	}
	effect, err := ask()
	if err != nil || ctx.Err() != nil { // an interrupted plugin has not answered
		return effect, err
	}
	r.keep(key, effect)
	return effect, nil
}

// isShared reports whether the agent starts several entries for an event: this entry is another agent's, which it
// notes, or an entry noted so before in the session. At the start of a session, one may follow.
func (r judging) isShared() bool {
	if r.unusable != nil || r.bridge.Run == noSession || r.foreign == nil && r.Agent.Reads == nil {
		return false
	}
	known := r.state().Foreign
	if r.foreign == nil {
		return len(known) > 0 || r.event.Kind == engine.SessionStart
	}
	name := r.foreign.agent.Name
	if slices.Contains(known, name) {
		return true
	}
	return r.change(func(s *state) error {
		s.Foreign = append(s.Foreign, name)
		return nil
	}) == nil
}

// id tells the event from others of its kind: the agent's id of the call, of the prompt with which a turn begins
// and ends, or of the session that begins. About an event without an id chibi asks twice.
func (r judging) id() string {
	switch r.event.Kind {
	case engine.SessionStart:
		return r.bridge.Run
	case engine.Prompt, engine.Stop:
		return r.moment.Text(engine.PromptID)
	}
	return r.moment.Text(engine.CallID)
}

// keyWith is the hash of everything in the event that plugins see, except the time, with these arguments of the
// tool. An id is not enough: agents use some again, and the verdict is about the call and not about its id.
func (r judging) keyWith(input json.RawMessage) string {
	about := maps.Clone(r.moment.Values)
	for _, v := range []engine.Value{engine.Time, engine.ToolName, engine.ToolInput, engine.ToolCategory,
		engine.ToolSubject} { // but for the time they follow from the tool and its arguments
		delete(about, v)
	}
	all, err := strictjson.Encode([]any{r.event.Kind, about, r.moment.There.Tool, string(input),
		string(r.moment.There.Result)})
	if err != nil {
		all = []byte(time.Now().String()) // the same as nothing
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:])
}

// askedDir is the directory of a session in which an entry holds a lock while it asks.
func askedDir(session string) string { return filepath.Join(session, "asked") }

// timeToAsk is the time that an entry that waits for another one keeps for asking itself, at most half of its own.
const timeToAsk = 10 * time.Second

// lock waits until no other entry asks about the same event. A process that dies frees its lock.
func (r judging) lock(ctx context.Context, key string) (unlock func(), err error) {
	dir := askedDir(r.bridge.Dir(r.session.Home))
	if err := disk.MkdirAll(disk.OS{}, dir, 0o700); err != nil {
		return nil, err
	}
	left := time.Until(r.bridge.Until)
	ctx, cancel := context.WithTimeout(ctx, max(left/2, left-timeToAsk))
	defer cancel()
	path := filepath.Join(dir, key)
	free, err := disk.WaitLock(ctx, path)
	if err != nil {
		return nil, err
	}
	return func() {
		_ = disk.OS{}.Remove(path) // an entry that waits for it makes it again
		free()
	}, nil
}

// take takes the verdict of another entry, once: an entry that comes with the same event again asks again. The
// other entry has already passed on the texts for the model and the person.
func (r judging) take(key string) (effect engine.Effect, found bool) {
	by, _ := r.entry()
	isMeant := func(v verdict) bool { return (v.Key == key || v.Changed == key) && v.By != by && !v.isOver() }
	if !slices.ContainsFunc(r.state().Verdicts, isMeant) {
		return effect, false
	}
	err := r.change(func(s *state) error {
		n := slices.IndexFunc(s.Verdicts, isMeant)
		if n < 0 {
			return errors.New("another entry has taken it")
		}
		text := s.Verdicts[n].Effect
		s.Verdicts = slices.Delete(s.Verdicts, n, n+1)
		return strictjson.Decode([]byte(text), &effect)
	})
	effect.Context, effect.SystemMessage, effect.Notes = "", "", nil
	return effect, err == nil
}

// keep keeps a verdict for the other entries. If that is not possible, they ask themselves.
func (r judging) keep(key string, effect engine.Effect) {
	text, err := strictjson.Encode(effect)
	if err != nil || len(text) > maxVerdict {
		return
	}
	by, _ := r.entry()
	v := verdict{Key: key, By: by, At: time.Now(), Effect: string(text)}
	if effect.Input != nil {
		input, _ := strictjson.Normalize(effect.Input) // as an agent's payload is read
		v.Changed = r.keyWith(input)
	}
	_ = r.change(func(s *state) error {
		isSame := func(old verdict) bool { return old.Key == key }
		s.Verdicts = append(slices.DeleteFunc(s.Verdicts, isSame), v)
		s.Verdicts = s.Verdicts[max(0, len(s.Verdicts)-maxVerdicts):]
		return nil
	})
}
