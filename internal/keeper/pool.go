package keeper

import (
	"errors"
	"os"
	"slices"
	"sync"
	"time"
)

const maxProcesses = 32

type pool struct {
	changed func() // called after a process has ended

	mu     sync.Mutex
	all    []*child // the oldest first; those that are being ended too
	closed bool     // nothing is lent or kept any more
}

var errFull = errors.New("it has no room for another process")

func (p *pool) take(w Wanted, l *loan) (c *child, wasThere bool, err error) {
	if c, wasThere, err = p.reserve(w, l); wasThere || err != nil {
		return c, wasThere, err
	}
	err = errors.New("its files have changed")
	if w.Key.isCurrent() {
		err = c.start(w)
	}
	if err != nil {
		p.remove(c)
		return nil, false, err
	}
	go func() {
		<-c.process.Done()
		p.remove(c)
	}()
	return c, false, nil
}

func (p *pool) reserve(w Wanted, l *loan) (c *child, wasThere bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, errors.New("it ends")
	}
	for _, c := range p.all {
		if c.key == w.Key && c.lend(l, w) {
			return c, true, nil
		}
	}
	if !p.makeRoom() {
		return nil, false, errFull
	}
	c = &child{key: w.Key, name: w.Plugin, began: time.Now(), stop: func() {}, loan: l, runs: 1, keep: w.keep()}
	p.all = append(p.all, c)
	return c, false, nil
}

func (p *pool) makeRoom() bool {
	live := slices.DeleteFunc(slices.Clone(p.all), (*child).isEnding)
	if len(live) < maxProcesses {
		return true
	}
	slices.SortStableFunc(live, func(a, b *child) int { return a.idleSince().Compare(b.idleSince()) })
	return slices.ContainsFunc(live, (*child).dismiss)
}

// give takes a process back and keeps it if its files are the same, and had not just changed
// when it was started. It returns false if the process must be ended, because its state is
// not known.
func (p *pool) give(c *child) bool {
	isCurrent := c.key.isSettled(c.began) && c.key.isCurrent()
	p.mu.Lock()
	defer p.mu.Unlock()
	return c.rest(isCurrent && !p.closed)
}

// look ends idle processes whose files have changed.
func (p *pool) look() {
	for _, c := range p.list() {
		if !c.key.isCurrent() {
			c.dismiss()
		}
	}
}

// close ends what is idle, and has the rest ended when it is given back.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	for _, c := range p.list() {
		c.dismiss()
	}
}

func (p *pool) endAll() {
	for _, c := range p.list() {
		c.end()
	}
	p.wait()
}

func (p *pool) wait() {
	for _, c := range p.list() {
		if started := c.started(); started != nil && c.isEnding() {
			<-started.Done()
			p.remove(c)
		}
	}
}

func (p *pool) remove(c *child) {
	p.mu.Lock()
	p.all = slices.DeleteFunc(p.all, func(other *child) bool { return other == c })
	p.mu.Unlock()
	p.changed()
}

func (p *pool) list() []*child {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.all)
}

func (p *pool) status() Status {
	s := Status{Pid: os.Getpid(), Processes: []Held{}}
	for _, c := range p.list() {
		if !c.isEnding() {
			s.Processes = append(s.Processes, c.held(time.Now()))
		}
	}
	return s
}

// Status is what a keeper holds.
type Status struct {
	// Pid is the keeper's process.
	Pid int `json:"pid"`
	// Processes are those that it holds, the oldest first.
	Processes []Held `json:"processes"`
	// Asked is how many questions a host is answering.
	Asked int `json:"asked,omitzero"`
}

// Held is a process that a keeper holds.
type Held struct {
	// Plugin is the plugin's name, Path its executable, Dir its working directory.
	Plugin string `json:"plugin"`
	Path   string `json:"path"`
	Dir    string `json:"dir"`
	// Pid is its id; 0 while it is being started.
	Pid int `json:"pid"`
	// Busy is set while a run uses it.
	Busy bool `json:"busy"`
	// Runs is how many runs have used it.
	Runs int `json:"runs"`
	// AgeMS is how long ago it was started, IdleMS how long nobody has used it, in
	// milliseconds; KeepMS is how long it is kept without being used.
	AgeMS  int64 `json:"age_ms"`
	IdleMS int64 `json:"idle_ms"`
	KeepMS int64 `json:"keep_ms"`
}

// Busy counts the processes that runs use, and what is being answered.
func (s Status) Busy() (n int) {
	n = s.Asked
	for _, h := range s.Processes {
		if h.Busy {
			n++
		}
	}
	return n
}
