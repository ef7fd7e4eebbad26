package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/disk"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/resident"
)

// Host is a run's side of a program that answers for it: another process of this program, which
// is started once for many runs, and serves with [Options.Answer]. It answers only runs of the same
// program, in the same directory, with the same arguments and environment; any other ends it.
type Host struct {
	// Dir is the directory whose keeper it is.
	Dir string
	// Args are its arguments, Env its environment: the environment of the run, without what does not matter.
	Args, Env []string
}

// answerSign is what a client writes when it heard in time that its question arrived. Without it
// the keeper does not answer: the client has given up, and answers the question itself.
const answerSign = "answer\n"

// KeyOf returns what answers depend on in this process, with an environment and arguments.
func KeyOf(env, args []string) (k Key, err error) {
	if err := k.here(); err != nil {
		return k, err
	}
	k.Variables = hash(append(slices.Clone(env), "\x00"+strings.Join(args, "\x00")), nil, nil)
	if !utf8.ValidString(k.Dir) {
		return k, errNotKept
	}
	return k, nil
}

// Identity returns what the process of a resident plugin depends on, for a group of a program that
// answers for several runs. A thing that it cannot identify, or that has just changed, is never the same.
func Identity(spec resident.Spec) string {
	spec.Variables = nil // whatever it lists: a process costs less than a doubt
	q, err := (&Client{}).request(spec)
	if now := time.Now(); err != nil || !q.Process.Key.isSettled(now) {
		return now.String()
	}
	return fmt.Sprintf("%+v", q.Process.Key)
}

// Ask asks the host. isAsked is false if nothing has reached it within 20 milliseconds, or there is
// none: the question was not and will not be answered there. Otherwise the error says why there is
// no answer, and the question must not be asked again.
func (h Host) Ask(ctx context.Context, question any) (answer json.RawMessage, isAsked bool, err error) {
	l, err := h.reach(question)
	if err != nil {
		return nil, false, nil
	}
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	if err := l.SetDeadline(time.Time{}); err != nil {
		return nil, false, nil
	}
	if n, err := l.Write([]byte(answerSign)); err != nil {
		return nil, n > 0, fmt.Errorf("asking the process that answers for this session: %w", err)
	}
	r, err := l.reply(maxAnswer)
	switch {
	case ctx.Err() != nil:
		return nil, true, ctx.Err()
	case errors.Is(err, io.EOF):
		return nil, true, errors.New("the process that answers for this session has ended")
	case err != nil:
		return nil, true, fmt.Errorf("the process that answers for this session: %w", err)
	}
	return r.Answer, true, nil
}

// reach passes a question to the host, which waits for the sign to answer it.
func (h Host) reach(question any) (*link, error) {
	place, err := PlaceOf(h.Dir)
	if err != nil {
		return nil, err
	}
	l, err := dial(place, time.Now().Add(Wait))
	if err != nil {
		return nil, err
	}
	q, err := h.request(question)
	if err != nil {
		l.Close()
		return nil, err
	}
	if _, err := l.ask(q); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (h Host) request(question any) (q Request, err error) {
	text, err := strictjson.Encode(question)
	if err != nil {
		return q, err
	}
	key, err := KeyOf(h.Env, h.Args)
	if err != nil {
		return q, err
	}
	_, id, err := program()
	return Request{Op: opAsk, Program: id, Question: &Question{key, text}}, err
}

// Start starts the host in the background, with further arguments on which no answer depends, unless
// one is there.
func (h Host) Start(more ...string) error {
	place, err := PlaceOf(h.Dir)
	if err != nil {
		return err
	}
	if l, err := dial(place, time.Now().Add(Wait)); err == nil {
		return l.Close()
	} else if !errors.Is(err, ErrNone) {
		return err
	}
	unlock, err := disk.TryLock(place.Lock)
	switch {
	case errors.Is(err, disk.ErrLocked): // another run starts it
		return nil
	case err != nil: // it would end at once, and every run would wait for it
		return err
	}
	unlock()
	var here Key
	if err := here.here(); err != nil {
		return err
	}
	return detach(h.Env, here.Dir, slices.Concat(h.Args, more))
}

// ask answers a question once the client has said that it waits. The answer ends with ctx and with the
// client.
func (s *server) ask(ctx context.Context, l *link, q Question) {
	if q.Key != s.Key {
		// The client answers by itself, and starts another one for the runs after it.
		s.reply(l, Reply{Error: "it is in another directory, or has another environment, and ends"})
		s.close()
		return
	}
	if s.reply(l, Reply{}) != nil {
		return
	}
	if sign, err := readLine(l.in, len(answerSign)); err != nil || string(sign) != answerSign {
		return
	}
	l.SetDeadline(time.Time{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		l.in.Peek(1) // until the client goes away: it says nothing more
		cancel()
	}()
	s.asked.Add(1)
	defer s.asked.Add(-1)
	answer, isLast := s.Answer(ctx, q.Text)
	s.reply(l, Reply{Answer: answer})
	if isLast {
		s.close()
	}
}
