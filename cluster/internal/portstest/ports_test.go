package portstest

import (
	"net"
	"testing"
)

func TestNoPortIsFoundTwice(t *testing.T) {
	seen := map[int]bool{}
	for range 10 {
		list, err := Free(9)
		if err != nil || len(list) != 9 {
			t.Fatal(list, err)
		}
		for _, port := range list {
			l, err := net.Listen("tcp", Address(port))
			if err != nil {
				t.Error(err)
				continue
			}
			defer l.Close()
			if seen[port] || port < first || port >= first+count {
				t.Errorf("%d was found", port)
			}
			seen[port] = true
		}
	}
}
