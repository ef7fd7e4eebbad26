//go:build unix

package pgtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Pooler is a pgbouncer in front of a server, in transaction mode: every statement may run on
// another connection of the server.
type Pooler struct {
	server, address string
}

// NewPooler starts a pooler for some users until the end of the test. Where there is none, by
// $CHIBI_PGBOUNCER or on the path, it skips the test and says so; on Debian with CI=true the
// test fails.
func NewPooler(tb testing.TB, s *Server, users ...string) *Pooler {
	tb.Helper()
	program := os.Getenv("CHIBI_PGBOUNCER")
	if program == "" {
		program, _ = exec.LookPath("pgbouncer")
	}
	if program == "" && mustBeThere() {
		tb.Fatal("pgbouncer is not installed; run .ci/cluster/postgres")
	}
	if program == "" {
		tb.Skip("pgbouncer is not installed here; .ci/cluster/postgres gets it")
	}
	port, err := freePort()
	if err != nil {
		tb.Fatal(err)
	}
	configuration, err := writeConfiguration(s, port, users)
	if err != nil {
		tb.Fatal(err)
	}
	c := exec.Command(program, configuration)
	asServer(c)
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		os.RemoveAll(filepath.Dir(configuration))
	})
	p := &Pooler{fmt.Sprintf("127.0.0.1:%d", s.Port), fmt.Sprintf("127.0.0.1:%d", port)}
	if err := p.wait(); err != nil {
		tb.Fatal(err)
	}
	return p
}

// writeConfiguration writes the files of a pooler and returns the path of the first one.
func writeConfiguration(s *Server, port int, users []string) (string, error) {
	dir, err := os.MkdirTemp(tempDir(), "chibi-pgbouncer-")
	if err != nil {
		return "", err
	}
	list := ""
	for _, user := range users {
		list += fmt.Sprintf("%q \"\"\n", user)
	}
	text := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = "+
		"%d\n"+
		"auth_type = trust\nauth_file = %s/users\npool_mode = transaction\nunix_socket_dir =\n", s.Port, port, dir)
	for name, content := range map[string]string{"users": list, "pgbouncer.ini": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "pgbouncer.ini"), os.Chmod(dir, 0o755)
}

// wait returns when the pooler takes connections.
func (p *Pooler) wait() error {
	for begin := time.Now(); ; {
		conn, err := net.Dial("tcp", p.address)
		if err == nil {
			return conn.Close()
		}
		if time.Since(begin) > startTime {
			return fmt.Errorf("the pooler does not answer: %w", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Through returns a URL of the server as one of the pooler.
func (p *Pooler) Through(url string) string { return strings.Replace(url, p.server, p.address, 1) }
