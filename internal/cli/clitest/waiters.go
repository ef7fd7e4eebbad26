package clitest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// Waiters are processes that wait for the mail of one context in a loop, and processes that
// send it.
type Waiters struct {
	// URL is the URL of a store: then each process has a home of its own, as on a machine of
	// its own. "": all share a home of files.
	URL string
	// Waiting and Senders are how many processes there are, Messages is how many messages
	// each sender sends, at most 100.
	Waiting, Senders, Messages int
	// Kills is how many of those that wait are killed, in turn when they have stored a prompt and
	// when they have answered one; another one is started in the place of each.
	Kills int
	// Limit is how long all of it may take; default 5 minutes.
	Limit time.Duration

	root    string // of the homes
	homes   int
	answers chan answer
	running []*waiter
}

// waiterConfig has several messages come with a prompt, but not all of them.
const waiterConfig = "[limits]\ninbox_bytes = 1024\n"

// Run has the messages sent and answered by the built-in model. Each must be answered once, by
// one of those that wait, which end with Ctrl-C and exit status 0. It logs what that took.
func (w Waiters) Run(t *testing.T) {
	t.Helper()
	if w.Limit == 0 {
		w.Limit = 5 * time.Minute
	}
	w.root = t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), w.Limit)
	defer cancel()
	began := time.Now()
	w.answers = make(chan answer, 4*w.Senders*w.Messages)
	for range w.Waiting {
		w.start(ctx, t)
	}
	turns, by := w.collect(ctx, t, w.send(ctx))
	took := time.Since(began)
	busy := w.endAll(t)
	w.checkTranscript(ctx, t)
	t.Logf("%d messages, %d waiters, %d of which answered, %d were killed: %d turns in %v, %v of the processor",
		w.Senders*w.Messages, w.Waiting, len(by), w.Kills, turns, took.Round(time.Millisecond), busy.Round(time.Millisecond))
}

// send has the messages sent; the channel tells when they are.
func (w *Waiters) send(ctx context.Context) <-chan error {
	var senders errgroup.Group
	for n := range w.Senders {
		cmd := w.command(ctx, "-C", fmt.Sprintf("boss-%d", n), tasks(w.Messages))
		senders.Go(func() error {
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("a sender: %w\n%s", err, out)
			}
			return nil
		})
	}
	sent := make(chan error, 1)
	go func() { sent <- senders.Wait() }()
	return sent
}

// tasks is a prompt with which the built-in model sends messages.
func tasks(count int) string {
	var b strings.Builder
	for n := range count {
		fmt.Fprintf(&b, "@tool send_message {\"to\": \"worker\", \"content\": \"task %d %s\"}\n", n,
			strings.Repeat("and so on ", 9))
	}
	return b.String()
}

// taskOf finds messages in an answer of the built-in model.
func taskOf() *regexp.Regexp { return regexp.MustCompile(`\[From: (boss-\d+)\] (task \d+) `) }

// command is a process of chibi.
func (w *Waiters) command(ctx context.Context, args ...string) *exec.Cmd {
	if w.URL != "" || w.homes == 0 {
		w.homes++
		config := filepath.Join(w.home(), ".chibi/config.toml")
		os.MkdirAll(filepath.Dir(config), 0o700)
		os.WriteFile(config, []byte(waiterConfig), 0o600)
	}
	cmd := exec.CommandContext(ctx, "chibi", args...)
	cmd.Dir = w.home()
	cmd.Env = append(os.Environ(), "HOME="+w.home(), "CHIBI_HOME=", "CHIBI_STORE="+w.URL)
	return cmd
}

// home is the home directory of the newest machine.
func (w *Waiters) home() string { return filepath.Join(w.root, fmt.Sprint(w.homes)) }

// answer is a turn of one waiter, with what it answered, or the beginning of one.
type answer struct {
	by    int
	tasks []string
	isNew bool
}

// waiter is a process that waits.
type waiter struct {
	*exec.Cmd
	stderr  bytes.Buffer
	killed  bool
	hasSaid atomic.Bool // it has been waiting, and had mail
}

// interrupted is the exit status of a process that Ctrl-C ended while it did something.
const interrupted = 130

// start starts a waiter. Its answers come through the channel when they are stored.
func (w *Waiters) start(ctx context.Context, t *testing.T) {
	t.Helper()
	p := &waiter{Cmd: w.command(ctx, "--json-output", "-C", "worker", "--wait-for-mail", "--loop")}
	p.Stderr = &p.stderr
	stdout, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go p.follow(len(w.running), stdout, w.answers)
	w.running = append(w.running, p)
}

// entry is what is read of a line of --json-output.
type entry struct {
	Type     string `json:"entry_type"`
	From, To string
	Content  string
	Metadata struct {
		Role      string
		Delivered []string
	}
}

