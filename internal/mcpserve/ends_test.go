package mcpserve_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sleeper has a tool that says which process it is, and its child, and then sleeps.
const sleeper = `[ "$1" = --schema ] && echo '{"name": "sleeper", "description": "sleeps"}' && exit
sleep 1000 &
echo "$$ $!" > "$CHIBI_HOME/new" && mv "$CHIBI_HOME/new" "$CHIBI_HOME/pids"
wait`

// processes waits until the sleeper sleeps, and returns its processes.
func (h *home) processes() (pids []int) {
	eventually(h.t, "the tool runs", func() bool { return h.read("pids") != "" })
	for _, text := range strings.Fields(h.read("pids")) {
		pid, err := strconv.Atoi(text)
		if err != nil {
			h.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if err := os.Remove(filepath.Join(h.dir, "pids")); err != nil {
		h.t.Fatal(err)
	}
	return pids
}

// areGone reports whether none of the processes runs.
func areGone(pids []int) bool {
	return !slices.ContainsFunc(pids, func(pid int) bool {
		state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // Z: it has ended, nobody has looked yet
		p, err := os.FindProcess(pid)
		return err == nil && p.Signal(syscall.Signal(0)) == nil && !strings.Contains(string(state), ") Z ")
	})
}

func TestACallThatTheClientCancelsEnds(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"sleeper": sleeper, "greet": greet})
		h.start()
		s := h.connect(t, way, version, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "sleeper"})
			ended <- err
		}()
		pids := h.processes()
		if got := call(t, s, "greet", map[string]any{"name": "Ada"}); got != "hello Ada\n" {
			t.Errorf("beside a call that takes long: %q", got)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		eventually(t, "the tool's processes end", func() bool { return areGone(pids) })
		if got := call(t, s, "greet", map[string]any{"name": "Ada"}); got != "hello Ada\n" {
			t.Errorf("after it: %q", got)
		}
	})
}

func TestAClientThatGoesAwayLeavesNoProcess(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"sleeper": sleeper})
		h.start()
		wire := &wire{}
		direct := way.connect(h)
		if over, ok := direct.(*sdk.StreamableClientTransport); ok {
			over.HTTPClient, over.MaxRetries = &http.Client{Transport: wire}, -1
		}
		client := sdk.NewClient(&sdk.Implementation{Name: "tester"}, nil)
		s, err := client.Connect(t.Context(), direct, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		go s.CallTool(t.Context(), &sdk.CallToolParams{Name: "sleeper"})
		pids := h.processes()
		if lines, ok := direct.(*sdk.IOTransport); ok {
			lines.Writer.Close()
		} else {
			wire.cut()
		}
		eventually(t, "the tool's processes end", func() bool { return areGone(pids) })
	})
}

func TestASessionThatIsDeletedLeavesNoProcess(t *testing.T) {
	h := newHome(t, map[string]string{"sleeper": sleeper})
	h.start()
	endpoint := ""
	way := transport{"HTTP", func(h *home) sdk.Transport {
		over := overHTTP(h).(*sdk.StreamableClientTransport)
		endpoint = over.Endpoint
		return over
	}}
	s := h.connect(t, way, "2025-11-25", nil)
	go s.CallTool(t.Context(), &sdk.CallToolParams{Name: "sleeper"})
	pids := h.processes()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", s.ID())
	response, err := withToken{}.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		t.Error(response.Status)
	}
	eventually(t, "the tool's processes end", func() bool { return areGone(pids) })
}

func TestTheEndOfTheServerEndsCalls(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"sleeper": sleeper, "logger": logger})
		stop := h.start()
		s := h.connect(t, way, version, nil)
		go s.CallTool(t.Context(), &sdk.CallToolParams{Name: "sleeper"})
		pids := h.processes()
		stop()
		// They were killed before the run was over; the kernel may still be at it.
		eventually(t, "the tool's processes end", func() bool { return areGone(pids) })
		if points := h.points(); points[len(points)-1] != "on_end" {
			t.Errorf("on_end is not the last: %v", points)
		}
	})
}

func TestAQuestionThatIsNotAnsweredEndsWithItsCall(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet})
		stop := h.start()
		asked, over := make(chan bool), make(chan struct{})
		s := h.connect(t, way, version, &sdk.ClientOptions{ElicitationHandler: func(ctx context.Context,
			_ *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked <- true
			select { // the client may not be told that nobody waits for the answer
			case <-ctx.Done():
			case <-over:
			}
			return nil, context.Canceled
		}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "shout", Arguments: map[string]any{"command": "ls"}})
			ended <- err
		}()
		<-asked
		cancel()
		if err := <-ended; err == nil {
			t.Error("no error")
		}
		stop() // which waits for all calls
		close(over)
	})
}

