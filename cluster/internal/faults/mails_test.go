//go:build unix

package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// mails are the messages that were sent, by their ids.
type mails struct {
	mu   sync.Mutex
	sent map[string]bool // whether that was acknowledged
	n    int             // how many were
}

func (m *mails) all() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

func (m *mails) note(id string, acknowledged bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sent == nil {
		m.sent = map[string]bool{}
	}
	m.sent[id] = acknowledged
	if acknowledged {
		m.n++
	}
}

// workers are the contexts that have mail, and how often a message is given again.
func workers() map[string]int { return map[string]int{"worker0": 0, "worker1": 1} }

// drainTime bounds how long it may take until all mail is answered when nothing is killed any more.
const drainTime = 5 * time.Minute

// startMail starts who sends mail and who waits for it. The function that it returns waits until all is
// answered.
func (r *run) startMail() (end func()) {
	for worker := range workers() {
		m := r.newMachine("boss-" + worker)
		r.work.Go(func() { m.send(worker) })
	}
	var waiting sync.WaitGroup
	drained := make(chan struct{})
	for worker, retry := range workers() {
		for _, letter := range []string{"a", "b"} {
			m := r.newMachine(worker + "-" + letter)
			waiting.Go(func() { m.waitForMail(worker, retry, drained) })
		}
	}
	return func() {
		reader := r.newMachine("looks")
		for end := time.Now().Add(drainTime); ; time.Sleep(time.Second) {
			out, err := reader.command("-L").Output()
			busy := regexp.MustCompile(`(?m)^. (worker\d .*(\[mail\]|\[active\]).*)$`).FindString(string(out))
			if err == nil && len(out) > 0 && busy == "" {
				break
			}
			if time.Now().After(end) {
				r.findf("", "after %v there is mail that nobody has answered: %s, %v", drainTime, busy, err)
				break
			}
		}
		close(drained)
		waiting.Wait()
	}
}

// hasMail reports whether messages wait for a worker, as far as can be seen.
func (m *machine) hasMail(worker string) bool {
	out, err := m.command("-L").Output()
	return err != nil || regexp.MustCompile(`(?m)^. `+worker+` .*\[mail\]`).Match(out)
}

// batch is how many messages are sent before those who answer them get the time to do so: on a busy machine
// they would be answered for hours.
const batch = 8

// send sends messages, at most one in 200 ms. Some have a tool called.
func (m *machine) send(worker string) {
	for n := 1; m.ending.Err() == nil; n++ {
		id := text("%s-%05d.", m.name, n)
		content := "mail " + id
		if !chance(3) {
			content += "\n" + nap(1500*time.Millisecond, id)
		}
		arguments, err := json.Marshal(map[string]string{"to": worker, "content": content})
		if err != nil {
			m.Error(err)
		}
		p := m.start("-C", m.name, "-P", "send_message", string(arguments))
		if chance(20) {
			p.kill(upTo(50 * time.Millisecond))
		}
		status := p.wait(id)
		m.mails.note(id, status == 0)
		// The status of a tool that failed does not say why.
		if isAway := strings.Contains(p.stderr.String(), "no success within"); !p.isKilled && status != 0 && !isAway {
			m.findf(id, "%s was not sent, with status %d: %s", id, status, p.stderr)
		}
		m.pause(800 * time.Millisecond)
		for n%batch == 0 && m.ending.Err() == nil && m.hasMail(worker) {
			m.pause(time.Second)
		}
	}
}

