package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin/process"
)

// Run is one run of an agent.
type Run struct {
	// Agent is its name in chibi, Path its program, Args are all arguments and Env is the whole environment.
	Agent string   `json:"agent"`
	Path  string   `json:"path"`
	Args  []string `json:"args"`
	Env   []string `json:"env"`
	// Dir is where it works, Address where its model listens, a port of loopback.
	Dir     string `json:"dir"`
	Address string `json:"address"`
	// Steps are the model's answers. Look is a text that hooks may pass on to the model.
	Steps []Step `json:"steps"`
	Look  string `json:"look"`
	// Limit is how long it may take.
	Limit time.Duration `json:"limit"`
}

// Ended says how a run has ended.
type Ended struct {
	// Status is the exit status. Late says that the limit ended the run.
	Status int  `json:"status"`
	Late   bool `json:"late"`
	TookMS int  `json:"took_ms"`
	// Asked counts the requests of the conversation. Told says whether one of them had the text.
	Asked int  `json:"asked"`
	Told  bool `json:"told"`
	// Said is the end of the agent's output.
	Said string `json:"said"`
}

// Do runs the agent, whose model listens at l.
func (r Run) Do(ctx context.Context, l net.Listener) (e Ended, err error) {
	a, known := ByName(r.Agent)
	if !known {
		return e, errors.Join(fmt.Errorf("chibi cannot run %s without a person", r.Agent), l.Close())
	}
	m := Serve(l, a.Speak, r.Steps)
	defer m.Close()
	began, said := time.Now(), new(tail)
	p, err := process.Runner{Env: r.Env}.Start(ctx, process.Command{Path: r.Path, Args: r.Args, Dir: r.Dir,
		NoTerminal: true, Whole: true, Timeout: r.Limit, Output: said})
	if err != nil {
		return e, err
	}
	outcome, err := p.Close(r.Limit + time.Minute) // nothing comes on its standard input
	if e.Late = errors.Is(err, process.ErrTimeout); err != nil && !e.Late {
		return e, err
	}
	e.Status, e.TookMS = outcome.Exit, int(time.Since(began).Milliseconds())
	e.Said = strings.ToValidUTF8(strings.TrimSpace(said.String()+"\n"+outcome.Stderr), "")
	for _, asked := range m.Requests() {
		if asked.Main {
			e.Asked++
			e.Told = e.Told || strings.Contains(string(asked.Body), r.Look)
		}
	}
	return e, nil
}

// Alone has the words before a program that runs with no network but loopback. The zero value says that this is not
// possible.
type Alone []string

// NewAlone returns these words for this machine. If possible, the program also has processes of its own, which end
// with it however it started them.
func NewAlone(ctx context.Context) Alone {
	unshare, _ := process.Runner{}.LookPath("unshare")
	for _, flags := range [][]string{{"-rn", "--pid", "--fork", "--mount-proc", "--kill-child"}, {"-rn"}} {
		words := slices.Concat([]string{unshare}, flags, []string{"sh", "-c", `ip link set lo up && "$@"; exit $?`, "sh"})
		outcome, err := process.Runner{NoTerminal: true}.Run(ctx, process.Command{Path: unshare,
			Args: append(words[1:], "true"), Timeout: 10 * time.Second})
		if err == nil && outcome.Ok() {
			return words
		}
	}
	return nil
}

// DoAlone runs the agent without a network, in a process of this program that calls [Serving]; words are its
// arguments.
func (r Run) DoAlone(ctx context.Context, alone Alone, words []string) (e Ended, err error) {
	asked, err := strictjson.Encode(r)
	if err != nil {
		return e, err
	}
	outcome, err := process.Runner{NoTerminal: true, Grace: 10 * time.Second}.Run(ctx, process.Command{Path: alone[0],
		Args: append(slices.Clone(alone[1:]), words...), Stdin: asked, Timeout: r.Limit + time.Minute})
	if err = errors.Join(err, outcome.Err()); err != nil {
		return e, fmt.Errorf("%s without a network: %w", r.Agent, err)
	}
	return e, strictjson.Decode(outcome.Stdout, &e)
}

// Serving reads a run, does it and writes its end, for [Run.DoAlone].
func Serving(ctx context.Context, in io.Reader, out io.Writer) error {
	var r Run
	asked, err := io.ReadAll(io.LimitReader(in, maxRequest))
	if err != nil {
		return err
	}
	if err := strictjson.DecodeKnown(asked, &r); err != nil {
		return err
	}
	l, err := net.Listen("tcp", r.Address)
	if err != nil {
		return err
	}
	e, err := r.Do(ctx, l)
	if err != nil {
		return err
	}
	text, _ := strictjson.Encode(e) // it is numbers and texts
	_, err = out.Write(text)
	return err
}

// maxTail bounds how much of an agent's output a run keeps, in bytes.
const maxTail = 4 << 10

// tail keeps the end of an output.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write keeps the end.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxTail):]
	return len(p), nil
}

// Hurry does nothing: no Write waits.
func (t *tail) Hurry() {}

// Finish does nothing: there is nothing behind it.
func (t *tail) Finish() {}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