// meeting is a plugin whose tool, and that of its like, wait for each other: they end only if
// they run at the same time.
func meeting(name, other, more string) string {
	return `[ "$1" = --schema ] && echo '[{"name": "` + name + `", "description": "meets"` + more + `}]' && exit
: > "$CHIBI_HOME/` + name + `.here"
for i in $(seq 3000); do [ -e "$CHIBI_HOME/` + other + `.here" ] && echo met && exit; sleep 0.01; done`
}

func TestCallsOfDifferentPluginsRunAtTheSameTime(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"one": meeting("one", "two", ""), "two": meeting("two", "one", "")})
		h.start()
		s := h.connect(t, way, version, nil)
		var g sync.WaitGroup
		for _, name := range []string{"one", "two"} {
			g.Go(func() {
				if got := call(t, s, name, nil); got != "met\n" {
					t.Errorf("%s: %q", name, got)
				}
			})
		}
		g.Wait()
	})
}

// lonely has two tools that fail if anything of the plugin runs at the same time.
const lonely = `[ "$1" = --schema ] && echo '[{"name": "a", "description": "a"},
{"name": "b", "description": "b"}]' && exit
mkdir "$CHIBI_HOME/lonely" 2>/dev/null || { echo "not alone"; exit; }
sleep 0.05; rmdir "$CHIBI_HOME/lonely"; echo alone`

func TestCallsOfOnePluginRunOneAfterAnother(t *testing.T) {
	h := newHome(t, map[string]string{"lonely": lonely})
	h.start()
	var g sync.WaitGroup
	for i := range 8 {
		s := h.connect(t, transports[i%2], versions[i/2%2], nil)
		g.Go(func() {
			if got := call(t, s, []string{"a", "b"}[i/4], nil); got != "alone\n" {
				t.Errorf("%q", got)
			}
		})
	}
	g.Wait()
}

func TestToolsThatSayThatTheyCanRunAtTheSameTime(t *testing.T) {
	h := newHome(t, map[string]string{"both": `[ "$1" = --schema ] && echo '[{"name": "one", "description": "a",
"parallel": true}, {"name": "two", "description": "b", "parallel": true}]' && exit
other=one; [ "$CHIBI_TOOL_NAME" = one ] && other=two
: > "$CHIBI_HOME/$CHIBI_TOOL_NAME.here"
for i in $(seq 3000); do [ -e "$CHIBI_HOME/$other.here" ] && echo met && exit; sleep 0.01; done`})
	h.start()
	s := h.connect(t, transports[0], versions[0], nil)
	var g sync.WaitGroup
	for _, name := range []string{"one", "two"} {
		g.Go(func() {
			if got := call(t, s, name, nil); got != "met\n" {
				t.Errorf("%s: %q", name, got)
			}
		})
	}
	g.Wait()
	trace := h.read("contexts/default/trace.jsonl")
	if strings.Count(trace, `"kind":"call"`) != 2 || strings.Count(trace, `"kind":"answer"`) != 2 {
		t.Errorf("the trace does not have both calls:\n%s", trace)
	}
}

func TestAClientIsToldWhatIsWaitedFor(t *testing.T) {
	everywhere(t, func(t *testing.T, way transport, version string) {
		h := newHome(t, map[string]string{"greet": greet})
		h.start()
		told := make(chan string, 10)
		s := h.connect(t, way, version, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
			r *sdk.ProgressNotificationClientRequest) {
			told <- r.Params.Message
		}})
		params := &sdk.CallToolParams{Name: "greet", Arguments: map[string]any{"name": "Ada"}}
		params.SetProgressToken("t")
		if _, err := s.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		if got := <-told; got != "waiting for tool greet" {
			t.Errorf("%q", got)
		}
	})
}

// wire sends the token with each request, over connections that can be cut.
type wire struct {
	mu    sync.Mutex
	once  sync.Once
	by    http.Transport
	conns []net.Conn
	isCut bool
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.once.Do(func() { w.by.DialContext = w.dial })
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return w.by.RoundTrip(r)
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isCut {
		return nil, errors.New("the wire is cut")
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err == nil {
		w.conns = append(w.conns, conn)
	}
	return conn, err
}

// cut cuts all connections.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for _, conn := range w.conns {
		conn.Close()
	}
}
