package main

import (
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"time"
)

// writeCertificate writes the certificate that clients must trust.
func writeCertificate(path string, server *httptest.Server) error {
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return os.WriteFile(path, block, 0o600)
}

// slowListener makes every piece of data take a while in each direction. The TCP handshake
// happens in the kernel at once; its round trip is added to the first data.
type slowListener struct {
	net.Listener
	way time.Duration
}

// Accept returns the next connection.
func (l *slowListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	inside, outside := net.Pipe()
	go carry(inside, conn, l.way, 2*l.way)
	go carry(conn, inside, l.way, 0)
	return slowConn{outside, conn}, nil
}

// slowConn is a connection with the addresses of the real one.
type slowConn struct {
	net.Conn
	real net.Conn
}

// RemoteAddr returns the client's address.
func (c slowConn) RemoteAddr() net.Addr { return c.real.RemoteAddr() }

// LocalAddr returns the server's address.
func (c slowConn) LocalAddr() net.Addr { return c.real.LocalAddr() }

// piece is data on its way.
type piece struct {
	data    []byte
	arrives time.Time
}

// carry carries data from one end to the other; each piece takes the time of one way, the
// first one longer by extra.
func carry(to, from net.Conn, way, extra time.Duration) {
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			data := make([]byte, 32<<10)
			n, err := from.Read(data)
			if n > 0 {
				pieces <- piece{data[:n], time.Now().Add(way + extra)}
				extra = 0
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.arrives))
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	to.Close()
	from.Close()
	for range pieces { // nobody waits for what is left
	}
}
