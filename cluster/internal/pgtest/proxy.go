//go:build unix

package pgtest

import (
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Proxy stands between programs and a server. It counts round trips, and loses requests or
// answers on command.
type Proxy struct {
	listener net.Listener
	server   string

	mu         sync.Mutex
	conns      map[net.Conn]bool
	roundTrips int
	loss       Loss
	before     int // how many requests come before the one that is lost
	answered   func() bool
	isFrozen   bool
	thawed     chan struct{}
}

// Loss is what a proxy loses once, with the connection.
type Loss int

// A request is lost before the server has got it, an answer after the server has given it.
const (
	Nothing Loss = iota
	Request
	Answer
)

// NewProxy starts a proxy to a server until the end of the test.
func NewProxy(tb testing.TB, s *Server) *Proxy {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{listener: l, server: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)), conns: map[net.Conn]bool{}}
	go p.accept()
	tb.Cleanup(p.close)
	return p
}

// Through returns a URL of the server as one of the proxy.
func (p *Proxy) Through(url string) string {
	return strings.Replace(url, p.server, p.listener.Addr().String(), 1)
}

// Lose loses a request, or the answer to it, after others.
func (p *Proxy) Lose(what Loss, after int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loss, p.before = what, after
}

// LoseAnswer loses the first answer for which a function says so, with the connection. It is called
// when the server has given an answer, before that passes.
func (p *Proxy) LoseAnswer(answered func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered = answered
}

// Left is what is still to be lost.
func (p *Proxy) Left() Loss {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.loss
}

// RoundTrips is how often a server was asked since the last call.
func (p *Proxy) RoundTrips() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.roundTrips
	p.roundTrips = 0
	return n
}

// Freeze lets nothing through until Thaw; connections stay open, and new ones are accepted.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isFrozen, p.thawed = true, make(chan struct{})
}

// Thaw lets everything through again, also what came in between.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isFrozen {
		close(p.thawed)
	}
	p.isFrozen = false
}

func (p *Proxy) accept() {
	for {
		program, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			program.Close()
			continue
		}
		l := &link{Proxy: p, program: program, server: server}
		p.keep(program, server)
		go l.carry(program, server, l.ask)
		go l.carry(server, program, l.answer)
	}
}

func (p *Proxy) keep(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		p.conns[conn] = true
	}
}

func (p *Proxy) close() {
	p.listener.Close()
	p.Thaw()
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		conn.Close()
	}
}

// link is a connection through the proxy. Its fields are guarded by the proxy's mu.
type link struct {
	*Proxy
	program, server net.Conn
	isAsked         bool // the server has not answered yet
	losesAnswer     bool
}

// carry copies from one side to the other what may pass.
func (l *link) carry(from, to net.Conn, mayPass func() bool) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if !mayPass() {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// ask notes that a program asks, and reports whether the server gets it.
func (l *link) ask() bool {
	l.waitThawed()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isAsked {
		return true // more of the same request
	}
	l.isAsked = true
	l.roundTrips++
	if l.loss != Nothing && l.before > 0 {
		l.before--
		return true
	}
	loss := l.loss
	l.loss = Nothing
	l.losesAnswer = loss == Answer
	return loss != Request
}

// answer notes that a server answers, and reports whether the program gets it.
func (l *link) answer() bool {
	l.waitThawed()
	l.mu.Lock()
	l.isAsked = false
	loses, answered := l.losesAnswer, l.answered
	l.mu.Unlock()
	if answered == nil || !answered() {
		return !loses
	}
	l.LoseAnswer(nil)
	return false
}

func (l *link) waitThawed() {
	l.mu.Lock()
	isFrozen, thawed := l.isFrozen, l.thawed
	l.mu.Unlock()
	if isFrozen {
		<-thawed
	}
}
