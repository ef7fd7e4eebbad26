package keeper

import (
	"cmp"
	"context"
	"errors"
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
	// Notify is told once why the keeper cannot be used, if that lasts; nil: nobody is.
	Notify func(text string)
	// Wait is how long a run waits for a process, and at its end until the keeper has it back;
	// 0: 20 milliseconds.
	Wait time.Duration
	// Begin is how long a run that starts the keeper waits until it lends; 0: not at all, and
	// the run starts a process of its own.
	Begin time.Duration

	begun    atomic.Bool // the keeper was started
	told     atomic.Bool
	starting sync.WaitGroup
}

var _ resident.Keeper = (*Client)(nil)

// Lend implements [resident.Keeper]. If no keeper runs, it starts one in the background, for
// the next run, or for this one if Begin is set.
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
	if errors.Is(err, ErrNone) {
		c.start()
		l, err = c.dialNew(ctx, place)
	}
	var foreign *ForeignError
	switch {
	case errors.Is(err, ErrNone):
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
	return spec.Runner.Adopt(ctx, spec.Command, newRemote(l, wait)), r.WasThere
}

func (c *Client) dialNew(ctx context.Context, place Place) (l *link, err error) {
	err = ErrNone
	if c.Begin == 0 {
		return nil, err
	}
	c.starting.Wait()
	for until := time.Now().Add(c.Begin); errors.Is(err, ErrNone) && time.Now().Before(until) && ctx.Err() == nil; {
		time.Sleep(2 * time.Millisecond)
		l, err = dial(place, until)
	}
	return l, err
}

var errNotKept = errors.New("not kept")

func (c *Client) request(spec resident.Spec) (Request, error) {
	env := spec.Runner.Environ(spec.Command)
	w := &Wanted{Plugin: spec.Plugin, Args: spec.Command.Args, KeepMS: c.Keep.Milliseconds(),
		Key: Key{Path: spec.Command.Path, Folder: spec.Folder, Variables: hash(env, spec.Variables, c.Secrets)}}
	w.Env = []byte(strings.Join(withoutPerCall(env), "\x00"))
	_, id, err := program()
	if err == nil {
		err = w.Key.here()
	}
	if err == nil {
		err = w.Key.identify()
	}
	if err == nil && !(fileid.Stable(w.Key.Path) && utf8.ValidString(w.Key.Path+w.Key.Folder+w.Key.Dir)) {
		err = errNotKept
	}
	return Request{Op: opLend, Program: id, Process: w}, err
}

func (c *Client) tell(err error) {
	if c.Notify != nil && c.told.CompareAndSwap(false, true) {
		c.Notify("plugins are not kept between runs: " + err.Error())
	}
}

// environment are the variables that a keeper gets; plugins get those of the runs.
const environment = "PATH HOME USER TMPDIR XDG_RUNTIME_DIR GOCOVERDIR"

func (c *Client) start() {
	if !c.begun.CompareAndSwap(false, true) {
		return
	}
	c.starting.Go(func() {
		path, _, err := program()
		if err != nil {
			return
		}
		env := []string{} // not nil: that would be this program's
		for _, name := range strings.Fields(environment) {
			if value, isSet := os.LookupEnv(name); isSet {
				env = append(env, name+"="+value)
			}
		}
		err = process.Runner{Env: env}.Detach(process.Command{Path: path, Dir: "/", Args: Command(c.Home, c.Keep)})
		if err != nil {
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
