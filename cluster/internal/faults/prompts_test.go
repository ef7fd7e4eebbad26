//go:build unix

package faults

import (
	"strings"
	"sync"
	"time"
)

// prompts are what machines said in contexts, and chibi returned from.
type prompts struct {
	mu           sync.Mutex
	said         map[string][]string // by machine, in this order
	acknowledged map[string]bool
	killed       int
	slept        int // longer than a lease
}

func (p *prompts) all() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.acknowledged)
}

// note notes that something was said, and whether that was acknowledged.
func (p *prompts) note(machine, id string, acknowledged bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.said == nil {
		p.said, p.acknowledged = map[string][]string{}, map[string]bool{}
	}
	p.said[machine] = append(p.said[machine], id)
	if acknowledged {
		p.acknowledged[id] = true
	}
}

// end notes how a turn was disturbed.
func (p *prompts) end(turn *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if turn.isKilled {
		p.killed++
	}
	if turn.slept {
		p.slept++
	}
}

// Two contexts have two machines each; three have one, which nobody takes them from.
func speakers() map[string]string {
	return map[string]string{"talk0-a": "talk0", "talk0-b": "talk0", "talk1-a": "talk1", "talk1-b": "talk1",
		"alone0-a": "alone0", "alone1-a": "alone1", "alone2-a": "alone2"}
}

func (r *run) startPrompts() {
	for name, context := range speakers() {
		m := r.newMachine(name)
		r.work.Go(func() { m.talk(context) })
	}
}

// The exit statuses of a turn that was not finished: another machine has the context, or the store
// did not answer in time.
const (
	statusTaken       = 4
	statusUnavailable = 5
)

// talk says something again and again, some of it with a tool. Some turns are killed, and some sleep.
func (m *machine) talk(context string) {
	for n := 1; m.ending.Err() == nil; n++ {
		id := text("%s-%05d.", m.name, n)
		prompt := id
		if !chance(3) {
			prompt += "\n" + nap(time.Second, id)
		}
		sleeps := chance(25)
		if sleeps {
			prompt = id + "\n" + nap(8*time.Second, id)
		}
		p := m.start("--wait", "-C", context, prompt)
		switch {
		case sleeps:
			p.sleep(upTo(3 * time.Second))
		case chance(20):
			p.kill(upTo(time.Second))
		}
		status := p.wait(id)
		m.prompts.note(m.name, id, status == 0)
		m.prompts.end(p)
		isOwn := strings.HasPrefix(context, "alone")
		if p.isKilled || status == 0 || status == statusUnavailable || status == statusTaken && !isOwn {
			m.pause(200 * time.Millisecond)
		} else {
			m.findf(id, "%s failed with status %d: %s", id, status, p.stderr)
		}
		if n%100 == 0 { // so that requests stay small
			m.start("--wait", "-C", context, "-a").wait("archive")
		}
	}
}

// checkPrompts looks for each prompt and its answer.
func (r *run) checkPrompts(transcript func(string) []entry) (all tally) {
	r.sayf("%d turns were killed, %d slept for longer than a lease", r.prompts.killed, r.prompts.slept)
	read := map[string][]entry{}
	for name, context := range speakers() {
		if read[context] == nil {
			read[context] = transcript(context)
		}
		newest := -1
		for _, id := range r.prompts.said[name] {
			isAcknowledged := r.prompts.acknowledged[id]
			asked, answered := where(read[context], id)
			switch {
			case isAcknowledged && (len(asked) == 0 || len(answered) == 0):
				all.lost++
				r.findf(id, "lost: the prompt %s was acknowledged; prompts %v, answers %v", id, asked, answered)
				continue
			case len(asked) > 1 || len(answered) > 1:
				all.doubled++
				r.findf(id, "doubled: the prompt %s; prompts %v, answers %v", id, asked, answered)
				continue
			case !isAcknowledged:
				continue
			}
			if asked[0] < newest || !isWhole(read[context], id, asked[0], answered[0]) {
				all.reordered++
				r.findf(id, "reordered: the prompt %s is entry %d, its answer %d, the one before %d", id, asked[0], answered[0],
					newest)
			}
			newest = answered[0]
		}
	}
	return all
}

// where finds the prompts and the answers that name something.
func where(entries []entry, id string) (asked, answered []int) {
	for i, e := range entries {
		if !strings.Contains(e.Content, id) {
			continue
		}
		if e.isPrompt() {
			asked = append(asked, i)
		}
		if e.isAnswer() {
			answered = append(answered, i)
		}
	}
	return asked, answered
}

// isWhole reports whether nothing but calls of a turn is between its prompt and its answer.
func isWhole(entries []entry, id string, asked, answered int) bool {
	for i := asked + 1; i < answered; i++ {
		if !entries[i].isCall() || !strings.Contains(entries[i].Content, id) {
			return false
		}
	}
	return asked < answered
}
