package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chibi-host/chibi/internal/terminaltest"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// servedPlugin has a tool that tries to draw on the terminal and writes to both streams, and
// one that sleeps.
const servedPlugin = `#!/bin/sh
[ "$1" = --schema ] && echo '[{"name": "draw", "description": "draws"},
{"name": "rest", "description": "sleeps"}]' && exit
if [ "$CHIBI_TOOL_NAME" = rest ]; then echo $$ > pid.new; mv pid.new pid; exec sleep 1000; fi
(echo "DRAWN" > /dev/tty) 2>/dev/null
echo "to the person" >&2
echo "to the model"`

// servedLog notes the points at which it is asked.
const servedLog = `#!/bin/sh
[ "$1" = --schema ] && echo '{"name": "log", "tool": false,
"hooks": ["on_start", "pre_tool", "post_tool", "on_end"]}' && exit
echo "$CHIBI_HOOK" >> log`

// serving is chibi as an MCP server, in a session of its own with a terminal.
type serving struct {
	home    home
	cmd     *exec.Cmd
	stderr  bytes.Buffer
	person  *terminaltest.Person
	session *sdk.ClientSession
	in      io.Closer
	over    chan struct{} // closed when the process has ended, with err
	err     error
}

// serveTo starts chibi mcp serve and connects a client.
func serveTo(t *testing.T, args ...string) *serving {
	t.Helper()
	s := &serving{home: newHome(t), over: make(chan struct{})}
	s.home.write(".chibi/plugins/served", servedPlugin, 0o755)
	s.home.write(".chibi/plugins/log", servedLog, 0o755)
	terminal, person := terminaltest.New(t)
	s.person = person
	s.cmd = s.home.command(append([]string{"-v", "mcp", "serve"}, args...)...)
	s.cmd.Stderr = &s.stderr
	s.cmd.ExtraFiles = []*os.File{terminal}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	if len(args) > 0 {
		return s
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, nil)
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, toClient := io.Pipe()
	s.cmd.Stdout = toClient
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.err = s.cmd.Wait()
		toClient.Close()
		close(s.over)
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.over
	})
	s.in = in
	s.session, err = client.Connect(t.Context(), &sdk.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.stderr.String())
	}
	return s
}

// end closes the server's standard input and waits for its end.
func (s *serving) end() {
	s.in.Close()
	<-s.over
}

// resting calls the tool that sleeps and returns its process once it does.
func (s *serving) resting(t *testing.T) (pid int) {
	t.Helper()
	go s.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "rest"})
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(s.home.folder + "/pid")
		if _, wrong := fmt.Sscan(string(data), &pid); err == nil && wrong == nil {
			return pid
		}
		if time.Now().After(end) {
			t.Fatal("the tool does not run")
		}
	}
}

func TestAServerDrawsOnNoTerminal(t *testing.T) {
	s := serveTo(t)
	result, err := s.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "draw"})
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Content[0].(*sdk.TextContent).Text; text != "to the model\n" || result.IsError {
		t.Errorf("%q %v", text, result.IsError)
	}
	if s.end(); s.err != nil {
		t.Errorf("it ended with %v", s.err)
	}
	if log := s.home.read("log"); log != "on_start\npre_tool\npost_tool\non_end\n" {
		t.Errorf("hooks:\n%s", log)
	}
	if !strings.Contains(s.stderr.String(), "to the person") {
		t.Errorf("standard error lacks what the plugin wrote there:\n%s", s.stderr.String())
	}
	s.cmd.ExtraFiles[0].Close()
	if shown, _ := io.ReadAll(s.person); len(shown) > 0 {
		t.Errorf("drawn on the terminal: %q", shown)
	}
}

func TestAServerThatIsToldToEndLeavesNothing(t *testing.T) {
	for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		s := serveTo(t)
		pid := s.resting(t)
		if err := s.cmd.Process.Signal(end); err != nil {
			t.Fatal(err)
		}
		if <-s.over; s.err != nil {
			t.Errorf("%v: it ended with %v\n%s", end, s.err, s.stderr.String())
		}
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("%v: the tool runs on", end)
		}
		if log := s.home.read("log"); !strings.HasSuffix(log, "on_end\n") {
			t.Errorf("%v: hooks:\n%s\n%s", end, log, s.stderr.String())
		}
	}
}

