package keeper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// answerWithin is how long a person waits for a keeper: which may have to end processes first.
const answerWithin = 10 * time.Second

// StatusOf asks the keeper of a home what it holds. Errors are ErrNone, a [ForeignError], and
// that it does not answer.
func StatusOf(home string) (Status, error) {
	l, r, err := call(home, opStatus)
	if err != nil {
		return Status{}, err
	}
	l.Close()
	return *r.Status, nil
}

// Stop has the keeper of a home end, with what it holds. What runs use at the moment ends
// with these; the Status has it. Without any, it returns when the keeper has ended. Errors
// are those of StatusOf.
func Stop(ctx context.Context, home string) (Status, error) {
	l, r, err := call(home, opStop)
	if err != nil {
		return Status{}, err
	}
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	if r.Status.Busy() == 0 { // its end closes the connection
		if _, err := l.in.ReadByte(); !errors.Is(err, io.EOF) && ctx.Err() == nil {
			return *r.Status, fmt.Errorf("the keeper (process %d) does not end: %w", r.Status.Pid, err)
		}
	}
	return *r.Status, ctx.Err()
}

func call(home, op string) (*link, Reply, error) {
	place, err := PlaceOf(home)
	if err != nil {
		return nil, Reply{}, err
	}
	l, err := dial(place, time.Now().Add(answerWithin))
	if err != nil {
		return nil, Reply{}, err
	}
	r, err := l.ask(Request{Op: op})
	if err == nil && r.Status == nil {
		err = errors.New("it says nothing about itself")
	}
	if err != nil {
		l.Close()
		return nil, r, fmt.Errorf("what answers at %s is no keeper, or one of another version: %w", place.Socket, err)
	}
	return l, r, nil
}

// Status is what a keeper holds.
type Status struct {
	// Pid is the keeper's process.
	Pid int `json:"pid"`
	// Processes are those that it holds, the oldest first.
	Processes []Held `json:"processes"`
}

// Held is a process that a keeper holds.
type Held struct {
	// Plugin is the plugin's name, Path its executable, Dir its working directory.
	Plugin string `json:"plugin"`
	Path   string `json:"path"`
	Dir    string `json:"dir"`
	// Pid is its id; 0 while it is being started.
	Pid int `json:"pid"`
	// Busy is set while a run uses it.
	Busy bool `json:"busy"`
	// Runs is how many runs have used it.
	Runs int `json:"runs"`
	// AgeMS is how long ago it was started, IdleMS how long nobody has used it, in
	// milliseconds; KeepMS is how long it is kept without being used.
	AgeMS  int64 `json:"age_ms"`
	IdleMS int64 `json:"idle_ms"`
	KeepMS int64 `json:"keep_ms"`
}

// Busy counts the processes that runs use.
func (s Status) Busy() (n int) {
	for _, h := range s.Processes {
		if h.Busy {
			n++
		}
	}
	return n
}
