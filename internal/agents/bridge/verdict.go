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

// verdict is what plugins said about an event to one of the entries that are asked about it.
type verdict struct {
	// Key says what it is about. Changed says it with the arguments as plugins changed them.
	Key     string `json:"key"`
	Changed string `json:"changed,omitzero"`
	// By is the agent in whose settings the entry is, At when it was.
	By string    `json:"by"`
	At time.Time `json:"at"`
	// Effect is the effect as JSON, to the byte.
	Effect string `json:"effect"`
}

// isOver reports whether nobody waits for the verdict any more.
func (v verdict) isOver() bool {
	age := time.Since(v.At)
	return age < 0 || age > Limit
}

// judging is an event whose verdict other entries may share.
type judging struct{ *run }

// once has plugins asked about an event once, where an agent starts several entries for it: its own
// and those of agents whose settings it reads. The first one asks, another one returns the same verdict. One
// that cannot have it asks itself: whatever goes wrong, plugins are asked once too often.
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
	if err != nil || ctx.Err() != nil { // a plugin that was interrupted has not answered
		return effect, err
	}
	r.keep(key, effect)
	return effect, nil
}

// isShared reports whether the agent starts several entries: this one is another agent's, which is noted, or
// such a one was noted in the session. Where that begins, one may follow.
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

// id is what names the event among those of its kind: the agent's id of the call, or of the prompt with
// which a turn begins and ends, or the session where that begins. Events without one are asked about twice.
func (r judging) id() string {
	switch r.event.Kind {
	case engine.SessionStart:
		return r.bridge.Run
	case engine.Prompt, engine.Stop:
		return r.moment.Text(engine.PromptID)
	}
	return r.moment.Text(engine.CallID)
}

// keyWith is the hash of all that plugins are told about the event, but for the time, with these arguments of
// the tool: an id alone says nothing, as agents use some again, and what is judged is what it stands for.
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

// timeToAsk is what an entry that waits for another one leaves of its time to ask itself, at most half of it.
const timeToAsk = 10 * time.Second

// lock waits until no other entry asks about the same. The lock of a process that has died is free.
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
		_ = disk.OS{}.Remove(path) // whoever waits for it makes it anew
		free()
	}, nil
}

// take takes the verdict of another entry, once: an entry that is asked about the same again asks again. What
// the model and the person are told has been told.
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