// follow passes on what a waiter answers.
func (p *waiter) follow(n int, stdout io.Reader, answers chan<- answer) {
	lines := bufio.NewReader(stdout)
	a := answer{by: n}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		p.hasSaid.Store(true)
		var e entry
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch {
		case e.Metadata.Role == "user":
			answers <- answer{by: n, isNew: true}
		case e.Metadata.Role == "assistant":
			a.tasks = append(a.tasks, tasksIn(e.Content)...)
		case e.Type == "result":
			answers <- a
			a.tasks = nil
		}
	}
}

// tasksIn lists the messages in a text.
func tasksIn(text string) (list []string) {
	for _, m := range taskOf().FindAllStringSubmatch(text, -1) {
		list = append(list, m[1]+" "+m[2])
	}
	return list
}

// collect waits until every message is answered, and returns in how many turns, and who
// answered. An answer of a process that was killed may never arrive, so collect looks into the
// inbox too.
func (w *Waiters) collect(ctx context.Context, t *testing.T, sent <-chan error) (turns int, by map[int]int) {
	t.Helper()
	by = map[int]int{}
	seen, kills, areSent := map[string]bool{}, 0, false
	looks := time.NewTicker(time.Second)
	defer looks.Stop()
	for !areSent || len(seen) < w.Senders*w.Messages {
		select {
		case a := <-w.answers:
			if !a.isNew {
				turns++
				by[a.by]++
			}
			for _, task := range a.tasks {
				seen[task] = true
			}
			if kills < w.Kills && a.isNew == (kills%2 == 0) && w.kill(a.by) {
				w.start(ctx, t)
				kills++
			}
		case err := <-sent:
			if areSent = true; err != nil {
				t.Error(err)
			}
		case <-looks.C:
			if areSent && w.Kills > 0 && w.isIdle(ctx) {
				return turns, by
			}
		case <-ctx.Done():
			t.Errorf("after %v, %d of %d messages are answered", w.Limit, len(seen), w.Senders*w.Messages)
			return turns, by
		}
	}
	return turns, by
}

// kill kills a waiter; it returns false if that was done before.
func (w *Waiters) kill(n int) bool {
	p := w.running[n]
	if p.killed {
		return false
	}
	p.killed = true
	p.Process.Kill()
	return true
}

// isIdle reports whether the context has no mail, and nobody uses it.
func (w *Waiters) isIdle(ctx context.Context) bool {
	out, err := w.command(ctx, "-L").Output()
	return err == nil && regexp.MustCompile(`(?m)^. worker$`).Match(out)
}

// endAll ends the waiters as Ctrl-C does, and returns what processor time they took. One that has
// said nothing yet may still be starting.
func (w *Waiters) endAll(t *testing.T) (busy time.Duration) {
	t.Helper()
	for _, p := range w.running {
		p.Process.Signal(os.Interrupt)
	}
	for _, p := range w.running {
		err := p.Wait()
		isStarting := p.ProcessState.ExitCode() == interrupted && !p.hasSaid.Load()
		if err != nil && !p.killed && !isStarting {
			t.Errorf("a waiter: %v\n%s", err, p.stderr.Bytes())
		}
		busy += p.ProcessState.UserTime() + p.ProcessState.SystemTime()
	}
	return busy
}

// checkTranscript checks that each message was delivered and answered once, by a prompt that has
// an answer. Only processes that are killed leave prompts without one.
func (w *Waiters) checkTranscript(ctx context.Context, t *testing.T) {
	t.Helper()
	out, err := w.command(ctx, "--json-output", "-G", "worker", "0").Output()
	if err != nil {
		t.Fatalf("reading the transcript: %v", err)
	}
	delivered, answered := map[string]int{}, map[string]int{}
	var prompt *entry // without an answer
	unanswered := 0
	for line := range bytes.Lines(out) {
		e := &entry{}
		if err := json.Unmarshal(line, e); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Metadata.Role == "user":
			if prompt != nil {
				unanswered++
			}
			prompt = e
		case e.Metadata.Role == "assistant" && prompt == nil:
			t.Errorf("an answer without a prompt: %.200s", e.Content)
		case e.Metadata.Role == "assistant":
			for _, id := range prompt.Metadata.Delivered {
				delivered[id]++
			}
			for _, task := range tasksIn(e.Content) {
				answered[task]++
			}
			prompt = nil
		}
	}
	if unanswered > w.Kills || prompt != nil {
		t.Errorf("%d prompts without an answer, and %d processes were killed; the last one: %v", unanswered, w.Kills, prompt)
	}
	for what, counts := range map[string]map[string]int{"delivered": delivered, "answered": answered} {
		if len(counts) != w.Senders*w.Messages {
			t.Errorf("%d messages were %s, want %d", len(counts), what, w.Senders*w.Messages)
		}
		for one, times := range counts {
			if times != 1 {
				t.Errorf("%s was %s %d times", one, what, times)
			}
		}
	}
}
