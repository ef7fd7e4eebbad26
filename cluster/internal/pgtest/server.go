//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chibi-host/chibi/cluster/internal/portstest"
)

// startTime bounds how long a server may take until it answers.
const startTime = 60 * time.Second

// savedLog is how much of a log is saved.
const savedLog = 4 << 20

// Server is a running PostgreSQL with one superuser, postgres, who needs no password on
// loopback.
type Server struct {
	// Dir is the installation, Data the data directory.
	Dir, Data string
	// Port is where it listens on 127.0.0.1.
	Port     int
	settings []string
	process  *exec.Cmd
	ended    chan struct{}
}

// Start makes a data directory and starts a server on it, with settings such as "fsync=off".
// The server ends by Stop, and with this process.
func Start(dir string, settings ...string) (*Server, error) {
	base, err := os.MkdirTemp(tempDir(), "chibi-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, Data: filepath.Join(base, "data"), settings: settings}
	if err := initialize(dir, base); err != nil {
		os.RemoveAll(base)
		return nil, err
	}
	if s.Port, err = freePort(); err == nil {
		err = s.Restart()
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// initialize makes a data directory, which belongs to whom servers run as.
func initialize(dir, base string) error {
	if err := giveAway(base); err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(dir, "bin", "initdb"), "--pgdata", filepath.Join(base, "data"),
		"--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	initdb.Dir = base
	asServer(initdb)
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", initdb.Path, err, out)
	}
	return nil
}

// freePort returns a port that nobody listens on.
func freePort() (int, error) {
	list, err := portstest.Free(1)
	if err != nil {
		return 0, err
	}
	return list[0], nil
}

// Restart starts the server again after Kill or Shutdown, on the same port and data, and waits
// until it answers.
func (s *Server) Restart() error {
	arguments := []string{"-D", s.Data, "-p", strconv.Itoa(s.Port), "-k", filepath.Dir(s.Data),
		"-c", "listen_addresses=127.0.0.1"}
	for _, setting := range s.settings {
		arguments = append(arguments, "-c", setting)
	}
	// What a killed server left: the port is ours, and its process is gone.
	if err := os.Remove(filepath.Join(s.Data, "postmaster.pid")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	log, err := os.OpenFile(s.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.process = exec.Command(filepath.Join(s.Dir, "bin", "postgres"), arguments...)
	s.process.Dir = filepath.Dir(s.Data)
	s.process.Stdout, s.process.Stderr = log, log
	asServer(s.process)
	if err := s.process.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func(process *exec.Cmd, ended chan struct{}) {
		process.Wait()
		close(ended)
	}(s.process, s.ended)
	return s.wait()
}

func (s *Server) log() string { return filepath.Join(filepath.Dir(s.Data), "log") }

// SaveLog copies the end of what the server wrote into a directory.
func (s *Server) SaveLog(dir, name string) error {
	text, err := os.ReadFile(s.log())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".log"), text[max(0, len(text)-savedLog):], 0o600)
}

// wait returns when the server answers, or with what it wrote when it does not.
func (s *Server) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	for {
		conn, err := connect(ctx, s.Port)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.ended:
			return errors.New("the server ended: " + s.said())
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w: %s", err, s.said())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// said returns the end of what the server wrote.
func (s *Server) said() string {
	text, _ := os.ReadFile(s.log())
	return string(text[max(0, len(text)-2000):])
}

// Exec runs statements as the superuser, in the database postgres, and returns the first
// column of their rows. A standby that replays ends statements now and then: they are run again.
func (s *Server) Exec(ctx context.Context, sql string) ([]string, error) {
	for {
		list, err := s.execute(ctx, sql)
		if p, isTold := errors.AsType[*pgconn.PgError](err); !isTold || p.Code != "40001" {
			return list, err
		}
	}
}

func (s *Server) execute(ctx context.Context, sql string) (list []string, err error) {
	conn, err := connect(ctx, s.Port)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	results, err := conn.Exec(ctx, sql).ReadAll()
	for _, result := range results {
		for _, row := range result.Rows {
			list = append(list, string(row[0]))
		}
	}
	return list, err
}

// Write writes a file of the data directory that only the server can read.
func (s *Server) Write(name string, data []byte) error {
	file := filepath.Join(s.Data, name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	return giveAway(file)
}

// URL returns the URL of a home in the database postgres for a user.
func (s *Server) URL(user, home string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/postgres?home=%s", user, s.Port, home)
}

// processes are the ids of a server's processes, the first one before its children.
func processes(first int) []int {
	list := []int{first}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if _, parent := status(pid); parent == first {
			list = append(list, pid)
		}
	}
	return list
}

// status returns the state of a process, a letter, and its parent; "" if it is gone.
func status(pid int) (state string, parent int) {
	stat, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, rest, _ := strings.Cut(string(stat), ") ") // the name of the program is in parentheses
	fmt.Sscan(rest, &state, &parent)
	return state, parent
}

// Stop ends the server at once and removes its data. One that was killed has left memory that it
// shared with its processes, so a second start gives it back.
func (s *Server) Stop() {
	if s.process != nil && s.process.ProcessState != nil && !s.process.ProcessState.Exited() {
		s.Restart()
	}
	if s.process != nil && s.process.Process != nil {
		s.quit()
		select {
		case <-s.ended:
		case <-time.After(10 * time.Second):
			s.Kill()
		}
	}
	os.RemoveAll(filepath.Dir(s.Data))
}

func connect(ctx context.Context, port int) (*pgconn.PgConn, error) {
	return pgconn.Connect(ctx, fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres sslmode=disable", port))
}
