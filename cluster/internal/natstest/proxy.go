package natstest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy passes connections on to a server until it is frozen: then nothing passes, and it tells
// nobody.
type Proxy struct {
	listener net.Listener
	target   string

	mu                sync.Mutex
	requests, answers chan struct{} // closed while they pass
	conns             []net.Conn
}

// StartProxy starts a proxy in front of a server.
func StartProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, target: target, requests: make(chan struct{}), answers: make(chan struct{})}
	p.Thaw()
	go p.accept()
	t.Cleanup(p.stop)
	return p
}

// Address is where clients connect.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Freeze stops everything that passes.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests, p.answers = make(chan struct{}), make(chan struct{})
}

// FreezeAnswers stops what the server sends, so that clients do not learn what it has done.
func (p *Proxy) FreezeAnswers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = make(chan struct{})
}

// Thaw lets everything pass that has waited, and what comes.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range []chan struct{}{p.requests, p.answers} {
		select {
		case <-c:
		default:
			close(c)
		}
	}
}

// Cut ends all connections, with what has waited, and lets new ones pass.
func (p *Proxy) Cut() {
	p.mu.Lock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
	p.mu.Unlock()
	p.Thaw()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.pass(client)
	}
}

// pass connects a client with the server.
func (p *Proxy) pass(client net.Conn) {
	p.wait(&p.requests)
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.conns = append(p.conns, client, server)
	p.mu.Unlock()
	go p.copy(server, client, &p.requests)
	p.copy(client, server, &p.answers)
}

// copy passes on what comes from one side, while it is not frozen.
func (p *Proxy) copy(to, from net.Conn, thawed *chan struct{}) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil && err != io.EOF {
			return
		}
		p.wait(thawed)
		if _, failed := to.Write(buf[:n]); failed != nil || err != nil {
			return
		}
	}
}

// wait waits while one direction is frozen.
func (p *Proxy) wait(thawed *chan struct{}) {
	p.mu.Lock()
	now := *thawed
	p.mu.Unlock()
	<-now
}

// stop ends all connections.
func (p *Proxy) stop() {
	p.listener.Close()
	p.Cut()
}
