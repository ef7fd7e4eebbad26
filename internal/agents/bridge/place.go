package bridge

import (
	"os"
	"path/filepath"
	"sync"
)

// place is the working directory of a process that answers several events. Events in the same directory happen at
// the same time. An event in a different directory waits until they are over.
type place struct {
	first string // where it began, and where events without a directory happen
	mu    sync.Mutex
	users int
	freed chan struct{} // closed when the last user leaves
	dir   string
}

// enter goes to the directory where the agent works, until leave is called. Plugins run there, wherever the agent
// starts its hooks. An error leaves the process where it is.
func (p *place) enter(dir string) (leave func(), err error) {
	if p == nil {
		return func() {}, enterDirectory(dir)
	}
	if !filepath.IsAbs(dir) {
		dir = p.first
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.users > 0 && p.dir != dir {
		freed := p.freed
		p.mu.Unlock()
		<-freed
		p.mu.Lock()
	}
	if p.users == 0 {
		err = enterDirectory(dir)
		p.dir, p.freed = dir, make(chan struct{})
	}
	p.users++
	return p.leave, err
}

func (p *place) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 {
		close(p.freed)
	}
}

// enterDirectory goes to a directory, if its path is absolute.
func enterDirectory(dir string) error {
	if now, err := os.Getwd(); !filepath.IsAbs(dir) || err == nil && now == filepath.Clean(dir) {
		return nil
	}
	return os.Chdir(dir)
}
