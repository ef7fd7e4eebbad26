// Package portstest finds ports on loopback for servers of tests, and skips tests in a run without
// servers. While a process lives, the package promises it no port twice, and no port that the system gives
// to programs that ask for any port: a server that starts later, or again, still finds its port free.
package portstest

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// The range is below those from which systems give ports, which begin at 32768 or later.
const (
	first = 10000
	count = 10000
)

// Free returns n ports on which nobody listens.
func Free(n int) (list []int, err error) {
	start := rand.IntN(count)
	for i := 0; i < count && len(list) < n; i++ {
		if port := first + (start+i)%count; take(port) {
			list = append(list, port)
		}
	}
	if len(list) < n {
		return nil, fmt.Errorf("fewer than %d ports from %d to %d are free", n, first, first+count-1)
	}
	return list, nil
}

// take takes a port that is free. Whoever has taken one says so by the UDP port of that number, which
// stays open until the process ends.
func take(port int) bool {
	mark, err := net.ListenUDP("udp", &net.UDPAddr{IP: loopback(), Port: port})
	if err != nil {
		return false
	}
	l, err := net.Listen("tcp", Address(port))
	if err != nil {
		mark.Close()
		return false
	}
	l.Close()
	go func() {
		defer mark.Close() // one that nothing refers to any more would be closed
		select {}
	}()
	return true
}

// Address returns where a server with a port listens: host:port.
func Address(port int) string { return (&net.TCPAddr{IP: loopback(), Port: port}).String() }

func loopback() net.IP { return net.IPv4(127, 0, 0, 1) }
