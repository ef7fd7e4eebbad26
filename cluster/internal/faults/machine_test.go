//go:build unix

package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// leaseSeconds is the shortest that a lease may be; a machine that is stopped sleeps longer.
const (
	leaseSeconds = 15
	sleepTime    = (leaseSeconds + 3) * time.Second
)

const machineConfig = `store_lease_seconds = 15
[trace]
enabled = false
[limits]
inbox_bytes = 1024
`

// napScript is a tool that takes time.
const napScript = `#!/bin/sh
[ "$1" = --schema ] && { echo '{"name": "nap"}'; exit; }
sleep "$(printf %s "$CHIBI_TOOL_ARGS" | sed 's/.*"seconds": *"\([0-9.]*\)".*/\1/')"
printf 'slept: %s\n' "$CHIBI_TOOL_ARGS"
`

// nap is the line of a prompt that calls the tool, for something that it names.
func nap(longest time.Duration, what string) string {
	return text(`@tool nap {"seconds": "%.2f", "for": "%s"}`, upTo(longest).Seconds(), what)
}

// build builds the program.
func build(t *testing.T, dir string) string {
	program := filepath.Join(dir, "chibi-cluster")
	out, err := exec.Command("go", "build", "-trimpath", "-o", program, "../../cmd/chibi-cluster").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// machine has a home of its own.
type machine struct {
	*run
	name, home string
}

func (r *run) newMachine(name string) *machine {
	r.Helper()
	m := &machine{r, name, filepath.Join(r.dir, name)}
	plugins := filepath.Join(m.home, ".chibi", "plugins")
	for _, err := range []error{os.MkdirAll(plugins, 0o700),
		os.WriteFile(filepath.Join(m.home, ".chibi", "config.toml"), []byte(machineConfig), 0o600),
		os.WriteFile(filepath.Join(plugins, "nap"), []byte(napScript), 0o700)} {
		if err != nil {
			r.Fatal(err)
		}
	}
	return m
}

// process is a running chibi.
type process struct {
	*exec.Cmd
	m        *machine
	stderr   *bytes.Buffer
	began    time.Time
	ended    chan struct{}
	isKilled bool
	slept    bool
}

// command is a command on the machine.
func (m *machine) command(arguments ...string) *exec.Cmd {
	cmd := exec.Command(m.program, arguments...)
	cmd.Dir = m.home
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CHIBI_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+m.home, "CHIBI_STORE="+m.url)
	return cmd
}

// start starts a command whose output nobody needs.
func (m *machine) start(arguments ...string) *process {
	p := &process{Cmd: m.command(arguments...), m: m, stderr: &bytes.Buffer{}, began: time.Now(),
		ended: make(chan struct{})}
	p.Stderr = p.stderr
	p.WaitDelay = time.Second // a tool of one that was killed has its standard error
	if err := p.Start(); err != nil {
		m.findf("", "%s cannot be started: %v", m.name, err)
		close(p.ended)
		return p
	}
	go func() {
		_ = p.Wait()
		close(p.ended)
	}()
	return p
}

// kill ends it at once, after some time, unless it has ended by then.
func (p *process) kill(after time.Duration) {
	select {
	case <-p.ended:
	case <-time.After(after):
		p.isKilled = p.Process.Kill() == nil
	}
}

// sleep stops it for longer than its lease lasts, after some time, unless enough others sleep.
func (p *process) sleep(after time.Duration) {
	select {
	case p.m.asleep <- struct{}{}:
		defer func() { <-p.m.asleep }()
	default:
		return
	}
	select {
	case <-p.ended:
		return
	case <-time.After(after):
	}
	p.slept = p.Process.Signal(syscall.SIGSTOP) == nil
	p.m.notef("%s (%d) sleeps", p.m.name, p.Process.Pid)
	time.Sleep(sleepTime)
	_ = p.Process.Signal(syscall.SIGCONT)
	p.m.notef("%s (%d) wakes up", p.m.name, p.Process.Pid)
}

// wait waits until it has ended, and returns its exit status, -1 if it was killed.
func (p *process) wait(what string) int {
	<-p.ended
	status, said := p.ProcessState.ExitCode(), ""
	if status != 0 && !p.isKilled {
		said = ": " + p.stderr.String()[max(0, p.stderr.Len()-600):]
	}
	p.m.notef("%s on %s (%d): exit status %d after %.1f s%s", what, p.m.name, p.Process.Pid, status,
		time.Since(p.began).Seconds(), said)
	return status
}

// entry is what is read of a line of a transcript.
type entry struct {
	Type     string `json:"entry_type"`
	From, To string
	Content  string
	Metadata struct{ Role string }
}

func (e entry) isPrompt() bool { return e.Type == "message" && e.Metadata.Role == "user" }
func (e entry) isAnswer() bool { return e.Type == "message" && e.Metadata.Role == "assistant" }
func (e entry) isCall() bool   { return e.Type == "tool_call" || e.Type == "tool_result" }

// transcript reads a whole conversation, and keeps it in the directory of the run.
func (m *machine) transcript(context string) (list []entry) {
	m.Helper()
	var stderr bytes.Buffer
	cmd := m.command("--json-output", "-G", context, "0")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		m.Fatalf("reading the transcript of %s: %v: %s", context, err, stderr.Bytes())
	}
	err = os.WriteFile(filepath.Join(m.dir, context+".jsonl"), out, 0o600)
	for line := range bytes.Lines(out) {
		var e entry
		err = errors.Join(err, json.Unmarshal(line, &e))
		list = append(list, e)
	}
	if err != nil {
		m.Fatal(err)
	}
	return list
}