func TestAClientThatClosesInTheMiddleOfACallLeavesNothing(t *testing.T) {
	s := serveTo(t)
	pid := s.resting(t)
	s.end()
	if syscall.Kill(pid, 0) == nil {
		t.Error("the tool runs on")
	}
	if log := s.home.read("log"); !strings.HasSuffix(log, "on_end\n") {
		t.Errorf("hooks:\n%s\n%s", log, s.stderr.String())
	}
}

// bearer sends a token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestAServerOverHTTPSaysWhereItIsOnce(t *testing.T) {
	const fixed = "0123456789abcdef0123"
	for _, test := range []struct {
		what, env string
		args      []string
		line      string
	}{
		{"a random token", "", nil,
			`^chibi: clients find this server at (http://127\.0\.0\.1:\d+/mcp); they send: ` +
				`Authorization: Bearer ([A-Z2-7]{26})$`},
		{"a token of a file", "", []string{"--token-file", "token"},
			`^chibi: clients find this server at (http://127\.0\.0\.1:\d+/mcp)()$`},
		{"a token of the environment", "CHIBI_MCP_TOKEN=" + fixed, nil,
			`^chibi: clients find this server at (http://127\.0\.0\.1:\d+/mcp)()$`},
	} {
		s := serveTo(t, append([]string{"--http", "127.0.0.1:0"}, test.args...)...)
		s.home.write("token", fixed+"\n", 0o600)
		s.home.write(".chibi/plugins/served", strings.Replace(servedPlugin, "to the model", "to the model$CHIBI_MCP_TOKEN",
			1), 0o755)
		s.cmd.Env = append(s.cmd.Env, test.env)
		found := make(chan []string, 1)
		s.cmd.Stderr = &lineFinder{pattern: regexp.MustCompile(test.line), found: found}
		if err := s.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := <-found
		if said == nil {
			t.Fatalf("%s: %s", test.what, s.cmd.Stderr)
		}
		token := said[2]
		if token == "" {
			token = fixed
		}
		client := sdk.NewClient(&sdk.Implementation{Name: "tester"}, nil)
		session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: said[1],
			HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.what, err)
		}
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "draw"})
		if err != nil || result.Content[0].(*sdk.TextContent).Text != "to the model\n" {
			t.Errorf("%s: %+v, %v", test.what, result, err)
		}
		session.Close()
		s.cmd.Process.Signal(syscall.SIGTERM)
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("%s: %v", test.what, err)
		}
		shown := strings.Count(fmt.Sprint(s.cmd.Stderr), token)
		if said[2] == "" && shown > 0 || shown > 1 {
			t.Errorf("%s: the token is shown:\n%s", test.what, s.cmd.Stderr)
		}
	}
}

// lineFinder finds a line in what is written to it.
type lineFinder struct {
	all     bytes.Buffer
	pattern *regexp.Regexp
	found   chan []string
}

func (f *lineFinder) Write(p []byte) (int, error) {
	n, err := f.all.Write(p)
	for line := range strings.Lines(f.all.String()) {
		if said := f.pattern.FindStringSubmatch(strings.TrimRight(line, "\n")); said != nil && f.found != nil {
			f.found <- said
			f.found = nil
		}
	}
	return n, err
}

func (f *lineFinder) String() string { return f.all.String() }

func TestMessagesOfAServerThatCannotBegin(t *testing.T) {
	h := newHome(t)
	h.write("open", "0123456789abcdef", 0o644)
	for _, test := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"--http", "0.0.0.0:8080"}, `"0.0.0.0:8080" is not an address of this machine only, and whoever reaches ` +
			"this server can run tools; use 127.0.0.1:PORT, [::1]:PORT or localhost:PORT", 2},
		{[]string{"--http", "127.0.0.1:0", "--token-file", "open"},
			"others may read open (mode 0644); run: chmod 600 open", 2},
		{[]string{"--http", "127.0.0.1:0", "--token-file", "none"}, "open none: no such file or directory", 2},
		{[]string{"--token-file", "open"}, "--token-file is for --http; name an address with it", 2},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := h.command(append([]string{"mcp", "serve"}, test.args...)...)
		go func() { <-ctx.Done(); cmd.Process.Kill() }()
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != test.code || string(out) != "chibi: "+test.want+"\n" {
			t.Errorf("%v: %v\n%s\nwant\n%s", test.args, err, out, test.want)
		}
	}
}
