package natstest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/chibi-host/chibi/cluster/internal/portstest"
)

// variable is the environment variable that makes a test binary a server: the path of its
// configuration.
const variable = "CHIBI_TEST_NATS_SERVER"

// Main runs the tests of a package, or a server in place of them, and returns the exit
// status. A package whose tests use StartCluster calls it in TestMain, with its standard input
// and error.
func Main(m *testing.M, stdin io.Reader, stderr io.Writer) int {
	path := os.Getenv(variable)
	if path == "" {
		return m.Run()
	}
	if err := serve(path, stdin); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// serve runs a server until standard input ends, which it does with the test.
func serve(path string, stdin io.Reader) error {
	options, err := server.ProcessConfigFile(path)
	if err != nil {
		return err
	}
	s, err := server.NewServer(options)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	s.Start()
	_, err = io.Copy(io.Discard, stdin)
	s.Shutdown()
	return err
}

// findTime bounds how long three servers may take to start and find each other, where other tests
// make the machine busy.
const findTime = 4 * time.Minute

// savedLog is how much of a log is saved.
const savedLog = 4 << 20

// Cluster is three servers, each a process.
type Cluster struct {
	Nodes []*Node
	t     testing.TB
}

// Node is a server of a cluster.
type Node struct {
	Name    string
	Client  string // host:port
	monitor string
	route   string
	file    string // configuration
	log     string // file
	t       testing.TB
	process *exec.Cmd
	stdin   io.Closer
}

// StartCluster starts three servers, whose JetStream section has the given lines in
// addition to the directory.
func StartCluster(t testing.TB, jetstream string) *Cluster {
	t.Helper()
	portstest.NeedServers(t)
	free, err := portstest.Free(9)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t}
	var routes []string
	for i := range 3 {
		n := &Node{Name: fmt.Sprintf("n%d", i+1), Client: portstest.Address(free[i]),
			monitor: portstest.Address(free[3+i]), route: portstest.Address(free[6+i]), t: t}
		c.Nodes = append(c.Nodes, n)
		routes = append(routes, "nats://"+n.route)
	}
	dir := t.TempDir()
	for _, n := range c.Nodes {
		n.file, n.log = filepath.Join(dir, n.Name+".conf"), filepath.Join(dir, n.Name+".log")
		text := fmt.Sprintf("server_name: %s\nlisten: %s\nhttp: %s\nmax_payload: 1MB\nlog_file: %q\n"+
			"jetstream { store_dir: %q, max_file_store: 1000TB, %s }\ncluster { name: chibi, listen: %s, routes: [%s] }\n",
			n.Name, n.Client, n.monitor, n.log, filepath.Join(dir, n.Name), jetstream, n.route,
			strings.Join(routes, ", "))
		if err := os.WriteFile(n.file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n.Start()
		t.Cleanup(n.Kill)
	}
	if !c.Healthy(findTime) {
		t.Fatal("the servers do not find each other")
	}
	return c
}

// Start starts the server, which keeps what it had.
func (n *Node) Start() {
	n.process = exec.Command(os.Args[0])
	n.process.Env = append(os.Environ(), variable+"="+n.file)
	stdin, err := n.process.StdinPipe()
	if err == nil {
		err = n.process.Start()
	}
	if err != nil {
		n.t.Errorf("%s: %v", n.Name, err)
	}
	n.stdin = stdin
}

// Kill ends the process at once, as a crash does.
func (n *Node) Kill() {
	if n.process == nil || n.process.Process == nil {
		return
	}
	_ = n.process.Process.Kill()
	_ = n.process.Wait()
	n.stdin.Close()
	n.process = nil
}

// URL is the URL of the cluster, without a home.
func (c *Cluster) URL() string {
	var all []string
	for _, n := range c.Nodes {
		all = append(all, n.Client)
	}
	return "nats://" + strings.Join(all, ",")
}

// Monitor is the URL of a monitoring port.
func (c *Cluster) Monitor() string { return "http://" + c.Nodes[0].monitor }

// Healthy waits until every server says that it is: it has everything, and whoever leads is
// known. It reports whether that was so in time, and else logs what the servers wrote last.
func (c *Cluster) Healthy(within time.Duration) bool {
	deadline := time.Now().Add(within)
	for _, n := range c.Nodes {
		for !n.healthy() {
			if time.Now().After(deadline) {
				c.logEnds(n)
				return false
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return true
}

// logEnds logs what the servers wrote last, of which one is not healthy: the files are removed with
// the test.
func (c *Cluster) logEnds(ill *Node) {
	c.t.Helper()
	c.t.Logf("%s is not healthy", ill.Name)
	for _, n := range c.Nodes {
		text, err := os.ReadFile(n.log)
		c.t.Logf("the log of %s ends with (%v)\n%s", n.Name, err, text[max(0, len(text)-4000):])
	}
}

// SaveLogs copies the ends of what the servers wrote into a directory.
func (c *Cluster) SaveLogs(dir string) {
	c.t.Helper()
	for _, n := range c.Nodes {
		text, err := os.ReadFile(n.log)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, n.Name+".log"), text[max(0, len(text)-savedLog):], 0o600)
		}
		if err != nil {
			c.t.Error(err)
		}
	}
}

// healthy asks the monitoring port.
func (n *Node) healthy() bool {
	client := &http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	answer, err := client.Get("http://" + n.monitor + "/healthz")
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}
