//go:build unix

package keeper_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/fileid"
	"github.com/chibi-host/chibi/internal/keeper"
	"github.com/chibi-host/chibi/internal/systest"
	"github.com/chibi-host/chibi/plugin"
	"github.com/chibi-host/chibi/plugin/process"
	"github.com/chibi-host/chibi/plugin/resident"
)

// TestMain is the keeper itself where a client starts this program as one.
func TestMain(m *testing.M) {
	args := os.Args[1:]
	if len(args) > 1 && slices.Equal(args, keeper.Command(args[1], time.Hour)) {
		ctx, cancel := context.WithCancel(context.Background())
		go func() { // what a test leaves running ends with the tests
			for parent := os.Getppid(); os.Getppid() == parent; {
				time.Sleep(50 * time.Millisecond)
			}
			cancel()
		}()
		if keeper.Serve(ctx, keeper.Options{Home: args[1], Keep: time.Hour}) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "keeper")
	if err != nil || os.WriteFile(filepath.Join(dir, "p"), []byte(script), 0o755) != nil {
		os.Exit(1)
	}
	os.Setenv(scriptVariable, filepath.Join(dir, "p"))
	code := systest.Processes{M: m}.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// scriptVariable has the path of the plugin of all tests that do not change it: it takes two
// seconds until a file did not just change.
const scriptVariable = "CHIBI_TEST_SCRIPT"

// script is a resident plugin in sh. The method of a question says what it does.
const script = `#!/bin/sh
[ "$1" = --resident ] || exit 1
did() { echo "$*" >> "$LOG"; echo "$*" >> "$LOG.$$"; }
did started
while IFS= read -r line; do
  id=${line#*'"id":'}; id=${id%%,*}
  method=${line#*'"method":"'}; method=${method%%'"'*}
  did "$method"
  result=$$
  case "$method" in
  dir) result=\"$(pwd)\" ;;
  variables) result=\"$A/$B/$CHIBI_HOME/$CHIBI_CONTEXT\" ;;
  says) echo "said by $$" >&2 ;;
  exits) exit 3 ;;
  hangs) sleep 600 & echo $! > "$LOG.child"; wait ;;
  logs) echo "a log line"; continue ;;
  closes) exec >&-; sleep 600 ;;
  twice) printf '{"jsonrpc":"2.0","id":%s,"result":null}\nmore\n' "$id"; continue ;;
  large)
    printf '{"jsonrpc":"2.0","id":%s,"result":"' "$id"
    head -c 200000000 /dev/zero | tr '\0' x
    echo '"}'
    continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
did closed
`

// own gives a world a plugin of its own, with more in it.
func (w *world) own(change func(script string) string) {
	w.t.Helper()
	w.script = filepath.Join(w.t.TempDir(), "p")
	w.write(w.script, change(script), 0o755)
	settle(w.t, w.script)
}

func (w *world) write(path, text string, mode os.FileMode) {
	w.t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
}

// settle waits until a file did not just change.
func settle(t *testing.T, path string) {
	t.Helper()
	for {
		id, err := fileid.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if id.Settled(time.Now()) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// world is a home with a plugin that logs what it does.
type world struct {
	t      *testing.T
	home   string
	script string
	log    string
	keep   time.Duration
	env    []string
	said   buffer // what plugins wrote to standard error

	mu   sync.Mutex
	told []string
}

// buffer is a buffer for concurrent use.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// shortDir makes a directory whose path has no name of a test in it: a socket has to be
// in there, and paths of sockets are short.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "k")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: shortDir(t), script: os.Getenv(scriptVariable), keep: time.Hour}
	settle(t, w.script)
	t.Cleanup(func() { stop(w.home) })
	w.log = filepath.Join(w.home, "log")
	w.env = []string{"PATH=" + os.Getenv("PATH"), "LOG=" + w.log}
	return w
}

// serve runs a keeper in this process, until the end of the test or until it is over.
func (w *world) serve() (over <-chan struct{}) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := keeper.Serve(ctx, keeper.Options{Home: w.home, Keep: w.keep}); err != nil {
			w.t.Error(err)
		}
	}()
	w.t.Cleanup(func() { cancel(); <-done })
	w.until("the keeper runs", func() bool { _, err := keeper.StatusOf(w.home); return err == nil })
	return done
}

// until waits for something to become true, for as long as the tests may take.
func (w *world) until(what string, isTrue func() bool) {
	w.t.Helper()
	w.t.Log("waiting: " + what)
	for !isTrue() {
		time.Sleep(2 * time.Millisecond)
	}
}

// run is a run that has one plugin.
type run struct {
	*resident.Resident
	t     *testing.T
	group *resident.Group
}

// run begins a run. Changes are made to its plugin.
func (w *world) run(changes ...func(*resident.Spec)) *run {
	client := &keeper.Client{Home: w.home, Keep: w.keep, Notify: w.note, Wait: time.Hour}
	return w.runOf(client, changes...)
}

func (w *world) runOf(client *keeper.Client, changes ...func(*resident.Spec)) *run {
	spec := resident.Spec{Plugin: "p", Runner: process.Runner{Env: w.env, Stderr: &w.said, Grace: 100 * time.Millisecond},
		Command: process.Command{Path: w.script, Args: []string{"--resident"}, Spool: w.spool}}
	for _, change := range changes {
		change(&spec)
	}
	g := &resident.Group{Keeper: client, Notify: func(n plugin.Notice) { w.note(n.Text) }}
	w.t.Cleanup(func() { g.Close(); client.Close() })
	return &run{g.Add(spec), w.t, g}
}

func (w *world) spool() (process.Spool, error) { return os.CreateTemp(w.t.TempDir(), "spool") }

func (w *world) note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, text)
}

// notices returns what the person was told.
func (w *world) notices() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.told)
}

// did returns what the plugin did, in the order of that.
func (w *world) did() []string {
	data, _ := os.ReadFile(w.log)
	return strings.Fields(string(data))
}

// count counts how many times the plugin did something.
func (w *world) count(what string) (n int) {
	for _, did := range w.did() {
		if did == what {
			n++
		}
	}
	return n
}

func (w *world) status() keeper.Status {
	w.t.Helper()
	s, err := keeper.StatusOf(w.home)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// holds waits until the keeper holds so many processes that nobody uses.
func (w *world) holds(n int) {
	w.t.Helper()
	w.until("the keeper holds "+strconv.Itoa(n), func() bool {
		s := w.status()
		return len(s.Processes) == n && s.Busy() == 0
	})
}

// ask asks and expects an answer.
func (r *run) ask(method string) (a resident.Answer) {
	r.t.Helper()
	a, err := r.Ask(r.t.Context(), resident.Question{Method: method, Timeout: time.Hour})
	if err != nil {
		r.t.Fatalf("%s: %v", method, err)
	}
	return a
}

// pid asks for the process's id.
func (r *run) pid() string { r.t.Helper(); return string(r.ask("pid").Result) }

// text asks for a text.
func (r *run) text(method string) (text string) {
	r.t.Helper()
	if err := json.Unmarshal(r.ask(method).Result, &text); err != nil {
		r.t.Fatal(err)
	}
	return text
}

// end ends the run.
func (r *run) end() { r.group.Close() }

// child is the id of the process that a call that hangs has started, "" until it has.
func (w *world) child() string {
	data, _ := os.ReadFile(w.log + ".child")
	return strings.TrimSpace(string(data))
}

// isAlive reports whether a process exists.
func isAlive(pid string) bool {
	if pid == "" {
		return false
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// stop ends the keeper of a home, if there is one.
func stop(home string) { keeper.Stop(context.Background(), home) }
