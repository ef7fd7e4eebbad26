package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
)

// Wait is how long a run waits for a process from a keeper before it starts its own, unless
// Client.Wait says otherwise.
const Wait = 20 * time.Millisecond

// Client is a run's side of the keeper of a home. The fields must not be changed after the
// first use; it is safe for concurrent use.
type Client struct {
	// Home is the home's directory.
	Home string
	// Keep is how long a process is kept without being used.
	Keep time.Duration
	// Secrets are names of variables that hold a key that may be hidden from plugins.
	Secrets []string
	// Notify gets once the reason why runs cannot use the keeper, if that lasts; nil: nobody does.
	Notify func(text string)

	// Wait is how long a run waits for a process, and at its end until the keeper has it back;
	// 0: 20 milliseconds.
	Wait time.Duration

	begun    atomic.Bool // the keeper was started
	told     atomic.Bool
	starting sync.WaitGroup
}

var _ resident.Keeper = (*Client)(nil)

// Lend implements [resident.Keeper]. If no keeper runs, it starts one in the background, for
// the next run.
func (c *Client) Lend(ctx context.Context, spec resident.Spec) (*process.Process, bool) {
	place, err := PlaceOf(c.Home)
	if err != nil {
		c.tell(err)
		return nil, false
	}
	q, err := c.request(spec)
	if err != nil {
		return nil, false
	}
	wait := cmp.Or(c.Wait, Wait)
	l, err := dial(place, time.Now().Add(wait))
	var foreign *ForeignError
	switch {
	case errors.Is(err, ErrNone):
		c.start()
		return nil, false
	case errors.As(err, &foreign):
		c.tell(err)
		return nil, false
	case err != nil:
		return nil, false
	}
	r, err := l.ask(q)
	if err == nil {
		err = l.SetDeadline(time.Time{})
	}
	if err != nil {
		l.Close()
		return nil, false
	}
	lent := &remote{link: l, wait: wait, free: window, news: make(chan struct{})}
	return spec.Runner.Adopt(ctx, spec.Command, lent), r.WasThere
}

var errNotKept = errors.New("not kept")

func (c *Client) request(spec resident.Spec) (Request, error) {
	env := spec.Runner.Environ(spec.Command)
	w := &Wanted{Plugin: spec.Plugin, Args: spec.Command.Args, KeepMS: c.Keep.Milliseconds(),
		Key: Key{Path: spec.Command.Path, Folder: spec.Folder, Variables: hash(env, spec.Variables, c.Secrets)}}
	w.Env = []byte(strings.Join(withoutPerCall(env), "\x00"))
	_, id, err := program()
	if err != nil {
		return Request{}, err
	}
	if err := w.Key.here(); err != nil {
		return Request{}, err
	}
	if err := w.Key.identify(); err != nil {
		return Request{}, err
	}
	if !fileid.Stable(w.Key.Path) || !utf8.ValidString(w.Key.Path+w.Key.Folder+w.Key.Dir) {
		return Request{}, errNotKept
	}
	return Request{Op: opLend, Program: id, Process: w}, nil
}

func (c *Client) tell(err error) {
	if c.Notify != nil && c.told.CompareAndSwap(false, true) {
		c.Notify("chibi keeps no plugins between runs: " + err.Error())
	}
}

// environment are the variables that a keeper gets; plugins get the variables of the runs.
const environment = "PATH HOME USER TMPDIR XDG_RUNTIME_DIR GOCOVERDIR"

func (c *Client) start() {
	if !c.begun.CompareAndSwap(false, true) {
		return
	}
	c.starting.Go(func() {
		env := []string{} // not nil: that would be this program's
		for _, name := range strings.Fields(environment) {
			if value, isSet := os.LookupEnv(name); isSet {
				env = append(env, name+"="+value)
			}
		}
		if err := detach(env, "/", Command(c.Home, c.Keep)); err != nil {
			c.tell(err)
		}
	})
}

// Command returns the arguments with which this program is the keeper of a home, whose path
// must be absolute.
func Command(home string, keep time.Duration) []string {
	return []string{"--home", home, "plugin", "keeper", "serve", "--keep", keep.String()}
}

// Close waits until a keeper that was to be started has been. Its error is nil.
func (c *Client) Close() error {
	c.starting.Wait()
	return nil
}

// answerWithin is how long a person waits for a keeper: which may have to end processes first.
const answerWithin = 10 * time.Second

// StatusOf asks the keeper of a home what it holds. Errors are ErrNone, a [ForeignError], and
// that it does not answer.
func StatusOf(home string) (Status, error) {
	l, r, err := call(home, opStatus)
	if err != nil {
		return Status{Processes: []Held{}}, err
	}
	l.Close()
	return *r.Status, nil
}

// Stop has the keeper of a home end, with what it holds. What runs use at the moment ends
// with these; the Status has it. Without any, it returns when the keeper has ended. Errors are as
// in StatusOf.
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
		return nil, r, fmt.Errorf("the program that answers at %s is not a keeper, or has another version: "+
			"%w", place.Socket, err)
	}
	return l, r, nil
}