// waitForMail answers mail. It is killed again and again, or sleeps, until the run ends.
func (m *machine) waitForMail(worker string, retry int, drained <-chan struct{}) {
	for {
		m.start("--wait", "-C", worker, "-a").wait("archive")
		p := m.start("-C", worker, "--wait-for-mail", "--loop", "--set", fmt.Sprint("mail.retry=", retry))
		select {
		case <-p.ended:
		case <-time.After(2*time.Second + upTo(20*time.Second)):
		case <-m.ending.Done():
		}
		if m.ending.Err() != nil {
			select {
			case <-p.ended:
			case <-drained:
				_ = p.Process.Signal(os.Interrupt)
			}
		} else if chance(4) {
			p.sleep(0)
			p.kill(5 * time.Second)
		} else {
			p.kill(0)
		}
		status := p.wait("waiting for mail")
		select {
		case <-drained:
			return
		default:
		}
		if !p.isKilled && status != statusTaken && status != statusUnavailable && m.ending.Err() == nil {
			m.findf("", "waiting for mail on %s ended with status %d: %s", m.name, status, p.stderr)
		}
	}
}

// attempt is one time that a message came with a prompt.
type attempt struct {
	number              string // "" is the first
	isBegun, isAnswered bool
}

// checkMail looks for what became of each message.
func (r *run) checkMail(transcript func(string) []entry, failedOf func(string) []string) (all tally) {
	attempts, failed := map[string][]attempt{}, map[string]int{}
	for worker, retry := range workers() {
		found := attemptsIn(transcript(worker))
		maps.Copy(attempts, found)
		for _, id := range failedOf(worker) {
			failed[id]++
		}
		for id, list := range found {
			if retry == 0 && slices.ContainsFunc(list, func(a attempt) bool { return a.number != "" }) {
				all.doubled++
				r.findf(id, "doubled: the mail %s was given again: %+v", id, list)
			}
		}
	}
	r.sayf("%d mails were given again, %d have failed", countOf(attempts, isAgain), len(failed))
	for id, isAcknowledged := range r.mails.sent {
		begun, answers := map[string]int{}, 0
		for _, a := range attempts[id] {
			if a.isBegun {
				begun[a.number]++
			}
			if a.isAnswered {
				answers++
			}
		}
		if isAcknowledged && answers == 0 && failed[id] == 0 {
			all.lost++
			r.findf(id, "lost: the mail %s was neither answered nor has it failed: %+v", id, attempts[id])
		}
		twice := slices.ContainsFunc(slices.Collect(maps.Values(begun)), func(n int) bool { return n > 1 })
		if twice || answers+failed[id] > 1 {
			all.doubled++
			r.findf(id, "doubled: the mail %s: %+v, failed %d times", id, attempts[id], failed[id])
		}
	}
	return all
}

func isAgain(list []attempt) bool { return len(list) > 1 }

func countOf(attempts map[string][]attempt, is func([]attempt) bool) (n int) {
	for _, list := range attempts {
		if is(list) {
			n++
		}
	}
	return n
}

// attemptsIn finds the messages that came with prompts.
func attemptsIn(entries []entry) map[string][]attempt {
	mail := regexp.MustCompile(`(?m)^\[From: [^],]+(?:, attempt (\d+))?\] mail (\S+)$`)
	found := map[string][]attempt{}
	for i, e := range entries {
		if !e.isPrompt() {
			continue
		}
		begun, answered := answerTo(entries[i+1:])
		for _, m := range mail.FindAllStringSubmatch(e.Content, -1) {
			found[m[2]] = append(found[m[2]], attempt{m[1], begun, answered})
		}
	}
	return found
}

// answerTo reports whether entries behind a prompt are of an answer, and whether that has an end.
func answerTo(entries []entry) (isBegun, isAnswered bool) {
	for _, e := range entries {
		if e.isPrompt() {
			break
		}
		isBegun = isBegun || e.isCall() || e.isAnswer()
		isAnswered = isAnswered || e.isAnswer()
	}
	return isBegun, isAnswered
}

// failed returns the messages that were not answered, and are said to have failed.
func (m *machine) failed(worker string) (ids []string) {
	m.Helper()
	out, err := m.command("context", "failed", worker, "--json").Output()
	var list []struct{ Content string }
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil {
		m.Fatalf("the mail of %s that failed: %v: %s", worker, err, out)
	}
	for _, f := range list {
		id, _, _ := strings.Cut(strings.TrimPrefix(f.Content, "mail "), "\n")
		ids = append(ids, id)
	}
	return ids
}
