package clitest

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Terminate ends a run with SIGTERM while the model answers, as Kubernetes ends a pod. The run
// stores the part of the answer that it has as interrupted, and the next run, which need not be
// on that machine, has the context at once. url names a store; "": files. The run must end
// within the limit.
func Terminate(t *testing.T, url string, limit time.Duration) {
	t.Helper()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"delta":{"content":"the beginning of it\n"}}]}`+"\n\n")
		w.(http.Flusher).Flush()
		<-req.Context().Done()
	}))
	defer model.Close()
	here, there := t.TempDir(), t.TempDir()
	if url == "" {
		there = here
	}
	chibi := func(home string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "chibi", args...)
		cmd.Env = append(os.Environ(), "HOME="+home, "CHIBI_HOME="+home+"/.chibi", "CHIBI_STORE="+url)
		return cmd
	}
	cmd := chibi(here, "--set", "base_url="+model.URL+"/v1", "--set", "model=m", "-C", "work", "a question")
	answer, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(answer)
	if !lines.Scan() || lines.Text() != "the beginning of it" {
		t.Fatalf("the answer begins with %q: %v", lines.Text(), lines.Err())
	}
	began := time.Now()
	cmd.Process.Signal(syscall.SIGTERM)
	err = cmd.Wait()
	if took := time.Since(began); took > limit {
		t.Errorf("it ended %v after SIGTERM; want %v", took, limit)
	}
	var status *exec.ExitError
	if !errors.As(err, &status) || status.ExitCode() != 130 {
		t.Errorf("it ended with %v; want exit status 130", err)
	}
	next, err := chibi(there, "-C", "work", "and now?").CombinedOutput()
	if err != nil || !strings.Contains(string(next), "messages: 3") {
		t.Errorf("the next run: %v\n%s", err, next)
	}
	log, err := chibi(there, "-G", "work", "0").CombinedOutput()
	if err != nil || !strings.Contains(string(log), "the beginning of it\n (interrupted)") &&
		!strings.Contains(string(log), "the beginning of it (interrupted)") {
		t.Errorf("the log: %v\n%s", err, log)
	}
}
